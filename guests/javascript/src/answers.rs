//! What tools gave last, for errors of scripts that take an answer for something else.

use rquickjs::object::Filter;
use rquickjs::{Ctx, Object, Value};
use rustc_hash::FxHashMap;

use crate::host::ToolId;
use crate::session::Session;

/// How long an answer may be that is kept itself, in bytes of JSON. Of longer ones, which cost more
/// than looking at them, only the shape is.
const KEPT_BYTES: usize = 32 << 10;

/// Of how many tools an answer is kept.
const TOOLS: usize = 16;

/// How many keys are listed before they are only counted.
const LISTED: usize = 20;

/// The last answers, by their tools.
pub(crate) type Answers<'js> = FxHashMap<ToolId, Answer<'js>>;

/// A tool's answer.
pub(crate) enum Answer<'js> {
    Kept(Value<'js>),
    Outlined(Shape),
}

/// Notes a tool's answer, which has that many bytes of JSON.
pub(crate) fn note<'js>(ctx: &Ctx<'js>, tool: ToolId, bytes: usize, value: &Value<'js>) {
    let session = Session::of(ctx);
    let mut answers = session.answers.borrow_mut();
    if answers.len() >= TOOLS && !answers.contains_key(&tool) {
        return;
    }
    let answer = if bytes <= KEPT_BYTES {
        Answer::Kept(value.clone())
    } else {
        Answer::Outlined(Shape::of(value))
    };
    answers.insert(tool, answer);
}

impl Answer<'_> {
    /// What it is.
    pub(crate) fn shape(&self) -> Shape {
        match self {
            Self::Kept(value) => Shape::of(value),
            Self::Outlined(shape) => shape.clone(),
        }
    }
}

/// What a value is, as far as a message tells it.
#[derive(Clone)]
pub(crate) struct Shape {
    pub(crate) kind: Kind,
    /// The keys of an object, or of a list's first item, and the values there.
    pub(crate) keys: Vec<(String, Shape)>,
    /// How many keys there are besides.
    more: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Object,
    List(usize),
    Text,
    Null,
    Other,
}

impl Shape {
    fn of(value: &Value<'_>) -> Self {
        Self::to_depth(value, 2)
    }

    fn to_depth(value: &Value<'_>, depth: usize) -> Self {
        let mut shape = Self {
            kind: Kind::Other,
            keys: Vec::new(),
            more: 0,
        };
        if let Some(list) = value.as_array() {
            shape.kind = Kind::List(list.len());
            let first = list.get::<Value<'_>>(0).ok();
            if let Some(first) = first.as_ref().and_then(Value::as_object) {
                shape.list_keys(first, depth);
            }
        } else if let Some(object) = value.as_object() {
            shape.kind = Kind::Object;
            shape.list_keys(object, depth);
        } else if value.is_string() {
            shape.kind = Kind::Text;
        } else if value.is_null() || value.is_undefined() {
            shape.kind = Kind::Null;
        }
        shape
    }

    fn list_keys(&mut self, object: &Object<'_>, depth: usize) {
        if depth == 0 || object.is_array() {
            return;
        }
        let mut keys = object.own_keys::<String>(Filter::default());
        for key in keys.by_ref().take(LISTED).flatten() {
            if let Ok(value) = object.get::<_, Value<'_>>(&*key) {
                self.keys.push((key, Self::to_depth(&value, depth - 1)));
            }
        }
        self.more = keys.count();
    }

    /// The value at a key, of an object.
    pub(crate) fn at(&self, key: &str) -> Option<&Self> {
        let found = self.keys.iter().find(|(own, _)| own == key);
        found.map(|(_, shape)| shape)
    }

    /// Whether it is an object that certainly lacks a key.
    pub(crate) fn lacks(&self, key: &str) -> bool {
        self.kind == Kind::Object && self.more == 0 && self.at(key).is_none()
    }

    /// The key of the only list that is in it.
    pub(crate) fn rows(&self) -> Option<&str> {
        let is_list = |(_, shape): &&(String, Self)| matches!(shape.kind, Kind::List(_));
        let mut lists = self.keys.iter().filter(is_list);
        match (lists.next(), lists.next()) {
            (Some((key, _)), None) if self.kind == Kind::Object => Some(key),
            _ => None,
        }
    }

    /// `an object with the keys …`, `a text`.
    pub(crate) fn named(&self) -> String {
        let with = match self.keys.len() {
            0 => String::new(),
            1 => format!(" with the key {}", self.listed()),
            _ => format!(" with the keys {}", self.listed()),
        };
        match self.kind {
            Kind::Object => format!("an object{with}"),
            Kind::List(0) => "an empty list".to_owned(),
            Kind::List(count) if with.is_empty() => format!("a list of {count}"),
            Kind::List(1) => format!("a list of 1 object{with}"),
            Kind::List(count) => format!("a list of {count} objects{with}"),
            Kind::Text => "a text".to_owned(),
            Kind::Null => "null".to_owned(),
            Kind::Other => "a number or a boolean".to_owned(),
        }
    }

    /// The keys, the first of them if they are many.
    pub(crate) fn listed(&self) -> String {
        let keys: Vec<_> = self.keys.iter().map(|(key, _)| key.as_str()).collect();
        let more = match self.more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("{}{more}", keys.join(", "))
    }
}
