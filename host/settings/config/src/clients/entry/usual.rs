//! An entry of a file whose client is not known: what people paste comes from any of them, so each
//! client's word for a key is taken. What is known by two words has the first one.

use super::super::super::tree::{Member, Node, Value, member};

/// A key of a server's entry, and what else clients call it.
pub(crate) struct Key {
    /// What it is called here.
    pub(crate) usual: &'static str,
    /// What else it is called.
    pub(crate) others: &'static [&'static str],
}

/// `docs/clients/README.md` has these as a table, which a test compares.
pub(crate) const KEYS: [Key; 9] = [
    Key {
        usual: "command",
        others: &["cmd", "executable", "program"],
    },
    Key {
        usual: "args",
        others: &["arguments", "argv"],
    },
    Key {
        usual: "env",
        others: &["environment", "envs", "environmentVariables"],
    },
    Key {
        usual: "cwd",
        others: &["workingDirectory", "working_directory", "workdir"],
    },
    Key {
        usual: "url",
        others: &[
            "serverUrl",
            "server_url",
            "httpUrl",
            "http_url",
            "uri",
            "endpoint",
            "baseUrl",
            "sseUrl",
        ],
    },
    Key {
        usual: "headers",
        others: &["httpHeaders", "http_headers", "requestHeaders"],
    },
    Key {
        usual: "type",
        others: &["transport", "transportType", "transport_type"],
    },
    Key {
        usual: "disabled",
        others: &["isDisabled"],
    },
    Key {
        usual: "name",
        others: &["id", "slug", "title"],
    },
];

/// Tables in which some clients have a part of an entry.
const WITHIN: [&str; 3] = ["transport", "requestInit", "config"];

/// Whether a table is a server's entry, and not one of servers.
pub(crate) fn is_server(node: &Node) -> bool {
    let reach = KEYS
        .iter()
        .filter(|key| matches!(key.usual, "command" | "url"));
    reach
        .flat_map(|key| key.others.iter().chain([&key.usual]))
        .any(|key| {
            node.get(key)
                .is_some_and(|value| !matches!(value.value, Value::Table(_)))
        })
}

/// The entry with the usual keys, and a note for each unknown key that is much like a known one. An
/// entry that has a key by its usual name keeps that one.
pub(super) fn usual(entry: &Node) -> (Node, Vec<String>) {
    let Value::Table(members) = &entry.value else {
        return (entry.clone(), Vec::new());
    };
    let is_within = |member: &&Member| {
        WITHIN.contains(&member.name.as_str()) && matches!(member.node.value, Value::Table(_))
    };
    let nested = members.iter().filter(is_within);
    let nested = nested.flat_map(|member| member.node.members());
    let own = members.iter().filter(|member| !is_within(member));
    let all: Vec<&Member> = own.chain(nested).collect();
    let has = |name: &str| all.iter().any(|it| it.name == name && !it.node.is_null());
    let mut found: Vec<Member> = Vec::new();
    let mut notes = Vec::new();
    for it in &all {
        let key = KEYS
            .iter()
            .find(|key| key.others.contains(&it.name.as_str()));
        let name = match key {
            Some(key) if !has(key.usual) && !found.iter().any(|it| it.name == key.usual) => {
                key.usual
            }
            _ => &it.name,
        };
        // The last of two of one name counts, here as for all.
        found.push(member(name, it.place.clone(), it.node.clone()));
        if name == "url" && it.name == "sseUrl" && !has("type") {
            let kind = Node::text(it.place.clone(), "sse");
            found.push(member("type", it.place.clone(), kind));
        }
        notes.extend(misspelt(&it.name));
    }
    let entry = Node {
        place: entry.place.clone(),
        value: Value::Table(found),
    };
    (entry, notes)
}

/// What may have been meant by an unknown key.
fn misspelt(name: &str) -> Option<String> {
    const ELSEWHERE: [&str; 6] = ["tools", "scopes", "auth", "oauth", "timeout", "enabled"];
    let known = KEYS
        .iter()
        .flat_map(|key| key.others.iter().chain([&key.usual]));
    let known: Vec<&str> = known.copied().chain(ELSEWHERE).collect();
    if known.contains(&name) || name.len() < 3 {
        return None;
    }
    let near = ["command", "args", "env", "url", "headers", "cwd"]
        .into_iter()
        .find(|key| is_one_off(name, key))?;
    Some(format!(
        "it has a key that means nothing; did you mean `{near}`?"
    ))
}

/// Whether one letter more, less, or else makes a key of a name; or two that changed places.
fn is_one_off(name: &str, key: &str) -> bool {
    let (name, key): (Vec<char>, Vec<char>) = (name.chars().collect(), key.chars().collect());
    if name.len().abs_diff(key.len()) > 1 {
        return false;
    }
    let same = |(a, b): &(&char, &char)| a.eq_ignore_ascii_case(b);
    let begin = name.iter().zip(&key).take_while(same).count();
    let end = name
        .iter()
        .rev()
        .zip(key.iter().rev())
        .take_while(same)
        .count();
    let end = end.min(name.len().min(key.len()) - begin);
    let (rest, rest_of_key) = (name.len() - begin - end, key.len() - begin - end);
    rest.max(rest_of_key) <= 1
        || (rest, rest_of_key) == (2, 2)
            && name[begin].eq_ignore_ascii_case(&key[begin + 1])
            && name[begin + 1].eq_ignore_ascii_case(&key[begin])
}

/// A table of texts, of whichever form it has: a table, a list of `{name, value}`, or a list of
/// `NAME=value` or `Name: value`.
pub(super) fn pairs(node: &Node) -> Option<Vec<Member>> {
    let text = |item: &Node, keys: &[&str]| {
        let mut found = keys.iter().filter_map(|key| item.get(key));
        found.find_map(|node| node.as_text().map(str::to_owned))
    };
    let Value::List(items) = &node.value else {
        return None;
    };
    let pair = |item: &Node| {
        if let Some(line) = item.as_text() {
            let (name, value) = line.split_once(['=', ':'])?;
            let value = Node::text(item.place.clone(), value.trim_start());
            return Some(member(name.trim(), item.place.clone(), value));
        }
        let name = text(item, &["name", "key"])?;
        let value = item.get("value")?;
        Some(member(&name, item.place.clone(), value.clone()))
    };
    items.iter().map(pair).collect()
}
