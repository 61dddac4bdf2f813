//! What a day has used, in a folder: one signed file, which each process adds to a few times a
//! second, one at a time. Where a process is killed, what it used in the last half second is not
//! counted. What a process knows to have been used stays so, whatever somebody does to the file.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use ampoule_store::key::{self, Key};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::account::{Counter, OTHERS, Sums};
use crate::clock::Moment;
use crate::day::{CurrentDay, Day};

/// The file.
const FILE: &str = "totals";
/// How large it may be, in bytes: more than as many as there may be take.
const MOST_BYTES: u64 = 32 << 20;
/// How many totals may be in it, besides those of [`others`]. Further ones of a rule share one.
const MOST: usize = if cfg!(test) { 5_000 } else { 50_000 };
const HASH_DIGITS: usize = 2 * blake3::OUT_LEN;

/// A folder of totals.
#[derive(Debug)]
pub(crate) struct Totals {
    folder: PrivateFolder,
    key: Key,
    /// One thread at a time, until what was written is no longer new.
    exchanging: Mutex<()>,
    /// Whether the log says that there is no room.
    is_told: AtomicBool,
}

/// What the folder had when it was last looked at: on which day, and what was used.
#[derive(Debug, Clone, Default)]
pub(crate) struct KnownTotals {
    pub(crate) day: u64,
    used: Arc<HashMap<String, Sums>>,
}

impl KnownTotals {
    /// What was used of a count; of one for which there is no room, what all of those have used.
    pub(crate) fn of(&self, key: &str) -> Option<Sums> {
        let key = key_of(key, self.used.contains_key(key), self.used.len());
        self.used.get(&*key).copied()
    }
}

/// Under which key a count is kept: `is_there` and `kept` say whether it is, and how many are. Where
/// there is no room for it, it is that of all for whom there is none: nobody is given a count of
/// their own by coming late.
fn key_of(key: &str, is_there: bool, kept: usize) -> Cow<'_, str> {
    match is_there || kept < MOST {
        true => Cow::Borrowed(key),
        false => Cow::Owned(others(key)),
    }
}

/// The key of those of a rule for whom there is no room. The rule is the first line of each key.
fn others(key: &str) -> String {
    let rule = key.split('\n').next().unwrap_or_default();
    [rule, OTHERS, ""].join("\n")
}

/// What is in the file.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TotalsFile {
    day: Day,
    used: BTreeMap<String, Sums>,
}

impl TotalsFile {
    fn key_of<'k>(&self, key: &'k str) -> Cow<'k, str> {
        key_of(key, self.used.contains_key(key), self.used.len())
    }

    /// What somebody took away, or put back as it was earlier, is there again; whether any was.
    fn join(&mut self, known: &KnownTotals) -> bool {
        let mut is_changed = false;
        for (key, known) in &*known.used {
            let key = self.key_of(key);
            let sums = self.used.get(&*key).copied().unwrap_or_default();
            let most: Sums = std::array::from_fn(|at| sums[at].max(known[at]));
            if most != sums {
                is_changed = true;
                self.used.insert(key.into_owned(), most);
            }
        }
        is_changed
    }
}

impl Totals {
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let folder = PrivateFolder::open(path, OTHERS_REACH)?;
        let key = key::of(&folder)?;
        let key = blake3::derive_key("ampoule quota 1: totals", &key);
        Ok(Self {
            folder,
            key,
            exchanging: Mutex::default(),
            is_told: AtomicBool::default(),
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
                "the totals of quotas, in {}, were changed, or are another version's: remove the file to restart today's count",
                self.folder.path().join(FILE).display()
            ))),
        }
    }

    /// Adds what is new of these counts to the file, and tells them what is there. What is returned
    /// is all that is there, for counts that come later. `known`: what was there before; none of it
    /// is less now.
    pub(crate) fn exchange(
        &self,
        counters: &[Arc<Counter>],
        today: &mut CurrentDay,
        now: Moment,
        known: &KnownTotals,
    ) -> io::Result<KnownTotals> {
        let _alone = self.exchanging.lock();
        // One process at a time.
        let draft = self.folder.draft(FILE, || ())?;
        let mut kept = match self.read()? {
            Some(kept) => {
                today.join(kept.day, now);
                kept
            }
            None => TotalsFile {
                day: today.day,
                used: BTreeMap::new(),
            },
        };
        let day = today.at(now);
        if kept.day != day {
            let count = day.count.max(kept.day.count + 1);
            kept = TotalsFile {
                day: Day { count, ..day },
                used: BTreeMap::new(),
            };
            today.join(kept.day, now);
        }
        let mut is_changed = kept.day.count == known.day && kept.join(known);
        let mut taken = Vec::new();
        for counter in counters {
            let mut of = counter.today.lock();
            let of = of.on(kept.day.count);
            let key = kept.key_of(&counter.key);
            let in_file = kept.used.get(&*key).copied().unwrap_or_default();
            let sums: Sums =
                std::array::from_fn(|at| in_file[at].max(of.kept[at]).saturating_add(of.new[at]));
            if sums == in_file {
                of.kept = in_file;
                continue;
            }
            is_changed = true;
            if matches!(key, Cow::Owned(_)) && !self.is_told.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    "more is counted for quotas in a day than can be kept ({MOST} counts): until tomorrow, new principals share one count in each quota"
                );
            }
            let key = key.into_owned();
            kept.used.insert(key.clone(), sums);
            taken.push((counter, key, of.new));
        }
        if is_changed {
            draft.keep(FILE, &self.written(&kept)?)?;
        }
        for (counter, key, new) in taken {
            let mut of = counter.today.lock();
            let of = of.on(kept.day.count);
            // With what those added who share it.
            of.kept = kept.used.get(&key).copied().unwrap_or_default();
            for (at, new) in new.iter().enumerate() {
                of.new[at] = of.new[at].saturating_sub(*new);
            }
        }
        Ok(KnownTotals {
            day: kept.day.count,
            used: Arc::new(kept.used.into_iter().collect()),
        })
    }

    fn written(&self, kept: &TotalsFile) -> io::Result<Vec<u8>> {
        let content = serde_json::to_vec(kept)?;
        let hash = blake3::keyed_hash(&self.key, &content);
        let mut file = hash.to_hex().as_bytes().to_vec();
        file.push(b'\n');
        file.extend_from_slice(&content);
        Ok(file)
    }

    /// What is in the file; none if there is none, or it is not one of ours.
    fn read(&self) -> io::Result<Option<TotalsFile>> {
        let file = match self.folder.file(FILE) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            // Too many open files, perhaps. What others have used must not be written over.
            Err(error) => return Err(error),
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
                "the totals of quotas are damaged, and start again at zero: somebody changed them, or another version wrote them"
            );
        }
        Ok(read)
    }
}
