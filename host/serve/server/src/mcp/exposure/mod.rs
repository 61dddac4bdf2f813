//! How tools are shown to clients' models: as tools of their own, by a signature in the description
//! of `execute_code`, or by search alone. What a client may call does not depend on it.
//!
//! - `direct`: tools that clients see as tools of their own
//! - `schema`: their schemas, as clients take them
//! - `shown_tools`: what a model sees without a search, for an operator
//! - `warnings`: what the log says of it, once

pub(super) mod direct;
mod schema;
mod shown_tools;
pub(super) mod warnings;

pub use shown_tools::ShownTools;

use ampoule_projection::names::{Names, Style, ToolPattern};
use ampoule_tools::{GrantedTools, ResolvedTool};
use rmcp::RoleServer;
use rmcp::model::ClientCapabilities;
use rmcp::service::RequestContext;

use super::caller;

/// The capability by which a client asks for `call_tool`, among the experimental ones or the
/// extensions.
pub(crate) const CAPABILITY: &str = "ampoule/call_tool";
/// The HTTP header by which it does, for clients whose capabilities nobody can set.
const HEADER: &str = "ampoule-call-tool";
/// How many tokens the signatures of listed tools take, if the operator says nothing else.
const BUDGET: usize = 400;

/// How tools are shown to clients' models. The default shows them as far as there is room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exposure {
    /// Tools that clients see as tools of their own.
    pub direct: Vec<ToolPattern>,
    /// Tools whose signatures are in the description of `execute_code`, first of all.
    pub listed: Vec<ToolPattern>,
    /// Tools that only a search shows.
    pub searched: Vec<ToolPattern>,
    /// Whether clients have `call_tool`: all, none, or, if nothing is said, those that ask for it.
    pub call_tool: Option<bool>,
    /// How many tokens the signatures of listed tools may take.
    pub budget: Option<usize>,
    /// Whether clients have the prompts of servers. Default: they do.
    pub prompts: bool,
    /// Whether clients have the resources of servers. Default: they do.
    pub resources: bool,
    /// Whether clients that show apps have the tools with an app as tools of their own. Default: they
    /// do.
    pub apps: bool,
}

impl Default for Exposure {
    fn default() -> Self {
        Self {
            direct: Vec::new(),
            listed: Vec::new(),
            searched: Vec::new(),
            call_tool: None,
            budget: None,
            prompts: true,
            resources: true,
            apps: true,
        }
    }
}

/// How one tool is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Direct,
    Listed,
    /// As far as there is room.
    Usual,
    Searched,
}

impl Exposure {
    /// The same among the servers of a runtime: a pattern that names one means no other whose name is
    /// alike.
    pub(super) fn among(mut self, granted: &GrantedTools) -> Self {
        let names = granted.servers().map(|server| &**server.name());
        let names = Names::new(names, Style::Camel);
        let patterns = [&mut self.direct, &mut self.listed, &mut self.searched];
        for pattern in patterns.into_iter().flatten() {
            *pattern = pattern.clone().among(&names);
        }
        self
    }

    /// How a tool is shown: the first of the lists that has it counts.
    pub(super) fn standing(&self, tool: &ResolvedTool) -> Standing {
        let has = |patterns: &[ToolPattern]| {
            let mut patterns = patterns.iter();
            patterns.any(|pattern| pattern.matches(tool.server(), tool.name()))
        };
        match () {
            () if has(&self.direct) => Standing::Direct,
            () if has(&self.listed) => Standing::Listed,
            () if has(&self.searched) => Standing::Searched,
            () => Standing::Usual,
        }
    }

    /// How many tokens they may take, in any case.
    pub(super) fn budget(&self) -> usize {
        self.budget.unwrap_or(BUDGET)
    }

    /// Whether the client of a request has `call_tool`.
    pub(super) fn offers_call_tool(&self, context: &RequestContext<RoleServer>) -> bool {
        self.call_tool
            .unwrap_or_else(|| asks_for_call_tool(context))
    }

    /// Whether the client of a request sees what all clients see, as far as policies let them.
    pub(super) fn is_the_same_for_all(&self, context: &RequestContext<RoleServer>) -> bool {
        (self.call_tool.is_some() || !asks_for_call_tool(context))
            && !(self.apps && caller::shows_apps(context))
    }

    /// The patterns that mean no tool of the granted servers, a sentence each. Nothing is said of
    /// servers whose tools are not known yet.
    pub(super) fn idle(&self, granted: &GrantedTools) -> Vec<String> {
        let lists = [
            ("direct", &self.direct),
            ("listed", &self.listed),
            ("searched", &self.searched),
        ];
        let all = lists.into_iter().flat_map(|(list, patterns)| {
            let patterns = patterns.iter();
            patterns.map(move |pattern| (list, pattern))
        });
        let is_idle = |pattern: &ToolPattern| {
            let mut servers = granted.servers();
            !servers.any(|server| {
                let means = |tools: Vec<ResolvedTool>| {
                    let mut tools = tools.iter();
                    tools.any(|tool| pattern.matches(tool.server(), tool.name()))
                };
                pattern.is_of(server.name()) && granted.known_tools_of(server).is_none_or(means)
            })
        };
        all.filter(|(_, pattern)| is_idle(pattern))
            .map(|(list, pattern)| {
                format!(
                    "`exposure.{list}`: the pattern `{pattern}` matches no tool of a granted server"
                )
            })
            .collect()
    }
}

/// Whether a client asks for `call_tool`: by a capability, or over HTTP by a header.
fn asks_for_call_tool(context: &RequestContext<RoleServer>) -> bool {
    let parts = context.extensions.get::<http::request::Parts>();
    let header = parts.and_then(|parts| parts.headers.get(HEADER));
    if header.is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true")) {
        return true;
    }
    let capabilities = context.client_capabilities();
    capabilities.is_some_and(|capabilities| has_capability(&capabilities))
}

/// Whether a client's capabilities ask for `call_tool`, as an experimental one or as an extension.
pub(crate) fn has_capability(capabilities: &ClientCapabilities) -> bool {
    let experimental = capabilities.experimental.as_ref();
    let extensions = capabilities.extensions.as_ref();
    experimental.is_some_and(|it| it.contains_key(CAPABILITY))
        || extensions.is_some_and(|it| it.contains_key(CAPABILITY))
}
