//! Which of a server's tools there are.

use super::ConfigError;
use super::error::Mistakes;
use super::keys;
use super::read::Entry;

/// Which of a server's tools there are: those that all of this allows. By default, all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolRules {
    /// Patterns as grants have them, without the server's name. `None` allows all.
    pub allow: Option<Vec<String>>,
    /// What there is not, whatever `allow` says.
    pub deny: Vec<String>,
    /// What a tool must say of itself.
    pub hints: HintRules,
}

/// What a tool must say of itself, by MCP's hints; what it does not say has the protocol's
/// defaults. `None` takes either.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HintRules {
    /// Whether it changes nothing. It does by default.
    pub read_only: Option<bool>,
    /// Whether it may destroy something: so it may by default, unless it is read-only.
    pub destructive: Option<bool>,
    /// Whether a second call changes nothing more. By default it does, unless it is read-only.
    pub idempotent: Option<bool>,
    /// Whether it reaches beyond the server's own world. It does by default.
    pub open_world: Option<bool>,
}

impl ToolRules {
    /// Whether all tools are there.
    pub fn allow_all(&self) -> bool {
        *self == Self::default()
    }
}

pub(super) fn read(entry: &Entry<'_>) -> Result<ToolRules, ConfigError> {
    let table = entry.table()?;
    let mut mistakes = Mistakes::default();
    mistakes.unless(table.only(keys::of("tools")));
    let mut patterns = |key: &str| {
        let read = table.read(key, |list| list.each(pattern));
        mistakes.unless(read).flatten()
    };
    let (allow, deny) = (patterns("allow"), patterns("deny"));
    let hints = mistakes.unless(table.read("hints", hints)).flatten();
    mistakes.none()?;
    Ok(ToolRules {
        allow,
        deny: deny.unwrap_or_default(),
        hints: hints.unwrap_or_default(),
    })
}

fn pattern(entry: &Entry<'_>) -> Result<String, ConfigError> {
    match entry.text()? {
        "" => Err(entry.refuse("this is no pattern; write a tool's name, `get_*`, or `*` for all")),
        pattern => Ok(pattern.to_owned()),
    }
}

fn hints(entry: &Entry<'_>) -> Result<HintRules, ConfigError> {
    let table = entry.table()?;
    let mut mistakes = Mistakes::default();
    mistakes.unless(table.only(keys::of("hints")));
    let mut must = |key: &str| mistakes.unless(table.read(key, Entry::boolean)).flatten();
    let hints = HintRules {
        read_only: must("read-only"),
        destructive: must("destructive"),
        idempotent: must("idempotent"),
        open_world: must("open-world"),
    };
    mistakes.none().map(|()| hints)
}
