//! Tables that are read into the types that their owners derive.
//!
//! `serde` ends at the first mistake. Here, what is wrong is noted with its place and left out, and the
//! table is read again without it, so that all mistakes are told at once. A message quotes no value:
//! any may be a secret.
//!
//! - `access`: the items of lists and the entries of tables, without what is left out
//! - `names`: names that tables may have
//! - `wrong`: what is wrong with a value, in plain words

mod access;
mod names;
mod wrong;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::ops::Range;

use ampoule_fields::form;
use serde::de::value::StringDeserializer;
use serde::de::{self, DeserializeOwned, Visitor};
use serde::forward_to_deserialize_any;

use super::error::Mistakes;
use super::expand::{self, Surroundings};
use super::former;
use super::read::{Entry, one_of, shown_key, unknown};
use super::tree::{Member, Node, Value};
use access::{Entries, Items};
use wrong::{What, Wrong};

/// How often a table is read at most: more mistakes of one are not told at once.
const MOST_READ: usize = 100;

/// What was read of a table, or of another value.
pub(super) struct Reading<T> {
    /// What is right of it; `None` where that is not enough.
    pub(super) value: Option<T>,
    /// All that is wrong with it.
    pub(super) mistakes: Mistakes,
    /// What was put in for variables whose values may be secrets: their names and values.
    pub(super) variables: BTreeSet<(String, String)>,
    /// Whether it has keys that mean nothing.
    pub(super) has_unknown_keys: bool,
}

/// Reads a table, or another value, into the type that its owner derives. The value counts only
/// where there are no mistakes.
pub(super) fn read<T: DeserializeOwned>(entry: &Entry<'_>, around: Surroundings<'_>) -> Reading<T> {
    let notes = Notes {
        entry,
        around,
        mistakes: RefCell::default(),
        left_out: RefCell::default(),
        variables: RefCell::default(),
        has_unknown_keys: Cell::default(),
    };
    let root = At::root(&notes);
    let mut value = None;
    for _ in 0..MOST_READ {
        match T::deserialize(root.clone()) {
            Ok(read) => {
                value = Some(read);
                break;
            }
            Err(wrong) => {
                if !notes.note(wrong.at(&root)) {
                    break;
                }
            }
        }
    }
    let mut mistakes = notes.mistakes.into_inner();
    if value.is_none() && mistakes.is_empty() {
        mistakes.add(entry.refuse("this can't be used"));
    }
    Reading {
        value,
        mistakes,
        variables: notes.variables.into_inner(),
        has_unknown_keys: notes.has_unknown_keys.get(),
    }
}

/// What is noted while a table is read.
struct Notes<'a> {
    entry: &'a Entry<'a>,
    around: Surroundings<'a>,
    mistakes: RefCell<Mistakes>,
    /// The keys, from the root on, of what is wrong.
    left_out: RefCell<BTreeSet<String>>,
    variables: RefCell<BTreeSet<(String, String)>>,
    has_unknown_keys: Cell<bool>,
}

/// A value of the file.
#[derive(Clone)]
struct At<'a, 'r> {
    notes: &'r Notes<'a>,
    node: &'a Node,
    /// The keys that lead to it.
    key: String,
    /// The same as messages have it: a name that may be a secret is left out.
    shown: String,
    form: Form,
    /// It is in a table whose keys are patterns of tools.
    is_by_tools: bool,
}

/// What a text, or a table, is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    AsWritten,
    Expanded,
    Noted,
    Path,
    Program,
    Headers,
    Variables,
    ByTools,
}

impl Notes<'_> {
    /// Notes what is wrong, and leaves it out from now on. Whether there is anything left to read.
    fn note(&self, wrong: Wrong) -> bool {
        let Wrong { what, place, .. } = wrong;
        let Some(place) = place else { return false };
        if !self.follows(&what, &place.key) {
            let error = self
                .entry
                .wrong(place.range, &place.shown, what.to_string());
            self.mistakes.borrow_mut().add(error);
        }
        if let What::Unknown(_) = what {
            self.has_unknown_keys.set(true);
        }
        let is_root = place.key.is_empty();
        self.left_out.borrow_mut().insert(place.key);
        !is_root
    }

    /// Whether something is wrong for nothing but what was left out.
    fn follows(&self, what: &What, key: &str) -> bool {
        let left_out = self.left_out.borrow();
        match what {
            What::Missing(name) => left_out.contains(&below(key, name)),
            What::Unknown(_) => false,
            What::Else(_) => {
                let is_below = |out: &String| {
                    let rest = out.strip_prefix(key);
                    rest.is_some_and(|rest| rest.starts_with(['.', '[']))
                };
                left_out.iter().any(is_below)
            }
        }
    }

    fn is_left_out(&self, key: &str) -> bool {
        self.left_out.borrow().contains(key)
    }

    /// A text with its variables replaced, as programs get it.
    fn expanded(&self, text: &str) -> Result<String, String> {
        self.expanded_by(text, self.around.environment)
    }

    /// The same, and the variables are noted.
    fn noted(&self, text: &str) -> Result<String, String> {
        self.expanded_by(text, &|name| {
            let value = (self.around.environment)(name)?;
            if let Some(text) = value.to_str() {
                let variable = (name.to_owned(), text.to_owned());
                self.variables.borrow_mut().insert(variable);
            }
            Some(value)
        })
    }

    fn expanded_by(
        &self,
        text: &str,
        environment: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<String, String> {
        let text = expand::expand(text, environment)?;
        match text.contains('\0') {
            true => Err("this may not contain a NUL character".to_owned()),
            false => Ok(text),
        }
    }
}

/// The key of what is below another.
fn below(key: &str, name: &str) -> String {
    format!("{key}.{}", shown_key(name))
}

impl<'a, 'r> At<'a, 'r> {
    fn root(notes: &'r Notes<'a>) -> Self {
        Self {
            notes,
            node: notes.entry.node(),
            key: String::new(),
            shown: notes.entry.key().to_owned(),
            form: Form::AsWritten,
            is_by_tools: false,
        }
    }

    /// What a member of this table has.
    fn member(&self, member: &'a Member) -> Self {
        Self {
            node: &member.node,
            key: below(&self.key, &member.name),
            shown: match names::is_shown(self.form, &member.name) {
                true => self.shown_below(&member.name),
                false => self.shown.clone(),
            },
            form: Form::AsWritten,
            is_by_tools: self.form == Form::ByTools && member.name != MODEL,
            ..*self
        }
    }

    /// What messages call a key of this table.
    fn shown_below(&self, name: &str) -> String {
        match self.shown.is_empty() {
            true => shown_key(name),
            false => below(&self.shown, name),
        }
    }

    fn item(&self, number: usize, node: &'a Node) -> Self {
        Self {
            node,
            key: format!("{}[{number}]", self.key),
            shown: format!("{}[{number}]", self.shown),
            is_by_tools: false,
            ..self.clone()
        }
    }

    /// Something that is wrong with this value, in words that quote nothing of it.
    fn wrong(&self, why: impl Into<String>) -> Wrong {
        Wrong::new(why).there(self)
    }

    /// Something that is wrong with a member's name.
    fn wrong_name(&self, member: &Member, what: What) -> Wrong {
        let place = wrong::Place {
            key: below(&self.key, &member.name),
            shown: self.shown.clone(),
            range: member.place.clone(),
        };
        Wrong {
            place: Some(place),
            ..Wrong::of(what)
        }
    }

    /// A key that means nothing in this table.
    fn unknown(&self, member: &Member, known: &[&str]) -> Wrong {
        let are_all = |member: &Member| !known.contains(&&*member.name);
        if self.is_by_tools && self.node.members().iter().all(are_all) {
            // `crm.read = "x"` without quotes is a table of a table.
            return self.wrong(IN_QUOTES);
        }
        let why = former::key(&self.shown_below(&member.name));
        let why = why.unwrap_or_else(|| unknown(&member.name, known));
        self.wrong_name(member, What::Unknown(why))
    }

    fn text(&self) -> Result<String, Wrong> {
        let Value::Text(text) = &self.node.value else {
            return Err(self.wrong("this must be a string, in quotes"));
        };
        let expanded = || self.notes.expanded(text).map_err(|why| self.wrong(why));
        match self.form {
            Form::Expanded => expanded(),
            Form::Noted => self.notes.noted(text).map_err(|why| self.wrong(why)),
            Form::Path => self.in_folder(&expanded()?),
            Form::Program => {
                let program = expanded()?;
                match program.trim().is_empty() {
                    true => Err(self.wrong("the command is empty")),
                    false if program.contains('/') => self.in_folder(&program),
                    false => Ok(program),
                }
            }
            Form::AsWritten | Form::Headers | Form::Variables | Form::ByTools => Ok(text.clone()),
        }
    }

    fn in_folder(&self, path: &str) -> Result<String, Wrong> {
        let path = self.notes.around.folder.join(path);
        path.into_os_string()
            .into_string()
            .map_err(|_| self.wrong("the path to this is not valid UTF-8"))
    }

    fn members(&self) -> Result<&'a [Member], Wrong> {
        match &self.node.value {
            Value::Table(members) => Ok(members),
            _ => Err(self.wrong(match self.form {
                Form::Variables => {
                    "this must be a table of variables: `env = { NAME = \"value\" }`".to_owned()
                }
                Form::Headers => {
                    "this must be a table of headers: `headers = { NAME = \"value\" }`".to_owned()
                }
                _ => former::key(&self.shown).unwrap_or_else(|| {
                    "this must be a table, in braces or below a heading in brackets".to_owned()
                }),
            })),
        }
    }
}

/// What takes what the model is given, beside patterns of tools.
const MODEL: &str = "model";
/// What is said of a table where something else was meant.
const IN_QUOTES: &str = "write tools in quotes, such as \"crm.*\": without them, this is a table";

impl<'de, 'a: 'de> de::Deserializer<'de> for At<'a, '_> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let at = self.clone();
        let read = match &self.node.value {
            Value::Text(_) => visitor.visit_string(self.text()?),
            Value::Boolean(is) => visitor.visit_bool(*is),
            Value::Integer(digits) => match (digits.parse(), digits.parse()) {
                (Ok(number), _) => visitor.visit_u64(number),
                (_, Ok(number)) => visitor.visit_i64(number),
                // A quantity says what is wrong with it.
                _ => visitor.visit_str(digits),
            },
            Value::Fraction(_) => visitor.visit_f64(0.0),
            Value::List(items) => visitor.visit_seq(Items::new(self, items)),
            Value::Table(members) => {
                let members = members.iter().collect();
                visitor.visit_map(Entries::new(self, members))
            }
            Value::Null | Value::Other => visitor.visit_unit(),
        };
        read.map_err(|wrong| wrong.at(&at))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        match self.node.value {
            Value::Boolean(is) => visitor
                .visit_bool(is)
                .map_err(|wrong: Wrong| wrong.at(&self)),
            _ => Err(self.wrong("this must be true or false")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        self.deserialize_string(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let text = self.text()?;
        visitor
            .visit_string(text)
            .map_err(|wrong: Wrong| wrong.at(&self))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        let form = match name {
            form::EXPANDED => Form::Expanded,
            form::PATH => Form::Path,
            form::PROGRAM => Form::Program,
            form::NOTED => Form::Noted,
            form::HEADERS => Form::Headers,
            form::VARIABLES => Form::Variables,
            form::BY_TOOLS => Form::ByTools,
            _ => self.form,
        };
        let at = self.clone();
        let read = visitor.visit_newtype_struct(Self { form, ..self });
        read.map_err(|wrong| wrong.at(&at))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let Value::List(items) = &self.node.value else {
            return Err(self.wrong("this must be a list, in brackets"));
        };
        let at = self.clone();
        let read = visitor.visit_seq(Items::new(self, items));
        read.map_err(|wrong| wrong.at(&at))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let at = self.clone();
        let members = self.members()?.iter().collect();
        let read = visitor.visit_map(Entries::new(self, members));
        read.map_err(|wrong| wrong.at(&at))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        let at = self.clone();
        let (mut known, unknown): (Vec<_>, Vec<_>) =
            (self.members()?.iter()).partition(|member| fields.contains(&&*member.name));
        // Where a key of another client's file is there twice, the last counts.
        let mut names = BTreeSet::new();
        known.reverse();
        known.retain(|member| !member.node.is_null() && names.insert(&*member.name));
        known.reverse();
        for member in unknown {
            if !self.notes.is_left_out(&below(&self.key, &member.name)) {
                let wrong = self.unknown(member, fields);
                if wrong.is_at(&self.key) {
                    return Err(wrong);
                }
                self.notes.note(wrong);
            }
        }
        let read = visitor.visit_map(Entries::new(self, known));
        read.map_err(|wrong| wrong.at(&at))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        let text = self.text()?;
        if !variants.contains(&&*text) {
            let why = former::value(&self.shown, &text);
            return Err(self.wrong(why.unwrap_or_else(|| one_of(variants))));
        }
        let text = StringDeserializer::<Wrong>::new(text);
        visitor.visit_enum(text).map_err(|wrong| wrong.at(&self))
    }

    /// What is ignored here is read elsewhere.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple
        tuple_struct identifier
    }
}

/// Where something stands in the text.
type Span = Range<usize>;
