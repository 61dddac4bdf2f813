//! Which events are meant.

use std::time::SystemTime;

use ampoule_projection::names::ToolPattern;

use crate::entry::Entry;

/// Which events are meant: those that everything fits which is said here. By default all.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Not before that.
    pub since: Option<SystemTime>,
    /// Before that.
    pub until: Option<SystemTime>,
    /// Of this run, or of one whose id ends so.
    pub run: Option<String>,
    /// On behalf of this principal.
    pub principal: Option<String>,
    /// About these tools.
    pub tool: Option<ToolPattern>,
    /// Of these kinds; all, if none is said.
    pub kinds: Vec<String>,
    /// With this outcome.
    pub outcome: Option<String>,
}

impl Filter {
    /// Whether an event is meant.
    pub fn fits(&self, entry: &Entry) -> bool {
        let wanted = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        let run = |wanted: &String| entry.run().is_some_and(|run| run.ends_with(&**wanted));
        let tool = |pattern: &ToolPattern| {
            let found = entry.tool();
            found.is_some_and(|(server, tool)| pattern.matches(server, tool))
        };
        self.since.is_none_or(|since| entry.at >= since)
            && self.until.is_none_or(|until| entry.at < until)
            && (self.kinds.is_empty() || self.kinds.contains(&entry.kind))
            && self.run.as_ref().is_none_or(run)
            && wanted(&self.principal, entry.principal())
            && self.tool.as_ref().is_none_or(tool)
            && wanted(&self.outcome, entry.outcome())
    }
}
