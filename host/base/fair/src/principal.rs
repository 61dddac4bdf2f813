//! On whose behalf runs happen.

use std::fmt;
use std::num::NonZeroU16;
use std::sync::Arc;

use serde::{Serialize, Serializer};

use crate::CallerToken;

/// On whose behalf a run happens: a client, the owner of a token, the local user. Principals with
/// the same name are the same one. Cheap to clone; serialised as its name.
#[derive(Debug, Clone)]
pub struct Principal {
    name: Arc<str>,
    weight: NonZeroU16,
    /// Most are in none.
    groups: Option<Arc<[Arc<str>]>>,
    /// Those of an issuer's tokens.
    token: Option<CallerToken>,
}

impl Principal {
    /// One of this name, with a weight of 1.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            weight: NonZeroU16::MIN,
            groups: None,
            token: None,
        }
    }

    /// The token by which they proved who they are. It is neither shown nor written with them.
    #[must_use]
    pub fn with_token(self, token: CallerToken) -> Self {
        Self {
            token: Some(token),
            ..self
        }
    }

    /// The groups that they are in, as the issuer of the identity says. Policies may go by them.
    #[must_use]
    pub fn with_groups(self, groups: impl IntoIterator<Item = impl Into<Arc<str>>>) -> Self {
        let groups: Arc<[Arc<str>]> = groups.into_iter().map(Into::into).collect();
        let groups = (!groups.is_empty()).then_some(groups);
        Self { groups, ..self }
    }

    /// How much of what all share is theirs, beside the others' weights. Default: 1. Another weight
    /// counts from when they next have nothing under way.
    #[must_use]
    pub fn weighing(self, weight: NonZeroU16) -> Self {
        Self { weight, ..self }
    }

    /// The token by which they proved who they are, if it can be exchanged at its issuer.
    pub fn token(&self) -> Option<&CallerToken> {
        self.token.as_ref()
    }

    /// The same principal for what outlives their requests and runs.
    #[must_use]
    pub fn without_token(&self) -> Self {
        Self {
            token: None,
            ..self.clone()
        }
    }

    /// What tells them apart.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// How much of what all share is theirs, beside the others' weights.
    pub fn weight(&self) -> NonZeroU16 {
        self.weight
    }

    /// The groups that they are in.
    pub fn groups(&self) -> &[Arc<str>] {
        self.groups.as_deref().unwrap_or_default()
    }
}

impl<N: Into<Arc<str>>> From<N> for Principal {
    fn from(name: N) -> Self {
        Self::new(name)
    }
}

impl PartialEq for Principal {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Principal {}

impl std::hash::Hash for Principal {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Serialize for Principal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name)
    }
}
