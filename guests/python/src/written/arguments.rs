//! The arguments of a call, as a JSON document with the places that the script does not prove.

use super::facts::{Member, Value, Whole};
use super::judge::{Judge, UNKNOWN};
use super::walk::quote;

/// A document, the places in it whose value is not known, and the objects and lists that may hold
/// more: JSON Pointers.
#[derive(Default)]
pub(super) struct Document {
    pub(super) json: String,
    pub(super) unknown: Vec<String>,
    pub(super) open: Vec<String>,
    /// How deep the value is that is written.
    depth: u32,
}

/// What is known of a call's arguments.
pub(super) struct Arguments<'f> {
    pub(super) document: Document,
    /// How many of them are by position.
    pub(super) positional: u32,
    /// The keys of the one dict that they are given as, if they are.
    pub(super) keys: Option<Vec<&'f str>>,
}

/// The members of an object, and whether there may be more.
#[derive(Default)]
struct Members<'f> {
    known: Vec<(&'f str, &'f Value)>,
    is_open: bool,
    /// What was spread, so that nothing is followed for ever.
    depth: u32,
}

impl<'f> Members<'f> {
    fn set(&mut self, name: &'f str, value: &'f Value) {
        match self.known.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = value,
            None => self.known.push((name, value)),
        }
    }
}

/// How many names stand for each other at most, one behind the other.
const DEPTH: u32 = 8;

/// How deep values nest that are written.
const DEEPEST: u32 = 40;

/// The names that arguments by position have here. More of them are left alone.
const PLACES: [&str; 10] = ["#0", "#1", "#2", "#3", "#4", "#5", "#6", "#7", "#8", "#9"];

impl<'f> Judge<'f> {
    /// What is known of arguments; none where nothing is. A call that gives `None` by position
    /// gives nothing there.
    pub(super) fn arguments(
        &self,
        positional: &'f [Value],
        named: &'f [Member],
    ) -> Option<Arguments<'f>> {
        let positional = positional.iter().map(|value| self.known(value));
        let mut positional: Vec<&'f Value> = positional.collect();
        while matches!(positional.last(), Some(Value::Null)) {
            positional.pop();
        }
        let mut members = Members::default();
        let mut keys = None;
        let mut count = 0;
        match &positional[..] {
            [] => {}
            [Value::Unknown] => return None,
            [Value::Object(given)] => {
                self.add(&mut members, given, Overriding::Yes);
                keys = Some(members.known.iter().map(|(name, _)| *name).collect());
            }
            values if values.len() > PLACES.len() => return None,
            values => {
                count = values.len() as u32;
                for (name, value) in PLACES.into_iter().zip(values) {
                    let value = match value {
                        Value::Null => &UNKNOWN,
                        other => *other,
                    };
                    members.known.push((name, value));
                }
            }
        }
        self.add(&mut members, named, Overriding::No);
        let mut document = Document::default();
        self.write_members(&members, &mut String::new(), &mut document);
        Some(Arguments {
            document,
            positional: count,
            keys,
        })
    }

    fn add(&self, members: &mut Members<'f>, given: &'f [Member], overriding: Overriding) {
        for member in given {
            match member {
                Member::Pair(name, value) => members.set(name, value),
                Member::Spread(value) if members.depth < DEPTH => match self.known(value) {
                    Value::Object(inner) => {
                        let mut spread = Members {
                            depth: members.depth + 1,
                            ..Members::default()
                        };
                        self.add(&mut spread, inner, Overriding::Yes);
                        if spread.is_open {
                            members.may_have_others(overriding);
                        }
                        for (name, value) in spread.known {
                            members.set(name, value);
                        }
                    }
                    _ => members.may_have_others(overriding),
                },
                Member::Spread(_) | Member::Unknown => members.may_have_others(overriding),
            }
        }
    }

    fn write(&self, value: &'f Value, path: &mut String, document: &mut Document) {
        let value = match document.depth {
            DEEPEST.. => &UNKNOWN,
            _ => self.known(value),
        };
        document.depth += 1;
        self.write_known(value, path, document);
        document.depth -= 1;
    }

    fn write_known(&self, value: &'f Value, path: &mut String, document: &mut Document) {
        match value {
            Value::Unknown | Value::Name(..) => {
                document.unknown.push(path.clone());
                document.json.push_str("null");
            }
            Value::Null => document.json.push_str("null"),
            Value::Plain(json) => document.json.push_str(json),
            Value::List(items, whole) => {
                if *whole == Whole::No {
                    document.open.push(path.clone());
                }
                document.json.push('[');
                for (at, item) in items.iter().enumerate() {
                    if at > 0 {
                        document.json.push(',');
                    }
                    self.write_at(item, &at.to_string(), path, document);
                }
                document.json.push(']');
            }
            Value::Object(given) => {
                let mut members = Members::default();
                self.add(&mut members, given, Overriding::Yes);
                self.write_members(&members, path, document);
            }
        }
    }

    fn write_members(&self, members: &Members<'f>, path: &mut String, document: &mut Document) {
        if members.is_open {
            document.open.push(path.clone());
        }
        document.json.push('{');
        for (at, (name, value)) in members.known.iter().enumerate() {
            if at > 0 {
                document.json.push(',');
            }
            quote(name, &mut document.json);
            document.json.push(':');
            self.write_at(value, name, path, document);
        }
        document.json.push('}');
    }

    fn write_at(&self, value: &'f Value, token: &str, path: &mut String, document: &mut Document) {
        let before = path.len();
        push_token(path, token);
        self.write(value, path, document);
        path.truncate(before);
    }
}

/// Whether what is spread comes in the place of what stands before it. In a call, that would be an
/// error.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Overriding {
    Yes,
    No,
}

impl Members<'_> {
    fn may_have_others(&mut self, overriding: Overriding) {
        self.is_open = true;
        if overriding == Overriding::Yes {
            let known = self.known.iter_mut();
            known.for_each(|(_, value)| *value = &UNKNOWN);
        }
    }
}

/// Adds a token to a JSON Pointer.
pub(super) fn push_token(path: &mut String, token: &str) {
    path.push('/');
    if !token.contains(['~', '/']) {
        path.push_str(token);
        return;
    }
    for character in token.chars() {
        match character {
            '~' => path.push_str("~0"),
            '/' => path.push_str("~1"),
            other => path.push(other),
        }
    }
}
