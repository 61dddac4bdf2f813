//! Files that can be made again, and go once nobody has used them for a month.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How long a file is kept after its last use.
const KEPT: Duration = Duration::from_hours(30 * 24);
/// A file that was used less long ago than this is not marked again.
const MARKED: Duration = Duration::from_hours(24);

/// Marks a file as used now. Where that can't be done, it is made again some day.
pub(crate) fn mark(file: &Path) {
    if age(file).is_some_and(|age| age > MARKED)
        && let Err(error) = File::open(file).and_then(|open| open.set_modified(SystemTime::now()))
    {
        tracing::debug!(file = %file.display(), %error, "the file can't be marked as used");
    }
}

/// Removes the folder's files with this extension that nobody has used for a month. Whatever else is there stays.
pub(crate) fn sweep(folder: &Path, extension: &str) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for file in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let old = age(&file).is_some_and(|age| age > KEPT);
        if old && file.extension().is_some_and(|found| found == extension) {
            match fs::remove_file(&file) {
                Ok(()) => tracing::debug!(file = %file.display(), "removed, as nobody used it"),
                Err(error) => {
                    tracing::debug!(file = %file.display(), %error, "the file can't be removed")
                }
            }
        }
    }
}

/// How long ago a file was used; none where it is no file, or the clock went back.
fn age(file: &Path) -> Option<Duration> {
    let metadata = fs::symlink_metadata(file).ok()?;
    if !metadata.is_file() {
        return None;
    }
    metadata.modified().ok()?.elapsed().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &Path, name: &str, days: u64) {
        let file = File::create(folder.join(name)).unwrap();
        let used = SystemTime::now() - Duration::from_hours(24 * days);
        file.set_modified(used).unwrap();
    }

    #[test]
    fn files_go_a_month_after_their_last_use() {
        let folder = tempfile::tempdir().unwrap();
        for (name, days) in [
            ("new.code", 0),
            ("old.code", 31),
            ("used.code", 31),
            ("old.other", 31),
        ] {
            file(folder.path(), name, days);
        }
        mark(&folder.path().join("used.code"));
        mark(&folder.path().join("absent.code"));
        sweep(folder.path(), "code");
        let mut left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        left.sort();
        assert_eq!(left, ["new.code", "old.other", "used.code"]);
    }
}
