//! `docs/reference/config.md`: every key of `ampoule.toml`, by what the schema says.

use serde_json::{Map, Value};

use super::{cell, holds, wrapped};

const HEAD: &str = "\
# Keys of `ampoule.toml`

Ampoule reads `ampoule.toml` in the folder where it starts, or else the one in your configuration
folder (`~/.config/ampoule/ampoule.toml`); `--config FILE` names another. Without a file, there is
only the built-in `demo` server. [`examples/ampoule.toml`](../../examples/ampoule.toml) has every key
with a comment. `ampoule init` writes a file that editors check and complete.

A quantity is a whole number or text with a unit: sizes such as `64MiB`, times such as `30s`, counts
such as `10_000`. `${NAME}` in text is an environment variable, `${NAME:-x}` has a default.

A running `ampoule serve` reads roles, labels, policies, toolkits, `approvals.ask`, tokens and the
certificate of `[serve]` again when they change. All other keys count from the next start. Secrets
that keys refer to, and documents of HTTP APIs, are read again from time to time.
";

/// A table of the file, as the schema has it.
struct Table<'a> {
    name: String,
    schema: &'a Value,
}

/// What a key has, in a word or two.
fn kind(schema: &Value) -> String {
    if let Some(values) = schema["enum"].as_array() {
        return values
            .iter()
            .map(|value| format!("`{value}`"))
            .collect::<Vec<_>>()
            .join(", ");
    }
    for choice in ["oneOf", "anyOf"] {
        if let Some(values) = schema[choice].as_array() {
            let mut kinds: Vec<_> = values
                .iter()
                .map(|value| match value.get("const") {
                    Some(constant) => format!("`{constant}`"),
                    None => kind(value),
                })
                .collect();
            kinds.dedup();
            return kinds.join(", ");
        }
    }
    match &schema["type"] {
        Value::String(kind) => match kind.as_str() {
            "array" => format!("list of {}", kind_of_items(&schema["items"])),
            "object" => "table".to_owned(),
            "string" => "text".to_owned(),
            "boolean" => "`true`, `false`".to_owned(),
            "integer" => "number".to_owned(),
            other => other.to_owned(),
        },
        Value::Array(_) => "quantity".to_owned(),
        _ => "any".to_owned(),
    }
}

fn kind_of_items(items: &Value) -> &'static str {
    match items["type"].as_str() {
        Some("object") => "tables",
        _ => "texts",
    }
}

/// What is said of a key, and the default that it names.
fn said(schema: &Value) -> (String, String) {
    let description = cell(schema["description"].as_str().unwrap_or_default());
    let (said, default) = match description.split_once("Default: ") {
        Some((said, default)) => (
            said.trim().to_owned(),
            default.trim_end_matches('.').to_owned(),
        ),
        None => (description, String::new()),
    };
    (said, default)
}

fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema["properties"].as_object()
}

/// The keys of a table, as rows, and the tables in it.
fn rows<'a>(table: &Table<'a>, page: &mut String) -> Vec<Table<'a>> {
    let mut inner = Vec::new();
    let Some(keys) = properties(table.schema) else {
        return inner;
    };
    *page += "| key | value | default | what it says |\n| --- | --- | --- | --- |\n";
    for (key, schema) in keys {
        let (said, default) = said(schema);
        *page += &format!("| `{key}` | {} | {default} | {said} |\n", kind(schema));
        let below = |name: String, schema: &'a Value| Table { name, schema };
        let prefix = if table.name.is_empty() {
            String::new()
        } else {
            format!("{}.", table.name)
        };
        if properties(schema).is_some() {
            inner.push(below(format!("{prefix}{key}"), schema));
        } else if properties(&schema["additionalProperties"]).is_some() {
            inner.push(below(
                format!("{prefix}{key}.NAME"),
                &schema["additionalProperties"],
            ));
        } else if properties(&schema["items"]).is_some() {
            inner.push(below(format!("[{prefix}{key}]"), &schema["items"]));
        }
    }
    inner
}

#[test]
fn every_key_is_on_the_page() {
    let schema = ampoule_config::schema();
    let mut page = format!("{HEAD}\n## The file\n\n");
    let first = Table {
        name: String::new(),
        schema: &schema,
    };
    let mut waiting = rows(&first, &mut page);
    assert!(waiting.len() > 15);
    waiting.reverse();
    while let Some(table) = waiting.pop() {
        page += &format!("\n## `[{}]`\n\n", table.name);
        let (said, _) = said(table.schema);
        if !said.is_empty() {
            page += &format!("{}\n\n", wrapped(&said));
        }
        let mut inner = rows(&table, &mut page);
        inner.reverse();
        waiting.append(&mut inner);
    }
    holds("config.md", &page);
}
