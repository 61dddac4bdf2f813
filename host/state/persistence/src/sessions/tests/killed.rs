//! Processes that are killed while they keep something.

use std::env;
use std::path::Path;
use std::process::Command;
use std::thread::sleep;

use super::*;

/// Where the process that is to be killed finds the store.
const FOLDER: &str = "AMPOULE_TEST_KILLED_STORE";
/// How often one is killed.
const TIMES: u64 = 200;

/// A head that tells whether all of it is there.
fn whole(number: u64) -> Head {
    head("g", number.to_le_bytes().repeat(5_000))
}

#[test]
fn whenever_a_process_is_killed_the_last_whole_head_is_there() {
    let limits = SessionLimits {
        heads: 3,
        ..SessionLimits::default()
    };
    if let Some(folder) = env::var_os(FOLDER) {
        let store = Store::open(Path::new(&folder), limits).unwrap();
        let mut session = store.shelf(None).unwrap().take("a").unwrap();
        for number in 0.. {
            session.keep(whole(number)).unwrap();
            if number % 7 == 6 {
                session.rewind(1).unwrap();
            }
        }
    }
    let kept = Fixture::new(limits);
    let mut grown = 0;
    let mut newest_before = 0;
    for time in 0..TIMES {
        let mut child = Command::new(env::current_exe().unwrap())
            .args([
                "sessions::tests::killed::whenever_a_process_is_killed_the_last_whole_head_is_there",
                "--exact",
            ])
            .env(FOLDER, kept.store.path())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        sleep(Duration::from_micros(8_000 + time * 97 % 9_000));
        child.kill().unwrap();
        child.wait().unwrap();
        // The system has given its lock back.
        let session = kept.shelf().take("a").unwrap();
        let heads = session.heads().unwrap();
        assert!(heads.len() <= 4, "{heads:?}");
        let Some(found) = session.newest().unwrap() else {
            continue;
        };
        let number = u64::from_le_bytes(*found.memory.first_chunk().unwrap());
        assert_eq!(found.memory, whole(number).memory);
        grown += u64::from(found.about.run > newest_before);
        newest_before = found.about.run;
    }
    // They were killed at work, not before it.
    assert!(grown > TIMES / 4, "{grown}");
}
