//! Which actions a pattern of tools means: the language of grants.

use ampoule_projection::names::{Lookup, Names, Style, ToolPattern, canonical, server_and_account};
use ampoule_tools::Grant;

use crate::actions::{ALL_ACCOUNTS, Actions};
use crate::cedar::{MODEL, TOOLS};
use crate::diagnostic::{Place, PolicyDiagnostic};

/// How many names are told that may have been meant.
const MOST_NEAR: usize = 3;

/// What a pattern means.
pub(crate) enum PatternMeaning {
    /// One tool.
    Action(String),
    /// Those of a group, which may be none today.
    Group(String),
    /// A tool of a server whose tools are not known yet.
    Later,
    /// Nothing.
    Nothing(UnknownPattern),
}

/// Why a pattern means nothing.
pub(crate) struct UnknownPattern {
    problem: PolicyDiagnostic,
}

impl UnknownPattern {
    fn error(message: String, near: Vec<String>) -> PatternMeaning {
        PatternMeaning::Nothing(Self {
            problem: PolicyDiagnostic::error(None, message).near(near),
        })
    }

    fn warning(message: String) -> PatternMeaning {
        PatternMeaning::Nothing(Self {
            problem: PolicyDiagnostic::warning(None, message),
        })
    }

    /// The same, where it stands.
    pub(crate) fn at(self, place: &Place) -> PolicyDiagnostic {
        PolicyDiagnostic {
            place: Some(place.clone()),
            ..self.problem
        }
    }
}

/// What a pattern means. Makes a group of it if it means several tools.
pub(crate) fn meant(pattern: &str, actions: &mut Actions) -> PatternMeaning {
    let parsed: ToolPattern = match pattern.parse() {
        Ok(parsed) => parsed,
        Err(bad) => return UnknownPattern::error(bad.to_string(), Vec::new()),
    };
    let (server, tool) = (parsed.server(), parsed.tool());
    let one_server = parsed.names_a_server();
    let servers = Names::new(actions.servers(), Style::Camel);
    if one_server && let Lookup::Ambiguous(alike) = servers.find(server) {
        let alike: Vec<String> = (alike.iter())
            .map(|&place| servers.names()[place].clone())
            .collect();
        let told = format!("`{server}` may be any of several servers; write its whole name");
        return UnknownPattern::error(told, alike);
    }
    let grant = Grant::from(parsed.clone().among(&servers));
    if one_server && !actions.servers().any(|name| grant.allows_server(name)) {
        let near = near(server, actions.servers());
        return UnknownPattern::error(format!("there is no server `{server}`"), near);
    }
    let listed = actions.listed().any(|name| grant.allows_server(name));
    if one_server && has_accounts(server, actions) {
        return of_accounts(&parsed, &grant, actions);
    }
    if one_server && !tool.contains('*') {
        return match (listed, actions.granted(&grant).first()) {
            (_, Some(&place)) => PatternMeaning::Action(actions.get(place).id.clone()),
            (false, None) => PatternMeaning::Later,
            (true, None) => missing(server, tool, actions),
        };
    }
    let group = match (server, tool) {
        ("*", "*") => TOOLS.to_owned(),
        (server, tool) => format!("{server}.{tool}"),
    };
    match actions.group(&group, &grant) {
        0 if one_server && listed => {
            UnknownPattern::warning(format!("`{pattern}` matches no known tool"))
        }
        _ => PatternMeaning::Group(group),
    }
}

/// Whether a name without an account means accounts of a server.
fn has_accounts(server: &str, actions: &Actions) -> bool {
    let named = server_and_account(server);
    let is_of = |name: &str| {
        let (known, account) = server_and_account(name);
        account.is_some() && canonical(known) == canonical(named.0)
    };
    named.1.is_none() && actions.servers().any(is_of)
}

/// What a pattern means on all accounts of a server: a group, even where it names one tool.
fn of_accounts(pattern: &ToolPattern, grant: &Grant, actions: &mut Actions) -> PatternMeaning {
    let mut group = pattern.to_string();
    if actions.is_action(&group) {
        // A server may have the name without an account.
        group = format!("{pattern}{ALL_ACCOUNTS}");
    }
    let is_listed = actions
        .servers()
        .filter(|server| grant.allows_server(server))
        .all(|server| actions.listed().any(|listed| listed == server));
    let first = actions.listed().find(|server| grant.allows_server(server));
    let first = first.map(str::to_owned);
    match (actions.group(&group, grant), first) {
        (0, Some(first)) if is_listed && !pattern.tool().contains('*') => {
            missing(&first, pattern.tool(), actions)
        }
        (0, Some(_)) if is_listed => {
            UnknownPattern::warning(format!("`{pattern}` matches no known tool"))
        }
        _ => PatternMeaning::Group(group),
    }
}

fn missing(server: &str, tool: &str, actions: &Actions) -> PatternMeaning {
    let tools = actions.tools_of(server);
    let near = near(tool, tools.iter().map(String::as_str));
    let near = near.iter().map(|tool| format!("{server}.{tool}"));
    UnknownPattern::error(
        format!("the server `{server}` has no tool `{tool}`"),
        near.collect(),
    )
}

/// Names that may have been meant.
pub(crate) fn near<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let near = ampoule_projection::names::near(name, names, MOST_NEAR);
    near.into_iter().map(str::to_owned).collect()
}

/// Makes sure that what a policy names as an action is known: a tool, a group, or a pattern. Says
/// what is wrong if it can't be any.
pub(crate) fn known(action: &str, actions: &mut Actions) -> Option<PolicyDiagnostic> {
    if action == MODEL || actions.is_known(action) {
        return None;
    }
    if action.contains('*') {
        let PatternMeaning::Nothing(nothing) = meant(action, actions) else {
            return None;
        };
        // It may mean something another day; Cedar has to know it today.
        actions.empty_group(action);
        return Some(nothing.problem);
    }
    if !action.contains('.') {
        let groups = actions.groups();
        let near = near(action, groups.chain([MODEL]));
        let told = format!("there is no server, and no group of tools, `{action}`");
        return Some(PolicyDiagnostic::error(None, told).near(near));
    }
    let parsed: ToolPattern = match action.parse() {
        Ok(parsed) => parsed,
        Err(bad) => return Some(PolicyDiagnostic::error(None, bad.to_string())),
    };
    let (server, tool) = (parsed.server(), parsed.tool());
    if actions.listed().any(|name| name == server) {
        let PatternMeaning::Nothing(nothing) = missing(server, tool, actions) else {
            return None;
        };
        return Some(nothing.problem);
    }
    if actions.servers().any(|name| name == server) {
        actions.later(action);
        let told =
            format!("nothing is known of `{action}` yet: the tools of `{server}` are not listed");
        return Some(PolicyDiagnostic::warning(None, told));
    }
    let near = near(server, actions.servers());
    let near = near.iter().map(|server| format!("{server}.{tool}"));
    let told = format!("there is no server `{server}`, so no tool `{action}`");
    Some(PolicyDiagnostic::error(None, told).near(near.collect()))
}
