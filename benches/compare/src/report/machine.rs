//! What a report's figures come from: machine, commit, command.

use std::fmt;
use std::fs;
use std::process::Command;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Machine {
    pub(super) processor: String,
    pub(super) cores: usize,
    pub(super) memory_gib: f64,
    pub(super) kernel: String,
    pub(super) commit: String,
    pub(super) profile: String,
    pub(super) command: String,
    /// What the machine had to do besides, when it was over.
    pub(super) load: String,
}

impl Machine {
    pub(super) fn this(command: &str) -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let field = |text: &str, name: &str| {
            let line = text.lines().find(|line| line.starts_with(name));
            let (_, value) = line?.split_once(':')?;
            Some(value.trim().to_owned())
        };
        let kibibytes = field(&read("/proc/meminfo"), "MemTotal");
        let kibibytes: f64 = kibibytes
            .and_then(|text| text.split(' ').next()?.parse().ok())
            .unwrap_or_default();
        Self {
            processor: field(&read("/proc/cpuinfo"), "model name").unwrap_or_default(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_gib: (kibibytes / 1024.0 / 1024.0).round(),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            commit: commit().unwrap_or_else(|| "unknown".to_owned()),
            profile: match cfg!(debug_assertions) {
                true => "dev".to_owned(),
                false => "release".to_owned(),
            },
            command: command.to_owned(),
            load: read("/proc/loadavg")
                .split(' ')
                .take(2)
                .collect::<Vec<_>>()
                .join(" "),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            processor,
            cores,
            memory_gib,
            kernel,
            commit,
            profile,
            command,
            load,
        } = self;
        write!(
            f,
            "measured by `{command}` at commit {commit}, profile {profile}, on {cores} cores ({processor}), {memory_gib} GiB, Linux {kernel}, load at the end {load}"
        )
    }
}

fn commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        let output = git
            .args(arguments)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .ok()?;
        String::from_utf8(output.stdout).ok()
    };
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?.trim().to_owned();
    let changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    let more = if changed { ", with changes" } else { "" };
    (!commit.is_empty()).then(|| format!("{commit}{more}"))
}
