//! A token's line in the list: `NAME sha256:DIGEST [expires=TIME] [weight=N]
//! [groups=A,B]`.

use std::fmt;
use std::num::NonZeroU16;
use std::time::SystemTime;

use ampoule_tools::Principal;

use super::Token;
use super::secret::Digest;
use crate::{AccessError, principal};

/// What stands before a digest.
const DIGEST: &str = "sha256:";
/// Digits of a digest that tell a principal's tokens apart.
const ID_DIGITS: usize = 8;

/// A token of the list: whose it is, and until when.
#[derive(Debug, Clone)]
pub struct Entry {
    pub(super) digest: Digest,
    principal: Principal,
    expires: Option<SystemTime>,
}

impl Entry {
    /// A line for a token.
    ///
    /// # Errors
    ///
    /// Nobody can have this name.
    pub fn new(
        name: &str,
        token: &Token,
        weight: NonZeroU16,
        expires: Option<SystemTime>,
    ) -> Result<Self, AccessError> {
        principal::check(name).map_err(AccessError::new)?;
        if name.starts_with('#') {
            return Err(AccessError::new("a name may not begin with `#`"));
        }
        Ok(Self {
            digest: token.digest(),
            principal: Principal::new(name).weighing(weight),
            expires,
        })
    }

    /// The same, of somebody who is in these groups.
    ///
    /// # Errors
    ///
    /// No group of a list can be called that, or there are too many.
    pub fn in_groups(mut self, groups: &[String]) -> Result<Self, AccessError> {
        self.principal = in_groups(self.principal, groups).map_err(AccessError::new)?;
        Ok(self)
    }

    /// Whose it is.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// When it ends, if it does.
    pub fn expires(&self) -> Option<SystemTime> {
        self.expires
    }

    /// What tells it from others of the same principal. It is not a secret.
    pub fn id(&self) -> String {
        self.digest.to_hex()[..ID_DIGITS].to_owned()
    }

    /// Whether it has ended by then.
    pub fn has_expired(&self, now: SystemTime) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// Reads a line. What is wrong with it is said without quoting it: it may hold a token.
    pub(super) fn read(line: &str) -> Result<Self, &'static str> {
        let mut words = line.split_ascii_whitespace();
        let name = words.next().unwrap_or_default();
        principal::check(name)?;
        let hidden = words
            .next()
            .ok_or("a line is `NAME sha256:DIGEST`; `ampoule auth token add NAME` makes one")?;
        let digest = hidden.strip_prefix(DIGEST).ok_or(
            "what follows the name is not a digest, but perhaps a token, which may not stand here; `ampoule auth token add NAME --stdin` reads a token, and writes its digest",
        )?;
        let digest = Digest::from_hex(digest).ok_or("`sha256:` needs 64 hexadecimal digits")?;
        let (mut expires, mut weight, mut groups) = (None, None, None);
        for word in words {
            match word.split_once('=') {
                Some(("expires", time)) if expires.is_none() => expires = Some(read_time(time)?),
                Some(("weight", number)) if weight.is_none() => {
                    let number = number.parse();
                    weight = Some(number.map_err(|_| "`weight=` needs a number, 1 to 65535")?);
                }
                Some(("groups", names)) if groups.is_none() => {
                    groups = Some(names.split(',').collect::<Vec<_>>());
                }
                _ => {
                    return Err(
                        "after the digest, there may be `expires=TIME`, `weight=N` and `groups=A,B`, each once",
                    );
                }
            }
        }
        let principal = Principal::new(name).weighing(weight.unwrap_or(NonZeroU16::MIN));
        Ok(Self {
            digest,
            principal: in_groups(principal, &groups.unwrap_or_default())?,
            expires,
        })
    }
}

/// Somebody who is in these groups, whose names can stand in a line.
fn in_groups(principal: Principal, groups: &[impl AsRef<str>]) -> Result<Principal, &'static str> {
    if groups.len() > principal::MOST_GROUPS {
        return Err("a token may be of somebody in at most 512 groups");
    }
    for group in groups.iter().map(AsRef::as_ref) {
        principal::check_group(group)?;
        if group.contains(|c: char| c.is_whitespace() || c == ',') {
            return Err("the name of a group may not have spaces and commas here");
        }
    }
    Ok(principal.with_groups(groups.iter().map(AsRef::as_ref)))
}

/// A day, or a time in UTC.
fn read_time(text: &str) -> Result<SystemTime, &'static str> {
    let day = format!("{text}T00:00:00Z");
    let text = if text.contains('T') { text } else { &day };
    humantime::parse_rfc3339(text)
        .map_err(|_| "`expires=` needs a day or a time, such as 2027-01-31 or 2027-01-31T12:00:00Z")
}

impl fmt::Display for Entry {
    /// The line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digest = self.digest.to_hex();
        write!(f, "{} {DIGEST}{digest}", self.principal)?;
        if let Some(expires) = self.expires {
            write!(f, " expires={}", humantime::format_rfc3339_seconds(expires))?;
        }
        if self.principal.weight() > NonZeroU16::MIN {
            write!(f, " weight={}", self.principal.weight())?;
        }
        if !self.principal.groups().is_empty() {
            write!(f, " groups={}", self.principal.groups().join(","))?;
        }
        Ok(())
    }
}
