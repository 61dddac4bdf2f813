//! Archives of packages with something changed: what an operator may add by mistake, or what somebody
//! gives them. Each is used as it is, or refused with a sentence; other runs are as before.

#![expect(clippy::print_stderr, reason = "figures")]

use ampoule::{Error, PackageFolder, Runtime, RuntimeBuilder, Script, WheelName};
use ampoule_mutated::Random;
use ampoule_tests::runtime_builder;

use super::{from_environment, pick, still_sound};
use crate::packages::{Wheel, changed_tarball};

/// How many archives of each kind are tried.
const CASES: u64 = 40;
/// Names of files that have led out of folders, or hidden others.
const NAMES: [&str; 14] = [
    "../out.py",
    "/abs.py",
    "a/../../out.py",
    "C:\\x.py",
    "a\\..\\..\\b.py",
    "json.py",
    "tools/__init__.py",
    "a\0b.py",
    "\u{202e}yp.py",
    "greeting/__init__.py",
    ".pth",
    "a.so",
    "./greeting/words.py",
    "package/../../../x.js",
];
/// What files have in them.
const CONTENTS: [&str; 6] = [
    "",
    "x = 1\n",
    "while True: pass\n",
    "for (;;);",
    "raise SystemExit(3)\n",
    "{\"name\": \"greeting\", \"main\": \"../../x\"}",
];

/// Changes a few bytes of an archive.
fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(6) {
            0 => bytes[at] = random.draw().to_le_bytes()[0],
            1 => bytes[at] ^= 1 << random.below(8),
            2 => drop(bytes.drain(at..bytes.len().min(at + 1 + random.below(16)))),
            3 => bytes.truncate(at.max(1)),
            4 => {
                let end = bytes.len().min(at + random.below(64));
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            // The sizes and places that the end of an archive says.
            _ => {
                let place = bytes.len() - 1 - random.below(bytes.len().min(80));
                bytes[place] = [0, 0xff, 0x7f, 0x80][random.below(4)];
            }
        }
    }
}

/// A name and a content, to be put into an archive.
fn odd(random: &mut Random) -> (&'static str, &'static str) {
    (pick(random, &NAMES), pick(random, &CONTENTS))
}

fn wheel(random: &mut Random) -> Vec<u8> {
    let mut wheel = Wheel::new("greeting")
        .file("greeting/__init__.py", "from .words import HELLO\n")
        .file("greeting/words.py", "HELLO = 'Hello'\n");
    for _ in 0..random.below(3) {
        let (name, content) = odd(random);
        wheel = match random.below(2) {
            0 => wheel.file(name, content),
            _ => wheel.unrecorded(name, content),
        };
    }
    let mut bytes = wheel.bytes();
    if random.below(3) > 0 {
        mutate(&mut bytes, random);
    }
    bytes
}

fn with_wheel(builder: RuntimeBuilder, folder: PackageFolder, bytes: &[u8]) -> RuntimeBuilder {
    let name = WheelName::of("greeting-1.0-py3-none-any.whl").expect("a name");
    let package = folder.keep_wheel(&name, bytes).expect("it is kept");
    builder.python_packages(folder, vec![package])
}

fn with_tarball(builder: RuntimeBuilder, folder: PackageFolder, bytes: &[u8]) -> RuntimeBuilder {
    let package = folder.keep_tarball("greeting", "1.0.0", bytes);
    builder.javascript_packages(folder, vec![package.expect("it is kept")])
}

/// Whether the archive can be used.
async fn is_used(runtime: &Runtime, script: Script, seed: u64) -> bool {
    match runtime.isolate(script).run().await {
        Ok(outcome) => {
            let ending = outcome.ending.name();
            assert!(
                ["returned", "threw"].contains(&ending),
                "AMPOULE_FUZZ_SEED={seed}: {}",
                outcome.ending
            );
            ending == "returned"
        }
        Err(error) => {
            assert!(error.is_config(), "AMPOULE_FUZZ_SEED={seed}: {error:?}");
            let said = Error::to_string(&error);
            assert!(
                !said.contains(|c: char| c.is_control() && c != '\n'),
                "AMPOULE_FUZZ_SEED={seed}: {said:?}"
            );
            false
        }
    }
}

#[tokio::test]
async fn changed_archives_are_used_or_refused() {
    let first = from_environment("AMPOULE_FUZZ_SEED", 0);
    let count = from_environment("AMPOULE_FUZZ_CASES", CASES);
    let mut used = [0, 0];
    for seed in first..first + count {
        let mut random = Random::new(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let packages = || PackageFolder::new(folder.path().join("packages"));
        let python = with_wheel(runtime_builder(), packages(), &wheel(&mut random));
        let runtime = python.build().expect("a runtime");
        let script = Script::python("from greeting import HELLO\nreturn HELLO");
        used[0] += u64::from(is_used(&runtime, script, seed).await);
        let mut odds = Vec::new();
        for _ in 0..random.below(3) {
            odds.push(odd(&mut random));
        }
        let mut bytes = changed_tarball(&odds);
        if random.below(3) > 0 {
            mutate(&mut bytes, &mut random);
        }
        let javascript = with_tarball(runtime_builder(), packages(), &bytes);
        let runtime = javascript.build().expect("a runtime");
        let script = Script::typescript("import { greet } from 'greeting'; return greet('x')");
        used[1] += u64::from(is_used(&runtime, script, seed).await);
        let left = std::fs::read_dir(folder.path()).expect("a folder").count();
        assert_eq!(left, 1, "AMPOULE_FUZZ_SEED={seed}: something was unpacked");
        if seed % 20 == 0 {
            still_sound().await;
        }
    }
    eprintln!("{count} archives of each kind; {used:?} could be used");
    assert!(
        used.iter().all(|used| *used > 0 && *used < count),
        "{used:?}"
    );
}
