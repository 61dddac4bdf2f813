//! Processes that are killed while they merge.

use std::env;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::*;

/// Where the process that is to be killed finds the workspace.
const FOLDER: &str = "AMPOULE_TEST_KILLED_WORKSPACE";
/// How often one is killed, unless `AMPOULE_TEST_KILLS` is set.
const TIMES: u64 = 60;
/// If it is set, how many processes are killed here for each that it asks for: the other tests that
/// read it kill whole runs, which take longer.
const FACTOR: u64 = 4;
/// How many files each merge changes.
const FILES: u32 = 20;

#[test]
fn whenever_a_process_is_killed_a_merge_is_whole_or_not_there() {
    if let Some(folder) = env::var_os(FOLDER) {
        let tree = Tree::workspace(folder.as_ref(), Quota::default()).unwrap();
        loop {
            merge_one(&Files::new(Some(Arc::clone(&tree)), Vec::new()));
        }
    }
    let place = Fixture::new();
    let (mut before, mut grown) = (0, 0);
    let said = env::var("AMPOULE_TEST_KILLS").ok();
    let times = said.map_or(TIMES, |times| FACTOR * times.parse::<u64>().unwrap());
    for time in 0..times {
        let mut child = Command::new(env::current_exe().unwrap())
            .args([
                "tests::killed::whenever_a_process_is_killed_a_merge_is_whole_or_not_there",
                "--exact",
            ])
            .env(FOLDER, &place.path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        // It is at work, and killed somewhere in the next merges.
        let seen = place.on_disk("0");
        while child.try_wait().unwrap().is_none() && place.on_disk("0") == seen {
            sleep(Duration::from_millis(1));
        }
        sleep(Duration::from_micros(time * 997 % 15_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let number = whole(&place.run());
        assert!(number >= before);
        grown += u32::from(number > before);
        before = number;
    }
    // They were killed at work, not before it.
    assert!(u64::from(grown) > times / 4, "{grown}");
    // What they left is cleared away.
    let run = place.run();
    merge_one(&run);
    drop(run);
    assert_eq!(place.layers(), 0);
}

/// Writes the next number to all files, one of which is made and one removed each time.
fn merge_one(run: &Files) {
    let number = read(run, "0").map_or(0, |text| text.parse().unwrap()) + 1u32;
    for file in 0..FILES {
        write(run, &file.to_string(), &number.to_string());
    }
    run.make_folder(&format!("made-{number}")).unwrap();
    write(run, &format!("made-{number}/x"), &number.to_string());
    if number > 1 {
        run.remove(&format!("made-{}/x", number - 1)).unwrap();
        run.remove_folder(&format!("made-{}", number - 1)).unwrap();
    }
    run.merge().unwrap();
}

/// The number that all files have.
fn whole(run: &Files) -> u32 {
    let Ok(number) = read(run, "0") else {
        assert_eq!(names(run, "."), [""; 0]);
        return 0;
    };
    for file in 1..FILES {
        assert_eq!(read(run, &file.to_string()).unwrap(), number);
    }
    let made: Vec<_> = names(run, ".")
        .into_iter()
        .filter(|name| name.starts_with("made"))
        .collect();
    assert_eq!(made, [format!("made-{number}")]);
    assert_eq!(read(run, &format!("made-{number}/x")).unwrap(), number);
    number.parse().unwrap()
}
