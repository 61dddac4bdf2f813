//! The list of tokens, read whole, and looked up in.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use ampoule_tools::Principal;
use ring::rand::{SecureRandom as _, SystemRandom};

use super::Entry;
use super::secret::Digest;

/// The most tokens that there may be: a team's, many times over.
const MOST_TOKENS: usize = 10_000;

/// What is wrong with a list, and in which line. Nothing of the list is quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListError {
    /// From one.
    line: usize,
    what: String,
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

/// Its lines, each with its number. Empty ones, and comments, say nothing.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate();
    lines.filter_map(|(number, line)| {
        let said = line.trim();
        (!said.is_empty() && !said.starts_with('#')).then_some((number + 1, said))
    })
}

/// Reads all lines, and looks at how they go together.
pub(super) fn read(text: &str) -> Result<Vec<Entry>, ListError> {
    let mut entries = Vec::new();
    let mut places: HashMap<Digest, usize> = HashMap::new();
    let mut known: HashMap<Principal, usize> = HashMap::new();
    for (line, said) in lines(text) {
        let wrong = |what: String| ListError { line, what };
        let entry = Entry::read(said).map_err(|what| wrong(what.to_owned()))?;
        if let Some(other) = places.insert(entry.digest, line) {
            return Err(wrong(format!(
                "this is the token of line {other}; remove one"
            )));
        }
        match known.get_key_value(entry.principal()) {
            None => {
                known.insert(entry.principal().clone(), line);
            }
            Some((other, there)) => differs(other, entry.principal()).map_or(Ok(()), |what| {
                Err(wrong(format!(
                    "line {there} gives the same principal {what}"
                )))
            })?,
        }
        if entries.len() == MOST_TOKENS {
            return Err(wrong(format!("there may be at most {MOST_TOKENS} tokens")));
        }
        entries.push(entry);
    }
    Ok(entries)
}

/// What two tokens of one principal say differently.
fn differs(one: &Principal, other: &Principal) -> Option<&'static str> {
    if one.weight() != other.weight() {
        return Some("another weight; give all of its tokens one");
    }
    let groups = |of: &Principal| of.groups().iter().cloned().collect::<BTreeSet<_>>();
    (groups(one) != groups(other)).then_some("other groups; give all of its tokens the same")
}

/// What there is to say of a token that somebody sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenLookup {
    /// It is theirs.
    Of(Principal),
    /// It was somebody's.
    Expired,
    Unknown,
}

/// The list as it is looked up in.
///
/// What a lookup's time could tell is useless to a sender of tokens: a token is looked up by a
/// keyed hash of its digest, under a key of this list alone, so that where it is looked for has
/// nothing to do with what it looks like; and hashes are compared in constant time.
pub(super) struct List {
    key: [u8; blake3::KEY_LEN],
    entries: HashMap<blake3::Hash, Entry>,
    owners: HashSet<Arc<str>>,
}

impl List {
    /// # Errors
    ///
    /// What is wrong with the text; the system has no random bytes.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let entries = read(text).map_err(|mistake| mistake.to_string())?;
        let mut list = Self {
            key: [0; blake3::KEY_LEN],
            entries: HashMap::with_capacity(entries.len()),
            owners: HashSet::new(),
        };
        SystemRandom::new()
            .fill(&mut list.key)
            .map_err(|_| "the system gives no random bytes")?;
        for entry in entries {
            list.owners.insert(Arc::clone(entry.principal().name()));
            list.entries.insert(list.place(entry.digest), entry);
        }
        Ok(list)
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn find(&self, token: &str, now: SystemTime) -> TokenLookup {
        match self.entries.get(&self.place(Digest::of(token))) {
            None => TokenLookup::Unknown,
            Some(entry) if entry.has_expired(now) => TokenLookup::Expired,
            Some(entry) => TokenLookup::Of(entry.principal().clone()),
        }
    }

    /// Whether somebody on the list is called that.
    pub(super) fn has_owner(&self, principal: &Principal) -> bool {
        self.owners.contains(&**principal.name())
    }

    /// Where a token is looked for.
    pub(super) fn place(&self, digest: Digest) -> blake3::Hash {
        blake3::keyed_hash(&self.key, &digest.0)
    }
}
