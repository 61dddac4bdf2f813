//! `ampoule run` on a machine that gives less than it should: a folder for a file, little address space, damaged compiled code.

use std::path::PathBuf;

use ampoule_tests::binary;
use ampoule_tests::command::{Workplace, ended};

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

/// The files of compiled code below a cache folder.
fn compiled(workplace: &Workplace) -> Vec<PathBuf> {
    let folder = workplace.path().join("cache/ampoule/code");
    let files = std::fs::read_dir(folder).expect("the cache");
    files.map(|file| file.expect("a file").path()).collect()
}

#[tokio::test]
async fn damaged_code_in_the_cache_is_built_again() {
    let workplace = Workplace::default();
    let cached = || {
        let mut command = workplace.command(binary(), &["run", "-e", "return 20 + 22"]);
        command.env("XDG_CACHE_HOME", workplace.path().join("cache"));
        ended(command)
    };
    assert_eq!(cached().await.json(), 42);
    let [file] = &compiled(&workplace)[..] else {
        panic!("{:?}", compiled(&workplace));
    };
    let sound = std::fs::read(file).expect("compiled code");
    let mut damaged = sound.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 64].fill(0xcc);
    std::fs::write(file, &damaged).expect("it is ours");
    let ran = cached().await;
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
