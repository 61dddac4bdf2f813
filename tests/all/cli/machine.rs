//! `ampoule run` on a machine that gives less than it should: a folder for a file, little address
//! space, damaged compiled code, an end before its time.

use std::path::PathBuf;
use std::time::Duration;

use ampoule_tests::binary;
use ampoule_tests::command::{Workplace, ended};
use ampoule_tests::components::component;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};

#[tokio::test]
async fn runs_go_on_where_address_space_is_short() {
    let workplace = Workplace::default();
    let script = "ulimit -v 3000000; exec \"$0\" run -e 'return \"x\".repeat(2e7).length'";
    let binary = binary();
    let ran =
        ended(workplace.command("sh", &["-c", script, binary.to_str().expect("a path")])).await;
    assert_eq!(ran.json(), 20_000_000, "{ran:?}");
    assert!(ran.stderr.contains("no pool of isolates"), "{ran:?}");
}

#[tokio::test]
async fn a_run_that_is_told_to_stop_says_how_far_it_came() {
    let workplace = Workplace::default();
    let script = "console.log('before'); for (;;);";
    for json in [false, true] {
        let mut arguments = vec!["run", "-e", script];
        // As JSON, everything comes at the end; until then the script waits.
        let waiting = "console.log('before'); await new Promise(go => setTimeout(go, 60_000));";
        if json {
            arguments = vec!["run", "--json", "-e", waiting];
        }
        let mut child = workplace
            .command(binary(), &arguments)
            .spawn()
            .expect("a process");
        let mut stdout = BufReader::new(child.stdout.take().expect("its output"));
        let mut text = String::new();
        match json {
            false => drop(stdout.read_line(&mut text).await.expect("a line")),
            true => tokio::time::sleep(Duration::from_secs(3)).await,
        }
        let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        kill_process(id.expect("its id"), Signal::TERM).expect("it is there");
        stdout.read_to_string(&mut text).await.expect("its output");
        let ended = child.wait_with_output().await.expect("its end");
        let stderr = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(143), "{stderr}");
        if json {
            let said: Value = serde_json::from_str(&text).unwrap_or_else(|_| panic!("{text}"));
            assert_eq!(said["ending"], "cancelled");
            assert_eq!(said["output"][0]["text"], "before");
            assert!(said["usage"]["fuel"].as_u64().expect("fuel") > 1000);
        } else {
            assert_eq!(text, "before\n");
            assert!(stderr.contains("the run was cancelled"), "{stderr}");
            assert!(stderr.contains("units of fuel"), "{stderr}");
        }
    }
}

/// The files of compiled code below a cache folder.
fn compiled(workplace: &Workplace) -> Vec<PathBuf> {
    let folder = workplace.path().join("cache/ampoule/code");
    let files = std::fs::read_dir(folder).expect("the cache");
    files.map(|file| file.expect("a file").path()).collect()
}

#[tokio::test]
async fn damaged_code_in_the_cache_is_built_again() {
    let workplace = Workplace::without_compiled_code();
    // Its code is kept as that of a guest is, and is compiled at once.
    let echo = component("(call $return (i32.const 0) (local.get $at) (local.get $length))");
    workplace.file("echo.wasm", echo);
    let run = || workplace.run(&["run", "echo.wasm", "--arguments", "42"]);
    assert_eq!(run().await.json(), 42);
    let [file] = &compiled(&workplace)[..] else {
        panic!("{:?}", compiled(&workplace));
    };
    let sound = std::fs::read(file).expect("compiled code");
    let mut damaged = sound.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 64].fill(0xcc);
    std::fs::write(file, &damaged).expect("it is ours");
    let ran = run().await;
    assert_eq!(ran.json(), 42);
    assert!(
        ran.stderr.contains("compiled code is not trusted"),
        "{ran:?}"
    );
    let [file] = &compiled(&workplace)[..] else {
        panic!("{:?}", compiled(&workplace));
    };
    assert_eq!(std::fs::read(file).expect("compiled code"), sound);
}

#[tokio::test]
async fn a_fault_of_the_host_has_a_code_of_its_own() {
    let workplace = Workplace::default();
    let folder = std::fs::File::open(workplace.path()).expect("a folder");
    let mut command = workplace.command(binary(), &["run", "-"]);
    command.stdin(folder);
    let ran = ended(command).await;
    assert_eq!(ran.code, Some(5), "{ran:?}");
    assert!(ran.stderr.contains("directory"), "{ran:?}");
}
