//! How large the program may be, and how long it may take to start.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use rustix::fs::{Advice, fadvise};

use super::answer;
use super::release::Release;
use crate::say;

/// How many bytes the program may have.
const MOST_BYTES: u64 = 45 << 20;
/// How long `ampoule --version` may take.
const MOST_FOR_VERSION: Duration = Duration::from_millis(10);
/// How long a script that does nothing may take, its guest's code being compiled and not read by
/// this process yet.
const MOST_FOR_RUN: Duration = Duration::from_millis(60);
/// How often each is measured; the one in the middle counts.
const ROUNDS: usize = 21;

/// What a release takes.
#[derive(Debug)]
pub(super) struct ReleaseSize {
    bytes: u64,
    version: Duration,
    run: Duration,
}

/// Measures it, and says what it found.
pub(super) fn measure(release: &Release) -> Result<ReleaseSize> {
    let home = tempfile::tempdir()?;
    let bytes = fs::metadata(release.program())?.len();
    say(&format!(
        "the program has {:.1} MiB, and needs a C library from {}.{} on",
        bytes as f64 / f64::from(1 << 20),
        release.needs.glibc.0,
        release.needs.glibc.1
    ));
    let version = middle(release, home.path(), &["--version"])?;
    say(&format!("`--version`: {version:.1?}"));
    let mut warm = release.command()?;
    answer(
        warm.args(["warm", "--language", "javascript"])
            .env("XDG_CACHE_HOME", home.path()),
    )?;
    let script = ["run", "-e", "return 1"];
    let run = middle(release, home.path(), &script)?;
    forget(home.path())?;
    let from_disk = once(release, home.path(), &script)?;
    say(&format!(
        "`run -e 'return 1'`: {run:.1?}, and {from_disk:.1?} where the compiled code is not in memory"
    ));
    Ok(ReleaseSize {
        bytes,
        version,
        run,
    })
}

impl ReleaseSize {
    /// Fails where it is too much.
    pub(super) fn hold(&self) -> Result<()> {
        ensure!(
            self.bytes <= MOST_BYTES,
            "the program is too large: {} bytes, at most {MOST_BYTES}",
            self.bytes
        );
        for (what, took, most) in [
            ("`--version`", self.version, MOST_FOR_VERSION),
            ("`run`", self.run, MOST_FOR_RUN),
        ] {
            ensure!(
                took <= most,
                "{what} is too slow: {took:?}, at most {most:?}"
            );
        }
        Ok(())
    }
}

/// The time in the middle of many.
fn middle(release: &Release, cache: &Path, arguments: &[&str]) -> Result<Duration> {
    let times = (0..ROUNDS).map(|_| once(release, cache, arguments));
    let mut times = times.collect::<Result<Vec<_>>>()?;
    times.sort();
    Ok(times[ROUNDS / 2])
}

fn once(release: &Release, cache: &Path, arguments: &[&str]) -> Result<Duration> {
    let mut command = release.command()?;
    command
        .args(arguments)
        .env("XDG_CACHE_HOME", cache)
        // The configuration and state of the user that builds must not count.
        .env("HOME", cache)
        .current_dir(cache)
        .stdin(Stdio::null());
    let started = Instant::now();
    answer(&mut command)?;
    Ok(started.elapsed())
}

/// Has the system forget what files below a folder hold.
fn forget(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            forget(&path)?;
        } else if path.extension() == Some(OsStr::new("cwasm")) {
            let file = File::open(&path)?;
            file.sync_all()?;
            fadvise(&file, 0, None, Advice::DontNeed)?;
        }
    }
    Ok(())
}
