//! What no clock disturbs, held to tables: instructions of the host, KiB that a live isolate has to
//! itself, bytes of guests and of the binary. What makes them more, or less, shows there. `BLESS=1`
//! writes the tables anew.
//!
//! Instructions are counted in this profile, as this machine's compiler made them: after a change
//! of the Rust version, write them with `BLESS=1`. A run under callgrind differs from the next by
//! less than one percent.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs, thread};

use ampoule_tests::{binary, installed, repository};

const PROGRAM: &str = env!("CARGO_BIN_EXE_ratchets");

/// What is counted, and how often it is done in the shorter of two processes.
const COUNTED: [(&str, u64); 4] = [
    ("instantiate", 50),
    ("run", 50),
    // A thousand calls each.
    ("dispatch", 2),
    // Twenty tools each.
    ("projection", 1),
];

/// By how many percent instructions may differ from the table.
const TOLERANCE: u64 = 5;

/// How many isolates are alive at once.
const ALIVE: &str = "200";

#[test]
fn the_host_takes_the_instructions_that_it_took() {
    let test = "the_host_takes_the_instructions_that_it_took";
    let Some(valgrind) = installed(test, "valgrind") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let under = |tool: &[&str], what: &str, times: u64| {
        let mut command = Command::new(&valgrind);
        command.arg("-q").args(tool).arg(PROGRAM);
        // Code that is compiled for this machine's own processor can't be loaded there.
        command.env("XDG_CACHE_HOME", folder.path());
        let ran = command.args([what, &times.to_string()]).output();
        let ran = ran.expect("a process");
        assert!(ran.status.success(), "{what}: {ran:?}");
    };
    thread::scope(|at_once| {
        for what in ["run", "dispatch"] {
            let under = &under;
            at_once.spawn(move || under(&["--tool=none"], what, 1));
        }
    });
    let instructions = |what: &str, times: u64| {
        let out = folder.path().join(format!("{what}-{times}"));
        let file = format!("--callgrind-out-file={}", out.display());
        under(
            &["--tool=callgrind", "--separate-threads=yes", &file],
            what,
            times,
        );
        // The first thread's. Another one tells the time, so what it does depends on that.
        let profile = fs::read_to_string(out.with_file_name(format!("{what}-{times}-01")));
        of_the_host(&profile.expect("a profile"))
    };
    let each = |what: &'static str, times: u64| {
        // What a process does once is in both.
        let twice = thread::scope(|at_once| {
            let longer = at_once.spawn(|| instructions(what, 2 * times));
            let shorter = instructions(what, times);
            longer.join().expect("a count") - shorter
        });
        twice / times
    };
    let counted = COUNTED.map(|(what, times)| {
        // What a thread is woken for depends on the clock, and only adds: the least of three counts.
        let mut least = each(what, times);
        for _ in 0..2 {
            if env::var_os("BLESS").is_none() && !differs("instructions.txt", what, least) {
                break;
            }
            least = least.min(each(what, times));
        }
        (what, least)
    });
    held("instructions.txt", &counted, TOLERANCE);
}

/// The instructions in a profile of callgrind's, but for those of compiled WebAssembly, which
/// belongs to no file.
fn of_the_host(profile: &str) -> u64 {
    let mut files: BTreeMap<&str, &str> = BTreeMap::new();
    let (mut is_host, mut inclusive, mut sum) = (false, false, 0);
    for line in profile.lines() {
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        match key {
            // `(2) path`, and from then on `(2)`.
            "ob" | "cob" => {
                let (id, path) = value.split_once(' ').unwrap_or((value, ""));
                let path = match path {
                    "" => files.get(id).copied().unwrap_or("???"),
                    path => {
                        files.insert(id, path);
                        path
                    }
                };
                is_host = if key == "ob" { path != "???" } else { is_host };
            }
            "calls" => inclusive = true,
            _ if line
                .starts_with(|first: char| "+-*".contains(first) || first.is_ascii_digit()) =>
            {
                let cost = line
                    .split(' ')
                    .nth(1)
                    .and_then(|cost| cost.parse::<u64>().ok());
                // The line after a call has what the callee took, which is counted there.
                sum += cost.filter(|_| is_host && !inclusive).unwrap_or_default();
                inclusive = false;
            }
            _ => {}
        }
    }
    sum
}

#[test]
fn of_a_profile_the_hosts_own_instructions_count() {
    let profile = "ob=(1) /bin/host\nfl=(1) a.rs\nfn=(1) f\n10 5\n+2 7\n\
        cob=(2) ???\ncfn=(2) compiled\ncalls=1 0\n12 1000\n-3 1\n\n\
        ob=(2)\nfn=(2)\n0 1000\n\nob=(1)\nfn=(3) g\n* 3\ntotals: 1016\n";
    assert_eq!(of_the_host(profile), 5 + 7 + 1 + 3);
}

#[test]
fn live_isolates_take_the_memory_that_they_took() {
    let warm = Command::new(binary()).arg("warm").output();
    assert!(warm.expect("a process").status.success());
    let taken = ["live/javascript", "live/python"].map(|what| {
        let said = Command::new(PROGRAM).args([what, ALIVE]).output();
        let said = said.expect("a process");
        assert!(said.status.success(), "{what}: {said:?}");
        let said = String::from_utf8(said.stdout).expect("text");
        let each = said.trim().parse().expect("a number");
        (what, each)
    });
    held("memory.txt", &taken, 10);
}

#[test]
fn guests_and_the_binary_are_as_large_as_they_were() {
    let size = |path: &Path| fs::metadata(path).map(|file| file.len());
    let guest = |name: &'static str| {
        let size = size(&repository().join("guests/dist").join(name));
        (name, size.expect("a guest"))
    };
    let guests = ["javascript.wasm.zst", "python.wasm.zst"].map(guest);
    held("guests.txt", &guests, 3);
    // Where nobody has built it, there is nothing to look at.
    let this = env::current_exe().expect("this test's path");
    let target = this.ancestors().find(|folder| folder.ends_with("target"));
    let release = target.map(|target| size(&target.join("release/ampoule")));
    if let Some(Ok(release)) = release {
        held("release.txt", &[("ampoule", release)], 5);
    }
}

/// Whether so many instructions are not what the table has.
fn differs(table: &str, name: &str, value: u64) -> bool {
    let expected = rows(table).into_iter().find(|(row, _)| row == name);
    expected.is_none_or(|(_, was)| is_off(value, was, TOLERANCE))
}

fn is_off(value: u64, was: u64, tolerance: u64) -> bool {
    value.abs_diff(was) * 100 > tolerance * was
}

/// The rows of the table of this name.
fn rows(table: &str) -> Vec<(String, u64)> {
    let file = repository().join("benches/ratchets").join(table);
    let text = fs::read_to_string(file).expect("the table");
    let rows = text.lines().map(|line| {
        let (value, name) = line.trim().split_once(' ').expect("a number and a name");
        (name.to_owned(), value.parse().expect("a number"))
    });
    rows.collect()
}

/// Holds what was measured to the table of this name; it may differ by so many percent.
fn held(table: &str, measured: &[(&str, u64)], tolerance: u64) {
    let file = repository().join("benches/ratchets").join(table);
    if env::var_os("BLESS").is_some() {
        let mut text = String::new();
        for (name, value) in measured {
            writeln!(text, "{value:>12} {name}").expect("a string");
        }
        return fs::write(file, text).expect("the table");
    }
    let expected = rows(table);
    assert!(
        measured
            .iter()
            .map(|(name, _)| *name)
            .eq(expected.iter().map(|(name, _)| name.as_str())),
        "{table} has other rows; BLESS=1 writes it anew"
    );
    let differ = measured
        .iter()
        .zip(&expected)
        .filter(|((_, value), (_, was))| is_off(*value, *was, tolerance))
        .map(|((name, value), (_, was))| format!("{name}: {value}, and was {was}"));
    let differ: Vec<_> = differ.collect();
    assert!(
        differ.is_empty(),
        "{table}:\n{}\nBLESS=1 takes what is said above as right",
        differ.join("\n")
    );
}
