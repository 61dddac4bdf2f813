//! Toolkits: parts of the catalog under names.

use std::sync::Arc;

use ampoule_projection::names::{Names, ToolPattern};
use serde::{Deserialize, Serialize};

/// A part of the catalog under a name, which narrows a [grant](super::Grant::within). It adds
/// nothing to one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolkit {
    name: Arc<str>,
    tools: Vec<ToolPattern>,
}

impl Toolkit {
    /// A toolkit of the tools that these patterns mean; without any, of none.
    pub fn new(name: impl Into<Arc<str>>, tools: Vec<ToolPattern>) -> Self {
        let name = name.into();
        Self { name, tools }
    }

    /// Its name.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// What it has.
    pub fn tools(&self) -> &[ToolPattern] {
        &self.tools
    }

    pub(super) fn and_server(mut self, server: &str) -> Self {
        self.tools.push(ToolPattern::of_server(server));
        self
    }

    /// The same with servers' names as they are configured, as far as they are.
    pub(super) fn resolved<'a>(mut self, configured: impl Fn(&str) -> Option<&'a str>) -> Self {
        for pattern in self.tools.iter_mut().filter(|it| it.names_a_server()) {
            if let Some(name) = configured(pattern.server()) {
                pattern.set_server(name);
            }
        }
        self
    }

    pub(super) fn among(mut self, servers: &Names) -> Self {
        let tools = self.tools.into_iter();
        self.tools = tools.map(|pattern| pattern.among(servers)).collect();
        self
    }
}
