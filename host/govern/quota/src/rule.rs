//! What an operator allows.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use ampoule_projection::names::ToolPattern;

use crate::pattern::Pattern;

/// A class of tools, by what their servers say of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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

/// Who shares what a rule allows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// How often, and how much. What is not said is not limited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Limits {
    /// Calls a minute: so many at once, after which they come back one by one.
    pub calls_per_minute: Option<u32>,
    /// Calls an hour, likewise.
    pub calls_per_hour: Option<u32>,
    /// Calls a day (UTC).
    pub calls_per_day: Option<u64>,
    /// Runs that begin in a minute, as for calls.
    pub runs_per_minute: Option<u32>,
    /// Runs that begin in a day.
    pub runs_per_day: Option<u64>,
    /// Fuel that runs use in a day.
    pub fuel_per_day: Option<u64>,
    /// Time that runs have isolates in a day.
    pub isolate_time_per_day: Option<Duration>,
    /// Bytes that calls take along and bring back in a day.
    pub bytes_per_day: Option<u64>,
}

/// What is allowed to whom, of which tools.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Rule {
    /// What messages call it. Totals are kept under it.
    pub name: String,
    /// To which principals it applies. Default: `*`.
    #[serde(default)]
    pub principal: Pattern,
    /// To calls of which tools. Default: all.
    #[serde(default)]
    pub tool: ToolPattern,
    /// To calls of which class of tools. Default: all.
    #[serde(default)]
    pub class: Option<Class>,
    /// Who shares it. Default: each principal has all of it.
    #[serde(default)]
    pub per: Per,
    /// How often, and how much.
    #[serde(default)]
    pub limits: Limits,
}

/// What is wrong with rules, or with the folder of totals.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Two rules have the same name.
    #[error("two quotas are called `{0}`; give each its own name")]
    Twice(String),
    /// A name is empty, or too long.
    #[error("a quota's name has 1 to 64 characters: `{0}`")]
    Name(String),
    /// A rule limits nothing.
    #[error("the quota `{0}` limits nothing; give it a limit, or remove it")]
    Nothing(String),
    /// A rule about tools limits what is no tool's.
    #[error(
        "the quota `{0}` is about tools, and runs, fuel and isolate time are no tool's; put those into a quota without `tool`, `class` and `per = \"tool\"`"
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
    /// A rule for all principals and all tools.
    pub fn new(name: &str, limits: Limits) -> Self {
        Self {
            name: name.to_owned(),
            principal: Pattern::all(),
            tool: ToolPattern::all(),
            class: None,
            per: Per::default(),
            limits,
        }
    }

    pub(crate) fn check(&self) -> Result<(), Problem> {
        let shown = || ampoule_untrusted::text::one_line(&self.name).into_owned();
        if !(1..=64).contains(&self.name.chars().count()) {
            return Err(Problem::Name(shown().chars().take(64).collect()));
        }
        let Limits {
            runs_per_minute,
            runs_per_day,
            fuel_per_day,
            isolate_time_per_day,
            ..
        } = self.limits;
        if self.limits == Limits::default() {
            return Err(Problem::Nothing(shown()));
        }
        let of_runs = runs_per_minute.is_some()
            || runs_per_day.is_some()
            || fuel_per_day.is_some()
            || isolate_time_per_day.is_some();
        match of_runs && self.is_of_tools() {
            true => Err(Problem::NoTools(shown())),
            false => Ok(()),
        }
    }

    fn is_of_tools(&self) -> bool {
        !self.tool.is_all() || self.class.is_some() || self.per == Per::Tool
    }

    pub(crate) fn fits_call(&self, server: &str, tool: &str, classes: Classes) -> bool {
        self.class.is_none_or(|class| classes.include(class)) && self.tool.matches(server, tool)
    }
}
