//! Patterns that mean no known tool: what was to be restricted by one is not.

use ampoule_projection::names::{Names, Style, ToolPattern, near};

use crate::known_servers::KnownServer;

/// How many names are suggested.
const MOST_NEAR: usize = 3;

/// A pattern, and where it stands, such as `[quotas.mail] tool`.
#[derive(Debug, Clone)]
pub struct PlacedPattern {
    /// Where it stands.
    pub place: String,
    /// Which tools it means.
    pub pattern: ToolPattern,
}

/// A sentence for each pattern that means no tool of these servers. Nothing is said of servers whose
/// tools are not known yet.
pub(crate) fn told(patterns: &[PlacedPattern], servers: &[KnownServer]) -> Vec<String> {
    let told = patterns.iter().filter_map(|placed| {
        let PlacedPattern { place, pattern } = placed;
        let mut meant = servers
            .iter()
            .filter(|it| pattern.is_of(&it.name))
            .peekable();
        if meant.peek().is_none() {
            let names = servers.iter().map(|server| &*server.name);
            let server = pattern.server();
            let hint = did_you_mean(server, names);
            return Some(format!("{place}: the server `{server}` is unknown{hint}"));
        }
        let meant: Vec<&KnownServer> = meant.collect();
        if pattern.names_a_server() && meant.len() > 1 {
            let names: Vec<String> = meant.iter().map(|it| format!("`{}`", it.name)).collect();
            return Some(format!(
                "{place}: `{}` may be any of the servers {}; write its whole name",
                pattern.server(),
                names.join(" and ")
            ));
        }
        let mut names = Vec::new();
        for server in meant {
            names.extend(tool_names(server)?);
            let tools = Names::new(tool_names(server)?, Style::Camel);
            if (0..tools.names().len()).any(|tool| pattern.means(&tools, tool)) {
                return None;
            }
        }
        let hint = did_you_mean(pattern.tool(), names.into_iter());
        Some(format!("{place}: `{pattern}` matches no known tool{hint}"))
    });
    told.collect()
}

/// All that can be called of a server, if that is known.
fn tool_names(server: &KnownServer) -> Option<Vec<&str>> {
    let tools = server.tools.as_ref()?.iter().chain(&*server.offered);
    Some(tools.map(|tool| tool.name.as_str()).collect())
}

fn did_you_mean<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
    let near: Vec<String> = near(name, names, MOST_NEAR)
        .into_iter()
        .map(|name| format!("`{name}`"))
        .collect();
    match near.is_empty() {
        true => String::new(),
        false => format!("; did you mean {}?", near.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ampoule_projection::Tool;
    use serde_json::json;

    use super::*;

    fn server(name: &str, tools: Option<&[&str]>) -> KnownServer {
        let tool = |name: &&str| -> Tool {
            let tool = json!({ "name": name, "inputSchema": { "type": "object" } });
            serde_json::from_value(tool).unwrap()
        };
        KnownServer {
            name: name.into(),
            says_it_is: None,
            tools: tools.map(|tools| tools.iter().map(tool).collect()),
            offered: Arc::default(),
        }
    }

    #[test]
    fn a_pattern_that_matches_no_known_tool_is_reported_with_suggestions() {
        let servers = [
            server("mail", Some(&["send", "list_folders"])),
            server("crm", None),
        ];
        let said = |pattern: &str| {
            let placed = PlacedPattern {
                place: "[quotas.q] tool".to_owned(),
                pattern: pattern.parse().unwrap(),
            };
            told(&[placed], &servers)
        };
        for right in [
            "mail",
            "mail.send",
            "mail.listFolders",
            "*",
            "*.send",
            "crm.x",
            "m*.s*",
        ] {
            assert_eq!(said(right), [""; 0], "{right}");
        }
        assert_eq!(
            said("mial"),
            ["[quotas.q] tool: the server `mial` is unknown; did you mean `mail`?"]
        );
        assert_eq!(
            said("mail.sned"),
            ["[quotas.q] tool: `mail.sned` matches no known tool; did you mean `send`?"]
        );
        assert_eq!(
            said("mail.delete_*"),
            ["[quotas.q] tool: `mail.delete_*` matches no known tool"]
        );
    }
}
