//! Files that can be made again, and go once nobody has used them for a month.

use std::fs::{File, Metadata};
use std::time::{Duration, SystemTime};

use crate::folder::PrivateFolder;

/// How long a file is kept after its last use.
const KEPT: Duration = Duration::from_hours(30 * 24);
/// A file that was used less long ago than this is not marked again.
const MARKED: Duration = Duration::from_hours(24);

/// Marks a file as used now. Where that can't be done, it is made again some day.
pub fn mark(file: &File) {
    let unmarked = |found: Metadata| age(&found).is_some_and(|age| age > MARKED);
    if file.metadata().is_ok_and(unmarked)
        && let Err(error) = file.set_modified(SystemTime::now())
    {
        tracing::debug!(%error, "a file can't be marked as used");
    }
}

/// Removes the folder's files with this extension that nobody has used for a month, and what killed
/// processes left half written. Whatever else is there stays.
pub fn sweep(folder: &PrivateFolder, extension: &str) {
    folder.sweep_drafts();
    let old = |name: &str| {
        let found = folder.metadata(name);
        found.is_ok_and(|found| age(&found).is_some_and(|age| age > KEPT))
    };
    for name in folder.names().unwrap_or_default() {
        let ours = name
            .rsplit_once('.')
            .is_some_and(|(_, found)| found == extension);
        if ours && old(&name) {
            match folder.clear(&name) {
                Ok(()) => tracing::debug!(name, "removed, because it was unused for too long"),
                Err(error) => tracing::debug!(name, %error, "a file can't be removed"),
            }
        }
    }
}

/// How long ago a file was used; none where the clock went back.
fn age(file: &Metadata) -> Option<Duration> {
    file.modified().ok()?.elapsed().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::OTHERS_WRITE;

    #[test]
    fn files_go_a_month_after_their_last_use() {
        let parent = tempfile::tempdir().unwrap();
        let folder = PrivateFolder::open(parent.path(), OTHERS_WRITE).unwrap();
        for (name, days) in [
            ("new.code", 0),
            ("old.code", 31),
            ("used.code", 31),
            ("old.other", 31),
        ] {
            let file = File::create(parent.path().join(name)).unwrap();
            let used = SystemTime::now() - Duration::from_hours(24 * days);
            file.set_modified(used).unwrap();
        }
        mark(&folder.file("used.code").unwrap());
        sweep(&folder, "code");
        let mut left = folder.names().unwrap();
        left.sort();
        assert_eq!(left, ["new.code", "old.other", "used.code"]);
    }
}
