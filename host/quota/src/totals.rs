//! What a day has used, in a folder: one signed file, which each process adds to a few times a
//! second, one at a time. Where a process is killed, what it used in the last half second is not
//! counted. What a process knows to have been used stays so, whatever somebody does to the file.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read};
use std::path::Path;

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use ampoule_store::key::{self, Key};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::account::{Counter, Sums};
use crate::clock::Now;
use crate::day::{Day, Today};

/// The file.
const FILE: &str = "totals";
/// How large it may be, in bytes.
const MOST_BYTES: u64 = 32 << 20;
/// How many totals may be in it. Further ones are counted by each process for itself.
const MOST: usize = 50_000;
const HASH_DIGITS: usize = 2 * blake3::OUT_LEN;

/// A folder of totals.
#[derive(Debug)]
pub(crate) struct Totals {
    folder: PrivateFolder,
    key: Key,
    /// One thread at a time, until what was written is no longer new.
    exchanging: Mutex<()>,
}

/// What is in the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    day: Day,
    used: BTreeMap<String, Sums>,
}

impl Totals {
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let folder = PrivateFolder::open(path, OTHERS_REACH)?;
        let key = key::of(&folder)?;
        let key = blake3::derive_key("ampoule quota 1: totals", &key);
        let exchanging = Mutex::new(());
        Ok(Self {
            folder,
            key,
            exchanging,
        })
    }

    /// Whether the file can be used, if there is one. A process does not begin with one that somebody
    /// changed: it would count anew what was used up already.
    pub(crate) fn check(&self) -> io::Result<()> {
        match self.folder.file(FILE) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
            Ok(_) if self.read()?.is_some() => Ok(()),
            Ok(_) => Err(io::Error::other(format!(
                "the totals of quotas, in {}, were changed, or are another version's: remove the file to count today's anew",
                self.folder.path().join(FILE).display()
            ))),
        }
    }

    /// Adds what is new of these counts to the file, and tells them what is there. What is returned
    /// is all that is there, for counts that come later.
    pub(crate) fn exchange(
        &self,
        counters: &[std::sync::Arc<Counter>],
        (today, now): (&mut Today, Now),
    ) -> io::Result<HashMap<String, Sums>> {
        let _alone = self.exchanging.lock();
        // One process at a time.
        let draft = self.folder.draft(FILE, || ())?;
        let mut kept = match self.read()? {
            Some(kept) => {
                today.join(kept.day, now);
                kept
            }
            None => Kept {
                day: today.day,
                used: BTreeMap::new(),
            },
        };
        let day = today.at(now);
        if kept.day != day {
            let count = day.count.max(kept.day.count + 1);
            kept = Kept {
                day: Day { count, ..day },
                used: BTreeMap::new(),
            };
            today.join(kept.day, now);
        }
        let mut is_changed = false;
        let mut taken = Vec::new();
        for counter in counters {
            let mut of = counter.today.lock();
            let of = of.on(kept.day.count);
            let in_file = kept.used.get(&counter.key).copied().unwrap_or_default();
            let sums: Sums =
                std::array::from_fn(|at| in_file[at].max(of.kept[at]).saturating_add(of.new[at]));
            if sums != in_file && (in_file != Sums::default() || kept.used.len() < MOST) {
                is_changed = true;
                kept.used.insert(counter.key.clone(), sums);
                taken.push((counter, sums, of.new));
            } else if sums == in_file {
                of.kept = in_file;
            }
        }
        if is_changed {
            draft.keep(FILE, &self.written(&kept)?)?;
        }
        for (counter, sums, new) in taken {
            let mut of = counter.today.lock();
            let of = of.on(kept.day.count);
            of.kept = sums;
            for (at, new) in new.iter().enumerate() {
                of.new[at] = of.new[at].saturating_sub(*new);
            }
        }
        Ok(kept.used.into_iter().collect())
    }

    fn written(&self, kept: &Kept) -> io::Result<Vec<u8>> {
        let content = serde_json::to_vec(kept)?;
        let hash = blake3::keyed_hash(&self.key, &content);
        let mut file = hash.to_hex().as_bytes().to_vec();
        file.push(b'\n');
        file.extend_from_slice(&content);
        Ok(file)
    }

    /// What is in the file; none if there is none, or it is none of ours.
    fn read(&self) -> io::Result<Option<Kept>> {
        let file = match self.folder.file(FILE) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                tracing::warn!(%error, "the totals of quotas can't be read, and are counted anew");
                return Ok(None);
            }
        };
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes)?;
        let read = bytes
            .split_at_checked(HASH_DIGITS)
            .and_then(|(hash, content)| {
                let content = content.strip_prefix(b"\n")?;
                let hash = blake3::Hash::from_hex(hash).ok()?;
                // Compared in constant time.
                (hash == blake3::keyed_hash(&self.key, content)).then_some(())?;
                serde_json::from_slice(content).ok()
            });
        if read.is_none() {
            tracing::warn!(
                "the totals of quotas are damaged, and are counted anew: somebody changed them, or another version wrote them"
            );
        }
        Ok(read)
    }
}
