//! What an operator allows.

use std::sync::Arc;
use std::time::Duration;

use ampoule_fields::Quantity;
use ampoule_projection::names::ToolPattern;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::pattern::Pattern;

/// What rules call the local user, who has no name.
const LOCAL: &str = "local";

/// For whom a run, or a call of it, is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Caller<'a> {
    /// The principal's name. None: the local user, whom rules call `local`.
    pub principal: Option<&'a str>,
    /// The groups that the principal is in.
    pub groups: &'a [Arc<str>],
    /// The client's name, as it says itself; empty if it says none.
    pub client: &'a str,
    /// The toolkit that it is within; empty if it is within none.
    pub toolkit: &'a str,
}

/// A class of tools, by what their servers say of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Tools that change nothing.
    ReadOnly,
    /// Tools that may destroy something.
    Destructive,
    /// Tools that reach an open world, such as the web.
    OpenWorld,
}

/// The classes that a tool is in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Classes {
    /// It changes nothing.
    pub read_only: bool,
    /// It may destroy something.
    pub destructive: bool,
    /// It reaches an open world.
    pub open_world: bool,
}

impl Classes {
    /// Whether it is in this class.
    pub fn include(self, class: Class) -> bool {
        match class {
            Class::ReadOnly => self.read_only,
            Class::Destructive => self.destructive,
            Class::OpenWorld => self.open_world,
        }
    }
}

/// Which principals share what a rule allows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Per {
    /// Each principal has all of it.
    #[default]
    Principal,
    /// Each principal has all of it for each tool.
    Tool,
    /// All principals together have it.
    Everybody,
}

/// What is allowed to whom, of which tools: a table of `[quotas]`. A call needs room in each that
/// applies to it. What is not said is not limited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Rule {
    /// What messages call it. Totals are kept under it.
    #[serde(skip)]
    pub name: String,
    /// To whom it applies, as a pattern such as `ci-*`; the local user is `local`. Default: everybody.
    #[serde(deserialize_with = "ampoule_fields::text")]
    #[schemars(with = "String")]
    pub principal: Pattern,
    /// To those in which group, as the issuer of their tokens says; also a pattern. Default: all,
    /// those in no group, too.
    #[serde(deserialize_with = "ampoule_fields::text")]
    #[schemars(with = "String")]
    pub group: Pattern,
    /// To runs by which client, by the name that it gives itself; also a pattern. Default: all.
    #[serde(deserialize_with = "ampoule_fields::text")]
    #[schemars(with = "String")]
    pub client: Pattern,
    /// To runs within which toolkit, also a pattern. Default: all, those without a toolkit, too.
    #[serde(deserialize_with = "ampoule_fields::text")]
    #[schemars(with = "String")]
    pub toolkit: Pattern,
    /// To calls of which tools, such as `mail.*`. Default: all.
    #[serde(deserialize_with = "ampoule_fields::parsed")]
    #[schemars(with = "String")]
    pub tool: ToolPattern,
    /// To calls of which class of tools. Default: all.
    pub class: Option<Class>,
    /// The holder of the whole amount: each principal, each principal for each tool, or all
    /// together. Default: `principal`.
    pub per: Per,
    /// How many calls: so many at once, after which they come back one by one.
    #[serde(deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    pub calls_per_minute: Option<u32>,
    /// How many calls, likewise.
    #[serde(deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    pub calls_per_hour: Option<u32>,
    /// How many calls. Days are those of UTC, and are counted over restarts.
    #[serde(deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    pub calls_per_day: Option<u64>,
    /// How many runs may begin, as for calls.
    #[serde(deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    pub runs_per_minute: Option<u32>,
    /// How many runs may begin.
    #[serde(deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    pub runs_per_day: Option<u64>,
    /// How much runs compute: about an instruction each.
    #[serde(deserialize_with = "ampoule_fields::count")]
    #[schemars(with = "Quantity")]
    pub fuel_per_day: Option<u64>,
    /// How long runs have isolates, such as `1h`.
    #[serde(deserialize_with = "ampoule_fields::time")]
    #[schemars(with = "Quantity")]
    pub isolate_time_per_day: Option<Duration>,
    /// How many bytes calls take along and bring back, such as `1GiB`.
    #[serde(deserialize_with = "ampoule_fields::bytes")]
    #[schemars(with = "Quantity")]
    pub bytes_per_day: Option<u64>,
}

/// What is wrong with rules, or with the folder of totals.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// Two rules have the same name.
    #[error("two quotas are called `{0}`; give each its own name")]
    Twice(String),
    /// A name is empty, or too long.
    #[error("a quota's name has 1 to 64 characters: `{0}`")]
    Name(String),
    /// A rule limits nothing.
    #[error("the quota `{0}` limits nothing; give it a limit, or remove it")]
    Nothing(String),
    /// A rule about tools limits what is not a tool's.
    #[error(
        "the quota `{0}` is about tools, while runs, fuel and isolate time belong to no tool; put those into a quota without `tool`, `class` and `per = \"tool\"`"
    )]
    NoTools(String),
    /// There are too many.
    #[error("there are {0} quotas; there may be 256")]
    TooMany(usize),
    /// The folder can't be used.
    #[error("the folder of totals can't be used: {0}")]
    Folder(std::io::Error),
}

impl Rule {
    /// The same under this name.
    #[must_use]
    pub fn called(self, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..self
        }
    }

    pub(crate) fn check(&self) -> Result<(), RulesError> {
        let shown = || ampoule_untrusted::text::one_line(&self.name).into_owned();
        if !(1..=64).contains(&self.name.chars().count()) {
            return Err(RulesError::Name(shown().chars().take(64).collect()));
        }
        let of_runs = self.runs_per_minute.is_some()
            || self.runs_per_day.is_some()
            || self.fuel_per_day.is_some()
            || self.isolate_time_per_day.is_some();
        let of_calls = self.calls_per_minute.is_some()
            || self.calls_per_hour.is_some()
            || self.calls_per_day.is_some()
            || self.bytes_per_day.is_some();
        if !of_runs && !of_calls {
            return Err(RulesError::Nothing(shown()));
        }
        match of_runs && self.is_of_tools() {
            true => Err(RulesError::NoTools(shown())),
            false => Ok(()),
        }
    }

    fn is_of_tools(&self) -> bool {
        !self.tool.is_all() || self.class.is_some() || self.per == Per::Tool
    }

    /// Whether it may apply to what this principal does.
    pub(crate) fn fits_principal(&self, name: &str) -> bool {
        self.principal.fits(match name {
            "" => LOCAL,
            name => name,
        })
    }

    /// Whether it applies to what is done for somebody.
    pub(crate) fn fits(&self, caller: &Caller<'_>) -> bool {
        let is_in = || caller.groups.iter().any(|group| self.group.fits(group));
        self.fits_principal(caller.principal.unwrap_or_default())
            && (self.group.is_all() || is_in())
            && self.client.fits(caller.client)
            && self.toolkit.fits(caller.toolkit)
    }

    pub(crate) fn fits_call(&self, server: &str, tool: &str, classes: Classes) -> bool {
        self.class.is_none_or(|class| classes.include(class)) && self.tool.matches(server, tool)
    }
}
