//! The keys that a configuration file sets, to be shown to its operator: with what the schema says of
//! each, and without what may be a secret.

use std::sync::LazyLock;

use serde_json::Value;
use toml::{Table, Value as TomlValue};
use url::Url;

use super::schema::schema;

/// Keys whose values are never shown, because they may hold secrets.
const HIDDEN: [&str; 8] = [
    "args",
    "authorization",
    "env",
    "headers",
    "headers-command",
    "params",
    "server-variables",
    "variables",
];
/// What the names of such keys have in them.
const SECRETS: [&str; 5] = ["credential", "key", "password", "secret", "token"];
/// The tables that a running server reads again when the file changes.
const REREAD: [&str; 4] = ["labels", "policies", "roles", "toolkits"];

/// A key that is set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownKey {
    /// Its path, such as `serve.session-idle`.
    pub key: String,
    /// Its value as TOML; none where it may hold a secret.
    pub value: Option<String>,
    /// What the schema says of it.
    pub help: Option<String>,
    /// Whether a running server reads it again when the file changes.
    pub is_reread: bool,
}

/// The keys that the text of a configuration file sets, in the order of their paths.
///
/// # Errors
///
/// A sentence: the text is not TOML.
pub fn shown_keys(text: &str) -> Result<Vec<ShownKey>, String> {
    let table: Table = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    static SCHEMA: LazyLock<Value> = LazyLock::new(schema);
    let mut keys = Vec::new();
    let place = Place {
        path: String::new(),
        schema: Some(&SCHEMA),
        is_hidden: false,
        is_reread: false,
    };
    collect(&table, &place, &mut keys);
    Ok(keys)
}

/// Where a table is.
struct Place<'s> {
    path: String,
    schema: Option<&'s Value>,
    is_hidden: bool,
    is_reread: bool,
}

fn collect(table: &Table, place: &Place<'_>, keys: &mut Vec<ShownKey>) {
    for (name, value) in table {
        let path = match place.path.is_empty() {
            true => name.clone(),
            false => format!("{}.{name}", place.path),
        };
        let inner = Place {
            schema: place.schema.and_then(|schema| property(schema, name)),
            is_hidden: place.is_hidden || may_be_secret(name),
            is_reread: place.is_reread
                || REREAD.contains(&path.as_str())
                || path == "approvals.ask",
            path,
        };
        collect_value(value, inner, keys);
    }
}

/// Tables, also those of an array, are shown key by key.
fn collect_value(value: &TomlValue, place: Place<'_>, keys: &mut Vec<ShownKey>) {
    match value {
        TomlValue::Table(table) => collect(table, &place, keys),
        TomlValue::Array(items) if items.iter().any(has_tables) => {
            for (number, item) in items.iter().enumerate() {
                let inner = Place {
                    path: format!("{}[{number}]", place.path),
                    schema: place.schema.and_then(items_of),
                    ..place
                };
                collect_value(item, inner, keys);
            }
        }
        value => {
            let help = place
                .schema
                .and_then(|schema| schema["description"].as_str());
            keys.push(ShownKey {
                value: (!place.is_hidden).then(|| shown(value)),
                help: help.map(ToOwned::to_owned),
                is_reread: place.is_reread,
                key: place.path,
            });
        }
    }
}

fn has_tables(value: &TomlValue) -> bool {
    match value {
        TomlValue::Table(_) => true,
        TomlValue::Array(items) => items.iter().any(has_tables),
        _ => false,
    }
}

/// What a schema says of the items of an array.
fn items_of(schema: &Value) -> Option<&Value> {
    let others = ["anyOf", "oneOf", "allOf"].into_iter();
    let mut others = others.filter_map(|key| schema[key].as_array()).flatten();
    schema.get("items").or_else(|| others.find_map(items_of))
}

fn may_be_secret(name: &str) -> bool {
    HIDDEN.contains(&name) || SECRETS.iter().any(|part| name.contains(part))
}

/// What a schema says of a key.
fn property<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    if let Some(found) = schema["properties"].get(name) {
        return Some(found);
    }
    let others = ["anyOf", "oneOf", "allOf"].into_iter();
    let mut others = others.filter_map(|key| schema[key].as_array()).flatten();
    let of_other = others.find_map(|other| property(other, name));
    of_other.or_else(|| {
        schema
            .get("additionalProperties")
            .filter(|it| it.is_object())
    })
}

/// A value as TOML. Of addresses, only the origin is shown: the rest, the path included, may hold a
/// secret.
fn shown(value: &TomlValue) -> String {
    match value {
        TomlValue::String(text) => {
            let text = without_commands(text);
            TomlValue::String(origin(&text).unwrap_or(text)).to_string()
        }
        TomlValue::Array(items) => {
            let items: Vec<String> = items.iter().map(shown).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// A text without the commands that it refers to: their arguments may be secrets.
fn without_commands(text: &str) -> String {
    const COMMAND: &str = "${command:";
    let mut pieces = text.split(COMMAND);
    let mut shown = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let rest = piece.split_once('}').map_or("", |(_, rest)| rest);
        shown += COMMAND;
        shown += "…}";
        shown += rest;
    }
    shown
}

/// The origin of an address, without a user. A variable may stand in the address, so it need not be
/// valid.
fn origin(text: &str) -> Option<String> {
    if let Ok(url) = Url::parse(text)
        && let origin = url.origin()
        && origin.is_tuple()
    {
        return Some(origin.ascii_serialization());
    }
    let (scheme, rest) = text.split_once("://").filter(|it| it.0 != "file")?;
    let authority = rest.split(['/', '\\', '?', '#']).next()?;
    let host = match rest.rfind('@') {
        // A password may have one of these signs in it.
        Some(at) if at > authority.len() => "…",
        _ => authority.rsplit('@').next()?,
    };
    Some(format!("{scheme}://{host}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str, key: &str) -> ShownKey {
        let keys = shown_keys(text).unwrap();
        keys.into_iter().find(|it| it.key == key).unwrap()
    }

    #[test]
    fn keys_come_with_the_help_of_the_schema() {
        let found = key("[serve]\nsession-idle = \"2h\"\n", "serve.session-idle");
        assert_eq!(found.value.as_deref(), Some("\"2h\""));
        assert!(found.help.unwrap().contains("session"));
        assert!(!found.is_reread);
        let role = "[roles.reader]\ntools = [\"demo.get_*\"]\n";
        assert!(key(role, "roles.reader.tools").is_reread);
    }

    #[test]
    fn what_may_be_a_secret_is_not_shown() {
        let text = "[servers.a]\ncommand = \"a\"\nargs = [\"--key=s3cret\"]\nenv = { A = \"s3cret\" }\n\
            [servers.b]\nurl = \"https://u:s3cret@b.example/mcp?key=s3cret\"\nheaders = { X = \"s3cret\" }\n\
            [approvals.webhook]\nsecret = \"s3cret\"\nanswer-secret = \"s3cret\"\n";
        let keys = shown_keys(text).unwrap();
        assert!(keys.iter().any(|it| it.key == "servers.a.env.A"));
        assert!(!format!("{keys:?}").contains("s3cret"), "{keys:?}");
        let url = key(text, "servers.b.url");
        assert_eq!(url.value.as_deref(), Some("\"https://b.example\""));
    }

    #[test]
    fn commands_and_passwords_with_odd_signs_are_not_shown() {
        let text = "[servers.a]\nurl = \"https://u:s3/cret@${HOST}/x\"\nheaders-command = [\"curl\", \"-H\", \"X: s3cret\"]\n\
            [servers.b]\nurl = \"https://u@h:s3/cret@${HOST}/x\"\nserver-variables = { key = \"s3cret\" }\n\
            [chat]\nmodel = \"${command:pass s3cret} x\"\nendpoint = \"https://${command:host --pw s3cret}.a.example/x\"\n";
        for (name, value) in [
            ("servers.a.url", Some("\"https://…\"")),
            ("servers.a.headers-command", None),
            ("servers.b.url", Some("\"https://…\"")),
            ("servers.b.server-variables.key", None),
            ("chat.model", Some("\"${command:…} x\"")),
            ("chat.endpoint", Some("\"https://${command:…}.a.example\"")),
        ] {
            assert_eq!(key(text, name).value.as_deref(), value, "{name}");
        }
    }

    #[test]
    fn arrays_hide_secrets_as_tables_do() {
        let text = "[[outbound.allow]]\nhosts = [\"api.example.com\"]\nheaders = { Authorization = \"Bearer s3cret\" }\n\
            [[audit.export]]\nto = \"otlp\"\nendpoint = \"https://u:s3cret@c.example:4318/s3cret\"\nheaders = { X = \"s3cret\" }\n\
            [approvals.webhook]\nurl = \"https://chat.example/hooks/s3cret\"\n\
            [serve]\norigins = [\"https://u:s3cret@a.example/s3cret?s3cret#s3cret\", \"db://u:s3cret@${HOST}:1/s3cret\"]\n";
        let keys = shown_keys(text).unwrap();
        assert!(!format!("{keys:?}").contains("s3cret"), "{keys:?}");
        for (name, value) in [
            ("outbound.allow[0].hosts", Some("[\"api.example.com\"]")),
            ("outbound.allow[0].headers.Authorization", None),
            (
                "audit.export[0].endpoint",
                Some("\"https://c.example:4318\""),
            ),
            ("audit.export[0].headers.X", None),
            ("approvals.webhook.url", Some("\"https://chat.example\"")),
            (
                "serve.origins",
                Some("[\"https://a.example\", \"db://${HOST}:1\"]"),
            ),
        ] {
            assert_eq!(key(text, name).value.as_deref(), value, "{name}");
        }
        assert!(key(text, "outbound.allow[0].hosts").help.is_some());
    }

    #[test]
    fn what_is_not_toml_is_an_error() {
        assert!(shown_keys("a = ").is_err());
    }
}
