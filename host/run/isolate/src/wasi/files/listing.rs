//! The entries of a folder, all of them: a listing of WASI may take as long as the guest likes, and
//! the system's own would need a file that is open for as long.

use std::fs::File;

use ampoule_effort as effort;
use ampoule_limits::LimitError;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;

use crate::host_memory::Hold;
use crate::wasi::account::Account;

/// What the host keeps of an entry besides its name, in bytes.
const ENTRY_BYTES: u64 = 64;

/// What is in a folder. What the host holds of it counts for as long as this lives.
pub(super) struct Listing {
    pub(super) entries: std::vec::IntoIter<Entry>,
    _hold: Hold,
}

pub(super) struct Entry {
    /// None if it is not text: WASI has no other names.
    pub(super) name: Option<String>,
    pub(super) kind: FileType,
}

/// Why a folder can't be listed.
pub(super) enum ListingError {
    /// The guest gets this.
    System(std::io::Error),
    /// The run ends.
    Limit(LimitError),
}

impl From<Errno> for ListingError {
    fn from(error: Errno) -> Self {
        Self::System(error.into())
    }
}

impl From<LimitError> for ListingError {
    fn from(hit: LimitError) -> Self {
        Self::Limit(hit)
    }
}

impl Account {
    /// Lists a folder. It ends early where the run does.
    pub(super) fn list(&self, folder: &File) -> Result<Listing, ListingError> {
        let mut hold = self.held.hold(0)?;
        let mut entries = Vec::new();
        // The folder's own file may be one that nothing can be read from, and has one position for
        // all listings.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let mut read = Dir::new(openat(folder, c".", flags, Mode::empty())?)?;
        while let Some(entry) = read.read() {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            self.spend(effort::REQUEST)?;
            hold.grow(ENTRY_BYTES + name.to_bytes().len() as u64)?;
            let kind = match entry.file_type() {
                FileType::Unknown => {
                    // Not all file systems tell it with the name.
                    let found = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
                    found.map_or(FileType::Unknown, |it| FileType::from_raw_mode(it.st_mode))
                }
                kind => kind,
            };
            let name = name.to_str().ok().map(str::to_owned);
            entries.push(Entry { name, kind });
        }
        Ok(Listing {
            entries: entries.into_iter(),
            _hold: hold,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ampoule_effort::Effort;
    use ampoule_limits::{Limit, Limits};

    use super::*;
    use crate::host_memory::HeldBytes;

    fn account(limits: Limits, fuel: u64) -> Account {
        Account {
            held: Arc::new(HeldBytes::new(limits)),
            effort: Effort::of(fuel),
            limits,
        }
    }

    #[test]
    fn a_listing_is_bounded_and_counts_while_it_lives() {
        let folder = tempfile::tempdir().expect("a folder");
        for at in 0..100 {
            std::fs::write(folder.path().join(format!("file-{at:03}")), "").expect("a file");
        }
        std::fs::create_dir(folder.path().join("folder-1")).expect("a folder");
        let file = File::open(folder.path()).expect("it is open");
        let listed = account(Limits::default(), u64::MAX);
        let before = listed.held.left();
        let mut listing = listed
            .list(&file)
            .unwrap_or_else(|_| panic!("it is listed"));
        assert_eq!(before - listed.held.left(), 101 * (ENTRY_BYTES + 8));
        assert_eq!(listed.effort.take_spent(), 101 * effort::REQUEST);
        assert_eq!(listing.entries.len(), 101);
        let is_folder = |entry: &Entry| entry.name.as_deref() == Some("folder-1");
        let found = listing.entries.find(is_folder).expect("it is there");
        assert_eq!(found.kind, FileType::Directory);
        drop(listing);
        assert_eq!(before, listed.held.left());

        let hit = |account: Account| match account.list(&file) {
            Err(ListingError::Limit(hit)) => hit.limit,
            _ => panic!("it has no limit"),
        };
        let little = Limits {
            host_bytes: 100 * (ENTRY_BYTES + 8),
            ..Limits::default()
        };
        assert_eq!(hit(account(little, u64::MAX)), Limit::HostBytes);
        let fuel = 100 * effort::REQUEST;
        assert_eq!(hit(account(Limits::default(), fuel)), Limit::Fuel);
    }
}
