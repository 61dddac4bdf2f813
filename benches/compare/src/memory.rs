//! What a driver has in physical memory, with all the processes that its sandboxes are: also those
//! that were made over to others, such as a container's helpers.

use std::collections::{HashMap, HashSet};
use std::fs;

/// How processes of a driver are known: by this variable, or by their parents.
pub(crate) const MARK: &str = "COMPARE_DRIVER";

/// MiB of a driver and of what it started; a page that several map counts once.
pub(crate) fn proportional(driver: u32, mark: &str) -> f64 {
    let mark = format!("{MARK}={mark}");
    let mut children = HashMap::<u32, Vec<u32>>::new();
    let mut found = vec![driver];
    for process in processes() {
        if let Some(parent) = parent(process) {
            children.entry(parent).or_default().push(process);
        }
        let marked = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
        if marked
            .split(|&byte| byte == 0)
            .any(|it| it == mark.as_bytes())
        {
            found.push(process);
        }
    }
    let (mut counted, mut kibibytes) = (HashSet::new(), 0.0);
    while let Some(process) = found.pop() {
        if counted.insert(process) {
            kibibytes += proportional_set(process);
            found.extend(children.get(&process).into_iter().flatten());
        }
    }
    kibibytes / 1024.0
}

fn processes() -> Vec<u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    names.collect()
}

fn parent(process: u32) -> Option<u32> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name before it may hold anything.
    let (_, rest) = text.rsplit_once(") ")?;
    rest.split(' ').nth(1)?.parse().ok()
}

/// None for one that ended meanwhile.
fn proportional_set(process: u32) -> f64 {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
    let mut lines = text.lines().filter_map(|line| line.strip_prefix("Pss:"));
    let size = lines
        .next()
        .and_then(|line| line.split_whitespace().next()?.parse().ok());
    size.unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn processes_are_found_by_their_parents_and_by_their_mark() {
        let alone = proportional(std::process::id(), "nobody's");
        assert!(alone > 0.1);
        let mut child = Command::new("sleep")
            .arg("60")
            .env(MARK, "ours")
            .spawn()
            .unwrap();
        // It is a moment before it has its own environment and pages.
        let deadline = Instant::now() + Duration::from_secs(30);
        let mut marked = 0.0;
        while marked < 0.01 && Instant::now() < deadline {
            marked = proportional(u32::MAX, "ours");
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(marked > 0.01, "{marked}");
    }
}
