//! A value of the file, as `serde` reads it.

use std::collections::BTreeSet;

use ampoule_fields::form;
use serde::de::value::StringDeserializer;
use serde::de::{self, Visitor};
use serde::forward_to_deserialize_any;

use super::access::{Entries, Items};
use super::value_error::{self, ValueError, ValueMistake};
use super::{Notes, names};
use crate::former;
use crate::read::{one_of, shown_key, unknown};
use crate::tree::{Member, Node, Value};

/// A value of the file.
#[derive(Clone)]
pub(super) struct At<'a, 'r> {
    pub(super) notes: &'r Notes<'a>,
    pub(super) node: &'a Node,
    /// The keys that lead to it.
    pub(super) key: String,
    /// The same as messages have it: a name that may be a secret is left out.
    pub(super) shown: String,
    pub(super) form: Form,
    /// It is in a table whose keys are patterns of tools.
    pub(super) is_by_tools: bool,
}

/// What a text, or a table, is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    AsWritten,
    Expanded,
    Secret,
    Sealed,
    Path,
    Place,
    PathOrSecret,
    Program,
    Headers,
    Variables,
    ByTools,
}

/// The key of what is below another.
pub(super) fn below(key: &str, name: &str) -> String {
    format!("{key}.{}", shown_key(name))
}

impl<'a, 'r> At<'a, 'r> {
    pub(super) fn root(notes: &'r Notes<'a>) -> Self {
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
    pub(super) fn member(&self, member: &'a Member) -> Self {
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

    pub(super) fn item(&self, number: usize, node: &'a Node) -> Self {
        Self {
            node,
            key: format!("{}[{number}]", self.key),
            shown: format!("{}[{number}]", self.shown),
            is_by_tools: false,
            ..self.clone()
        }
    }

    /// Something that is wrong with this value, in words that quote nothing of it.
    pub(super) fn wrong(&self, why: impl Into<String>) -> ValueError {
        ValueError::new(why).there(self)
    }

    /// Something that is wrong with a member's name.
    pub(super) fn wrong_name(&self, member: &Member, what: ValueMistake) -> ValueError {
        let place = value_error::Place {
            key: below(&self.key, &member.name),
            shown: self.shown.clone(),
            range: member.place.clone(),
        };
        ValueError {
            place: Some(place),
            ..ValueError::of(what)
        }
    }

    /// A key that means nothing in this table.
    pub(super) fn unknown(&self, member: &Member, known: &[&str]) -> ValueError {
        let are_all = |member: &Member| !known.contains(&&*member.name);
        if self.is_by_tools && self.node.members().iter().all(are_all) {
            // `crm.read = "x"` without quotes is a table of a table.
            return self.wrong(IN_QUOTES);
        }
        let why = former::key(&self.shown_below(&member.name));
        let why = why.unwrap_or_else(|| unknown(&member.name, known));
        self.wrong_name(member, ValueMistake::Unknown(why))
    }

    fn text(&self) -> Result<String, ValueError> {
        let Value::Text(text) = &self.node.value else {
            return Err(self.wrong("this must be a string, in quotes"));
        };
        let expanded = || self.notes.expanded(text).map_err(|why| self.wrong(why));
        match self.form {
            Form::Expanded => expanded(),
            Form::Secret => self.notes.noted(text).map_err(|why| self.wrong(why)),
            Form::Sealed => self.notes.sealed(text).map_err(|why| self.wrong(why)),
            Form::Path => self.in_folder(&expanded()?),
            Form::Place => {
                let place = self.notes.noted(text).map_err(|why| self.wrong(why))?;
                match place.starts_with("https://") || place.starts_with("http://") {
                    true => Ok(place),
                    false => self.in_folder(&place),
                }
            }
            Form::PathOrSecret => {
                let around = self.notes.around.environment;
                let sealed = self.notes.sealed_by(text, around);
                let sealed = sealed.map_err(|why| self.wrong(why))?;
                match ampoule_secrets::is_sealed(&sealed) {
                    true => Ok(sealed),
                    false => self.in_folder(&sealed),
                }
            }
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

    fn in_folder(&self, path: &str) -> Result<String, ValueError> {
        let path = self.notes.around.folder.join(path);
        path.into_os_string()
            .into_string()
            .map_err(|_| self.wrong("the path to this is not valid UTF-8"))
    }

    fn members(&self) -> Result<&'a [Member], ValueError> {
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
pub(super) const IN_QUOTES: &str =
    "write tools in quotes, such as \"crm.*\": without them, this is a table";

impl<'de, 'a: 'de> de::Deserializer<'de> for At<'a, '_> {
    type Error = ValueError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
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

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self.node.value {
            Value::Boolean(is) => visitor
                .visit_bool(is)
                .map_err(|wrong: ValueError| wrong.at(&self)),
            _ => Err(self.wrong("this must be true or false")),
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        self.deserialize_string(visitor)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        let text = self.text()?;
        visitor
            .visit_string(text)
            .map_err(|wrong: ValueError| wrong.at(&self))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ValueError> {
        let form = match name {
            form::EXPANDED => Form::Expanded,
            form::PATH => Form::Path,
            form::PLACE => Form::Place,
            form::PATH_OR_SECRET => Form::PathOrSecret,
            form::PROGRAM => Form::Program,
            form::SECRET => Form::Secret,
            form::SEALED => Form::Sealed,
            form::HEADERS => Form::Headers,
            form::VARIABLES => Form::Variables,
            form::BY_TOOLS => Form::ByTools,
            _ => self.form,
        };
        let at = self.clone();
        let read = visitor.visit_newtype_struct(Self { form, ..self });
        read.map_err(|wrong| wrong.at(&at))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        let Value::List(items) = &self.node.value else {
            return Err(self.wrong("this must be a list, in brackets"));
        };
        let at = self.clone();
        let read = visitor.visit_seq(Items::new(self, items));
        read.map_err(|wrong| wrong.at(&at))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
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
    ) -> Result<V::Value, ValueError> {
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
    ) -> Result<V::Value, ValueError> {
        let text = self.text()?;
        if !variants.contains(&&*text) {
            let why = former::value(&self.shown, &text);
            return Err(self.wrong(why.unwrap_or_else(|| one_of(variants))));
        }
        let text = StringDeserializer::<ValueError>::new(text);
        visitor.visit_enum(text).map_err(|wrong| wrong.at(&self))
    }

    /// What is ignored here is read elsewhere.
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct tuple
        tuple_struct identifier
    }
}
