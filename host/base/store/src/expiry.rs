//! Files that can be made again, and go once nobody has used them for a month or another time, or
//! others need the room.

use std::fs::{File, Metadata};
use std::io;
use std::time::{Duration, SystemTime};

use crate::folder::PrivateFolder;

/// How long a file is kept after its last use, unless somebody says otherwise.
pub const KEPT: Duration = Duration::from_hours(30 * 24);
/// A file that was used less long ago than this is not marked again.
const MARKED: Duration = Duration::from_hours(24);

/// Marks a file as used now. Where that can't be done, it is made again some day.
pub fn mark(file: &File) {
    mark_kept_for(file, KEPT);
}

/// The same of a file that is kept for this time after its last use.
pub fn mark_kept_for(file: &File, kept: Duration) {
    if file
        .metadata()
        .is_ok_and(|found| is_to_be_marked(&found, kept))
        && let Err(error) = file.set_modified(SystemTime::now())
    {
        tracing::debug!(%error, "a file can't be marked as used");
    }
}

/// Whether a use of a file that is kept for this time is to be noted: not each one is.
pub fn is_to_be_marked(found: &Metadata, kept: Duration) -> bool {
    age(found).is_some_and(|age| age > MARKED.min(kept / 8))
}

/// Whether nobody has used a file for longer than it is kept.
pub fn is_over(found: &Metadata, kept: Duration) -> bool {
    age(found).is_some_and(|age| age > kept)
}

/// Removes the folder's files with this extension that nobody has used for a month, and what killed
/// processes left half written. Whatever else is there stays.
pub fn sweep(folder: &PrivateFolder, extension: &str) {
    sweep_kept_for(folder, extension, KEPT);
}

/// The same with another time than a month.
pub fn sweep_kept_for(folder: &PrivateFolder, extension: &str, kept: Duration) {
    folder.sweep_drafts();
    let old = |name: &str| {
        let found = folder.metadata(name);
        found.is_ok_and(|found| is_over(&found, kept))
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

/// How many files there may be, and how many bytes they may have together.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    /// How many files.
    pub files: usize,
    /// How many bytes.
    pub bytes: u64,
}

/// Removes those of the folder's files with these names that were used longest ago, until the others
/// fit into the room.
///
/// # Errors
///
/// A file can't be removed.
pub fn fit(
    folder: &PrivateFolder,
    names: impl IntoIterator<Item = String>,
    room: Room,
) -> io::Result<()> {
    let files = names.into_iter().filter_map(|name| {
        let found = folder.metadata(&name).ok()?;
        let used = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        Some((used, name, found.len()))
    });
    let mut files: Vec<_> = files.collect();
    files.sort_unstable();
    let mut bytes: u64 = files.iter().map(|(.., bytes)| bytes).sum();
    let mut count = files.len();
    for (_, name, own) in files {
        if count <= room.files && bytes <= room.bytes {
            break;
        }
        folder.clear(&name)?;
        (count, bytes) = (count - 1, bytes - own);
    }
    Ok(())
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

    #[test]
    fn what_was_used_longest_ago_goes_until_the_rest_fits() {
        let parent = tempfile::tempdir().unwrap();
        let folder = PrivateFolder::open(parent.path(), OTHERS_WRITE).unwrap();
        let names = ["a", "b", "c", "d"].map(str::to_owned);
        for (age, name) in names.iter().enumerate() {
            let file = File::create(parent.path().join(name)).unwrap();
            file.set_len(10).unwrap();
            let used = SystemTime::now() - Duration::from_hours(1 + age as u64);
            file.set_modified(used).unwrap();
        }
        let fits = |files, bytes| {
            fit(&folder, names.clone(), Room { files, bytes }).unwrap();
            let mut left = folder.names().unwrap();
            left.sort();
            left.concat()
        };
        assert_eq!(fits(4, 40), "abcd");
        assert_eq!(fits(3, 40), "abc");
        assert_eq!(fits(3, 29), "ab");
        assert_eq!(fits(0, 29), "");
    }
}
