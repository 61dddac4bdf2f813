//! A change as people see it before it is made.

use std::ops::Range;

use similar::TextDiff;

use super::super::tree::{Format, Node, Value};
use super::super::written;
use super::Edit;

/// Tables whose values are secrets as a rule.
const SECRET_TABLES: [&str; 7] = [
    "env",
    "environment",
    "envs",
    "headers",
    "http_headers",
    "oauth",
    "auth",
];

impl Edit {
    /// The change as a diff, with `…` for what may be a secret.
    pub fn diff(&self) -> String {
        let format = Format::of(&self.file);
        let text = |text: &Option<String>| masked(format, text.as_deref().unwrap_or_default());
        let (before, after) = (text(&self.before), text(&self.after));
        let name = self.file.display().to_string();
        TextDiff::from_lines(&before, &after)
            .unified_diff()
            .context_radius(2)
            .header(&name, &name)
            .to_string()
    }
}

fn masked(format: Format, text: &str) -> String {
    let Ok(document) = format.parsed(text) else {
        return String::new();
    };
    let mut secrets = Vec::new();
    find(&document, false, &mut secrets);
    secrets.sort_by_key(|secret| secret.start);
    let (mut shown, mut from) = (String::with_capacity(text.len()), 0);
    for secret in secrets {
        shown.push_str(&text[from..secret.start]);
        shown.push_str("\"…\"");
        from = secret.end;
    }
    shown.push_str(&text[from..]);
    shown
}

fn find(node: &Node, is_secret: bool, secrets: &mut Vec<Range<usize>>) {
    match &node.value {
        Value::Table(members) => {
            for member in members {
                let name = &*member.name;
                let is_secret =
                    is_secret || SECRET_TABLES.contains(&name) || written::names_secret(name);
                find(&member.node, is_secret, secrets);
            }
        }
        Value::List(items) => {
            let mut follows = false;
            for item in items {
                let text = item.as_text().unwrap_or_default();
                let (shown, next) = written::without_secret(text, follows);
                follows = next;
                find(item, is_secret || shown != text, secrets);
            }
        }
        Value::Text(text) => {
            let is_address = text.contains("://") && written::address(text) != *text;
            // A reference alone shows no value.
            let is_reference = text.starts_with("${") && text.ends_with('}');
            if (is_secret && !is_reference) || is_address {
                secrets.push(node.place.clone());
            }
        }
        Value::Integer(_) | Value::Fraction(_) if is_secret => secrets.push(node.place.clone()),
        Value::Integer(_) | Value::Fraction(_) | Value::Boolean(_) | Value::Null | Value::Other => {
        }
    }
}
