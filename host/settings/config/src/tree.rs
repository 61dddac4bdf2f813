//! Files of all formats as one kind of tree, in which each value knows its place.

use std::borrow::Cow;
use std::ops::Range;

use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::{ParseOptions, ast, parse_to_ast};
use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// How deep a YAML file may be nested. Parsers of the other formats have bounds of their own.
const MAX_DEPTH: usize = 100;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// TOML.
    Toml,
    /// JSON, with comments and trailing commas.
    Json,
    /// YAML. Aliases are not followed.
    Yaml,
}

/// A value, and where it stands, in bytes.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) place: Range<usize>,
    pub(super) value: Value,
}

#[derive(Debug, Clone)]
pub(super) enum Value {
    Text(String),
    Boolean(bool),
    /// In decimal, as it is written.
    Integer(String),
    /// The same.
    Fraction(String),
    List(Vec<Node>),
    Table(Vec<Member>),
    /// As if it were absent.
    Null,
    /// What no key of ours takes: dates, aliases.
    Other,
}

#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) name: String,
    /// Where the name stands.
    pub(super) place: Range<usize>,
    pub(super) node: Node,
}

/// What a parser finds wrong with a file as a whole, and where. Says what was expected, never what
/// stands there.
pub(super) type Broken = (String, Option<Range<usize>>);

impl Format {
    /// That of a file, by its name.
    pub(super) fn of(file: &std::path::Path) -> Self {
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => Self::Toml,
            Some("yaml" | "yml") => Self::Yaml,
            _ => Self::Json,
        }
    }

    pub(super) fn parsed(self, text: &str) -> Result<Node, Vec<Broken>> {
        match self {
            Self::Toml => toml(text),
            Self::Json => json(text),
            Self::Yaml => yaml(text),
        }
    }
}

impl Node {
    pub(super) fn text(place: Range<usize>, text: impl Into<String>) -> Self {
        Self {
            place,
            value: Value::Text(text.into()),
        }
    }

    /// What this key has, if it is a table and has it. Where a key is there twice, the last counts,
    /// as for the programs whose files these are.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        self.member(name).map(|member| &member.node)
    }

    pub(super) fn member(&self, name: &str) -> Option<&Member> {
        let is_meant = |member: &&Member| member.name == name && !member.node.is_null();
        self.members().iter().rev().find(is_meant)
    }

    /// What stands at the end of this path of keys.
    pub(super) fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    pub(super) fn members(&self) -> &[Member] {
        match &self.value {
            Value::Table(members) => members,
            _ => &[],
        }
    }

    pub(super) fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }
}

/// A member of a table that is made.
pub(super) fn member(name: &str, place: Range<usize>, node: Node) -> Member {
    Member {
        name: name.to_owned(),
        place,
        node,
    }
}

/// A list that is made.
pub(super) fn list(place: Range<usize>, items: Vec<Node>) -> Node {
    Node {
        place,
        value: Value::List(items),
    }
}

fn toml(text: &str) -> Result<Node, Vec<Broken>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let broken = |error: toml::de::Error| (error.message().to_owned(), error.span());
        return Err(errors.into_iter().map(broken).collect());
    }
    let place = document.span();
    Ok(Node {
        place,
        value: Value::Table(toml_members(document.into_inner())),
    })
}

fn toml_members(table: DeTable<'_>) -> Vec<Member> {
    let mut members: Vec<Member> = table
        .into_iter()
        .map(|(name, value)| Member {
            place: name.span(),
            name: name.into_inner().into_owned(),
            node: toml_node(value),
        })
        .collect();
    members.sort_by_key(|member| member.place.start);
    members
}

fn toml_node(value: Spanned<DeValue<'_>>) -> Node {
    let place = value.span();
    let value = match value.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Boolean(is) => Value::Boolean(is),
        DeValue::Integer(number) if number.radix() == 10 => {
            Value::Integer(number.as_str().to_owned())
        }
        DeValue::Array(items) => Value::List(items.into_iter().map(toml_node).collect()),
        DeValue::Table(table) => Value::Table(toml_members(table)),
        DeValue::Float(number) => Value::Fraction(number.as_str().to_owned()),
        DeValue::Integer(_) | DeValue::Datetime(_) => Value::Other,
    };
    Node { place, value }
}

fn json(text: &str) -> Result<Node, Vec<Broken>> {
    // Commas that are missing mean that something was torn apart; the rest is for people who write
    // by hand.
    let options = ParseOptions {
        allow_missing_commas: false,
        allow_loose_object_property_names: false,
        ..ParseOptions::default()
    };
    match parse_to_ast(text, &jsonc_parser::CollectOptions::default(), &options) {
        Ok(parsed) => Ok(parsed.value.map_or_else(
            || Node {
                place: 0..text.len(),
                value: Value::Table(Vec::new()),
            },
            json_node,
        )),
        Err(error) => {
            let range = error.range();
            let message = match error.kind() {
                // What it says quotes the escape.
                ParseErrorKind::String(_) => "this is not a valid string".to_owned(),
                kind => lowered(&kind.to_string()),
            };
            Err(vec![(message, Some(range.start..range.end))])
        }
    }
}

fn json_node(value: ast::Value<'_>) -> Node {
    let range = |range: &jsonc_parser::common::Range| range.start..range.end;
    let (place, value) = match value {
        ast::Value::StringLit(text) => (range(&text.range), Value::Text(text.value.into_owned())),
        ast::Value::NumberLit(number) => (range(&number.range), number_of(number.value)),
        ast::Value::BooleanLit(is) => (range(&is.range), Value::Boolean(is.value)),
        ast::Value::NullKeyword(null) => (range(&null.range), Value::Null),
        ast::Value::Array(array) => (
            range(&array.range),
            Value::List(array.elements.into_iter().map(json_node).collect()),
        ),
        ast::Value::Object(object) => {
            let member = |property: ast::ObjectProp<'_>| {
                let name = match &property.name {
                    ast::ObjectPropName::String(name) => &name.range,
                    ast::ObjectPropName::Word(name) => &name.range,
                };
                Member {
                    place: range(name),
                    name: property.name.into_string(),
                    node: json_node(property.value),
                }
            };
            let members = object.properties.into_iter().map(member).collect();
            (range(&object.range), Value::Table(members))
        }
    };
    Node { place, value }
}

fn number_of(written: &str) -> Value {
    let digits = written.strip_prefix('-').unwrap_or(written);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        Value::Integer(written.to_owned())
    } else if written.parse::<f64>().is_ok_and(f64::is_finite) {
        Value::Fraction(written.to_owned())
    } else {
        Value::Other
    }
}

fn lowered(message: &str) -> String {
    let mut chars = message.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(chars).collect()
    })
}

/// A list or table whose end has not come yet.
struct Open {
    start: usize,
    is_table: bool,
    /// A table's names and values by turns.
    nodes: Vec<Node>,
}

/// Reads the first document of the file.
fn yaml(text: &str) -> Result<Node, Vec<Broken>> {
    let bytes = byte_places(text);
    let place = |span: &Span| {
        let at = |index: usize| match &bytes {
            Some(bytes) => bytes.get(index).copied().unwrap_or(text.len()),
            None => index.min(text.len()),
        };
        at(span.start.index())..at(span.end.index())
    };
    let mut open: Vec<Open> = Vec::new();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| {
            let at = place(&Span::empty(*error.marker()));
            // What it says quotes the file in places.
            vec![("this is not valid YAML".to_owned(), Some(at))]
        })?;
        let place = place(&span);
        let value = match event {
            Event::Scalar(text, style, ..) => scalar(text, style),
            Event::Alias(_) => Value::Other,
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if open.len() == MAX_DEPTH {
                    return Err(vec![("it is nested too deep".to_owned(), Some(place))]);
                }
                open.push(Open {
                    start: place.start,
                    is_table: matches!(event, Event::MappingStart(..)),
                    nodes: Vec::new(),
                });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(ended) => {
                    let node = ended.closed(place.end);
                    match open.last_mut() {
                        Some(parent) => parent.nodes.push(node),
                        None => return Ok(node),
                    }
                    continue;
                }
                None => continue,
            },
            _ => continue,
        };
        let node = Node { place, value };
        match open.last_mut() {
            Some(parent) => parent.nodes.push(node),
            None => return Ok(node),
        }
    }
    Ok(Node {
        place: 0..text.len(),
        value: Value::Table(Vec::new()),
    })
}

impl Open {
    fn closed(self, end: usize) -> Node {
        let value = if self.is_table {
            let mut nodes = self.nodes.into_iter();
            let mut members = Vec::new();
            while let (Some(name), Some(node)) = (nodes.next(), nodes.next()) {
                // A name that is not text is none that we look for.
                let (place, Value::Text(name) | Value::Integer(name)) = (name.place, name.value)
                else {
                    continue;
                };
                members.push(Member { name, place, node });
            }
            Value::Table(members)
        } else {
            Value::List(self.nodes)
        };
        Node {
            place: self.start..end.max(self.start),
            value,
        }
    }
}

fn scalar(text: Cow<'_, str>, style: ScalarStyle) -> Value {
    if style != ScalarStyle::Plain {
        return Value::Text(text.into_owned());
    }
    match &*text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Boolean(true),
        "false" | "False" | "FALSE" => Value::Boolean(false),
        _ => match number_of(&text) {
            Value::Fraction(_) | Value::Other => Value::Text(text.into_owned()),
            number => number,
        },
    }
}

/// Where each character begins, for a text in which some have several bytes: the parser counts
/// characters.
fn byte_places(text: &str) -> Option<Vec<usize>> {
    (!text.is_ascii()).then(|| text.char_indices().map(|(at, _)| at).collect())
}
