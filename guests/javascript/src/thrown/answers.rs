//! What a tool's answer is, where a script took it for something else: told by the expression that
//! failed, whose first name an awaited call has given.

use crate::answers::{Answers, Kind, Shape};
use crate::host;
use crate::modules::Source;

use super::failure::Failure;
use super::sites::{Binding, Kind as Does, Site};
use super::tool_call::likeness;

/// What an answer has around its value in the protocol, and not here.
const PROTOCOL: [&str; 3] = ["content", "structuredContent", "isError"];

/// Methods of lists that scripts use of texts, for their lines.
const OF_LISTS: [&str; 7] = [
    "map", "filter", "forEach", "find", "reduce", "some", "every",
];

/// Of how many properties is told that a source reads in vain. Each is compared with all keys.
const TOLD: usize = 8;

/// What is said of JSON that is none.
const PARSED: &str = "a tool's answer is parsed already";

/// What a value is that an operation failed for.
pub(super) fn hint(
    answers: &Answers<'_>,
    source: &Source,
    failure: Failure<'_>,
    site: &Site,
) -> Option<String> {
    let written = site.subject?.source_text(&source.text);
    let (root, mut members) = path(written)?;
    let method = match failure {
        Failure::Call => Some(members.pop()?),
        _ => None,
    };
    let mut shape = given(answers, source, root, site)?;
    let mut name = root.to_owned();
    for member in members {
        if shape.lacks(member.name) {
            return Some(missing(&name, &shape, member.name));
        }
        if matches!(shape.kind, Kind::Text | Kind::Other) {
            return Some(misused(&name, &shape, Some(member.name)));
        }
        shape = shape.at(member.name)?.clone();
        name.push_str(member.text);
    }
    match failure {
        Failure::Read(property) if shape.kind == Kind::Null => {
            Some(format!("`{name}` is null: write `{name}?.{property}`"))
        }
        Failure::Call if method.is_some_and(|method| shape.at(method.name).is_some()) => None,
        Failure::Call | Failure::Iterate(_) => {
            Some(misused(&name, &shape, method.map(|method| method.name)))
        }
        _ => None,
    }
}

/// What a source reads of answers that these have not, though they have something like it that the
/// source does not read.
pub(super) fn in_vain(answers: &Answers<'_>, source: &Source) -> Vec<String> {
    let text = &source.text;
    let reads = source.sites().iter().filter(|site| site.kind == Does::Read);
    let names: Vec<_> = reads
        .clone()
        .filter_map(|site| Some(site.name?.source_text(text)))
        .collect();
    let told = reads.filter_map(|site| {
        let name = site.name?.source_text(text);
        let (root, members) = path(site.subject?.source_text(text))?;
        let mut shape = given(answers, source, root, site)?;
        for member in members {
            shape = shape.at(member.name)?.clone();
        }
        let is_read = |key: &str| names.contains(&key);
        let likely =
            shape.lacks(name) && (PROTOCOL.contains(&name) || shape.has_like(name, is_read));
        likely.then(|| {
            let subject = site
                .subject
                .map_or(root, |subject| subject.source_text(text));
            let line = source
                .location(site.at)
                .map(|at| format!(" (line {})", at.line));
            format!(
                "{}{}",
                missing(subject, &shape, name),
                line.unwrap_or_default()
            )
        })
    });
    told.take(TOLD).collect()
}

/// What is said of a call of `JSON.parse` that failed.
pub(super) fn of_json(answers: &Answers<'_>, message: &str) -> Option<String> {
    if answers.is_empty() {
        return None;
    }
    Some(match message {
        "unexpected token: 'object'" => {
            format!("JSON.parse was given an object; {PARSED}: use it as it is")
        }
        _ => format!("the text is not JSON; {PARSED}, and one that is text is used as it is"),
    })
}

/// What the answer is that a name was given last, before an operation.
fn given(answers: &Answers<'_>, source: &Source, name: &str, site: &Site) -> Option<Shape> {
    let text = &source.text;
    let fits =
        |binding: &&Binding| binding.name.source_text(text) == name && binding.name.start < site.at;
    let binding = source.found().bindings.iter().rev().find(fits)?;
    let is_call = |site: &&Site| site.subject == Some(binding.callee);
    let call = source.sites().iter().find(is_call)?;
    let likely = answers.iter().filter_map(|(tool, answer)| {
        let tool = host::tools::name_of(*tool);
        Some((likeness(text, call, &tool.server, &tool.tool)?, answer))
    });
    let (_, answer) = likely.max_by_key(|(likeness, _)| *likeness)?;
    let shape = answer.shape();
    match binding.property {
        Some(property) => shape.at(property.source_text(text)).cloned(),
        None => Some(shape),
    }
}

/// A member of an expression: `.items`, `?.items`, `[0]`.
#[derive(Clone, Copy)]
struct Member<'s> {
    text: &'s str,
    name: &'s str,
}

/// A name and its members, if that is all there is.
fn path(written: &str) -> Option<(&str, Vec<Member<'_>>)> {
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let end = |text: &str| text.find(|letter| !is_name(letter)).unwrap_or(text.len());
    let (root, mut rest) = written.split_at(end(written));
    let mut members = Vec::new();
    while !rest.is_empty() {
        let name = rest.trim_start_matches('?');
        let (name, closing) = match name.strip_prefix('[') {
            Some(name) => (name, 1),
            None => (name.strip_prefix('.')?, 0),
        };
        let begin = rest.len() - name.len();
        let after = begin + end(name) + closing;
        if closing == 1 && !rest[..after.min(rest.len())].ends_with(']') {
            return None;
        }
        let text = rest.get(..after)?;
        let name = &text[begin..after - closing];
        members.push(Member { text, name });
        rest = &rest[after..];
    }
    (!root.is_empty()).then_some((root, members))
}

/// What is said of a property that an answer has not.
fn missing(name: &str, shape: &Shape, property: &str) -> String {
    let keys = shape.listed();
    if PROTOCOL.contains(&property) {
        return format!(
            "`{name}` has no `{property}`, for an answer is the value itself, without what the protocol has around it: \
             use `{name}` as it is. Its keys: {keys}"
        );
    }
    let near: Vec<_> = shape
        .keys
        .iter()
        .filter(|(key, _)| is_like(key, property))
        .map(|(key, _)| format!("`{key}`"))
        .collect();
    let guess = match shape.rows() {
        _ if !near.is_empty() => format!("; did you mean {}?", near.join(" or ")),
        Some(rows) => format!(": its rows are in `{name}.{rows}`."),
        None => ".".to_owned(),
    };
    format!("`{name}` has no `{property}`{guess} Its keys: {keys}")
}

impl Shape {
    /// Whether it has a key like a name, and none like it is read.
    fn has_like(&self, name: &str, is_read: impl Fn(&str) -> bool) -> bool {
        let mut like = self.keys.iter().filter(|(key, _)| is_like(key, name));
        let first = like.next();
        first.is_some_and(|(key, _)| !is_read(key)) && like.all(|(key, _)| !is_read(key))
    }
}

/// Whether one name may be meant by the other.
fn is_like(key: &str, name: &str) -> bool {
    let folded = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let (key, name) = (folded(key), folded(name));
    let shorter = key.len().min(name.len());
    key == name || shorter > 2 && (key.starts_with(&name) || name.starts_with(&key))
}

/// What a value is that was used as another kind.
fn misused(name: &str, shape: &Shape, member: Option<&str>) -> String {
    let what = shape.named();
    let instead = match (shape.kind, shape.rows()) {
        (Kind::Object, Some(rows)) => format!("; its rows are in `{name}.{rows}`"),
        (Kind::Text, _) if member.is_none_or(|member| OF_LISTS.contains(&member)) => {
            format!("; for its lines, write `{name}.split(\"\\n\")`")
        }
        (Kind::Text, _) if member.is_some_and(|member| PROTOCOL.contains(&member)) => {
            format!(", without what the protocol has around it: use `{name}` as it is")
        }
        (Kind::List(_), _) if shape.at("text").is_some() => {
            format!("; for their texts, write `{name}.map((item) => item.text)`")
        }
        _ => String::new(),
    };
    format!("`{name}` is {what}{instead}")
}
