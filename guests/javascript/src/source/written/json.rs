//! Values that a text proves, as JSON, with the places in them that it does not prove.

use std::borrow::Cow;
use std::fmt::Write;

/// A value as far as it is known.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json<'a> {
    /// It may be anything, and be left out.
    Unknown,
    Null,
    Bool(bool),
    Number(f64),
    Text(Cow<'a, str>),
    List {
        items: Vec<Json<'a>>,
        /// There may be more items behind these.
        open: bool,
    },
    Object {
        members: Vec<(Cow<'a, str>, Json<'a>)>,
        /// There may be other members.
        open: bool,
    },
}

/// The arguments of a call as far as they are known.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// A JSON object.
    pub(crate) json: String,
    /// The places that are not known, as JSON Pointers.
    pub(crate) unknown: Vec<String>,
    /// The objects and lists that may have more in them, as JSON Pointers.
    pub(crate) open: Vec<String>,
}

/// How much room there is for arguments at first.
const JSON_BYTES: usize = 64;

/// How large a number may be that is written as an integer.
const LARGEST_INTEGER: f64 = 9_007_199_254_740_991.0;

impl<'a> Json<'a> {
    /// A number, if it is sent as it is written.
    pub(super) fn number(value: f64) -> Self {
        match value.abs() <= LARGEST_INTEGER {
            true => Self::Number(value),
            false => Self::Unknown,
        }
    }

    /// Whether names that hold it hold the same.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self, Self::List { .. } | Self::Object { .. })
    }

    /// Whether nothing in it is shared.
    pub(super) fn is_flat(&self) -> bool {
        match self {
            Self::List { items, .. } => !items.iter().any(Self::is_shared),
            Self::Object { members, .. } => !members.iter().any(|(_, value)| value.is_shared()),
            _ => true,
        }
    }

    /// Gives an object a member, as the last that is written of this name.
    pub(super) fn set(members: &mut Vec<(Cow<'a, str>, Self)>, name: Cow<'a, str>, value: Self) {
        match members.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => members.push((name, value)),
        }
    }
}

impl Arguments {
    /// The arguments that a value is. `place` is an empty text.
    pub(super) fn of(value: &Json<'_>, place: &mut String) -> Self {
        let mut arguments = Self {
            json: String::with_capacity(JSON_BYTES),
            ..Self::default()
        };
        arguments.write(value, place);
        arguments
    }

    /// No arguments.
    pub(super) fn none() -> Self {
        Self {
            json: "{}".to_owned(),
            ..Self::default()
        }
    }

    fn write(&mut self, value: &Json<'_>, place: &mut String) {
        match value {
            Json::Unknown => self.write_unknown(place),
            Json::Null => self.json.push_str("null"),
            Json::Bool(value) => self.json.push_str(if *value { "true" } else { "false" }),
            // There is no negative zero in what is sent.
            Json::Number(value) if *value == 0.0 => self.json.push('0'),
            Json::Number(value) if value.fract() == 0.0 => {
                if *value < 0.0 {
                    self.json.push('-');
                }
                push_integer(&mut self.json, value.abs() as u64);
            }
            Json::Number(value) => push_fraction(&mut self.json, *value),
            Json::Text(text) => push_text(&mut self.json, text),
            Json::List { items, open } => self.write_list(items, *open, place),
            Json::Object { members, open } => self.write_object(members, *open, place),
        }
    }

    #[inline(never)]
    fn write_unknown(&mut self, place: &str) {
        self.unknown.push(place.to_owned());
        self.json.push_str("null");
    }

    #[inline(never)]
    fn write_list(&mut self, items: &[Json<'_>], open: bool, place: &mut String) {
        let length = place.len();
        self.json.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.json.push(',');
            }
            place.push('/');
            push_integer(place, index as u64);
            self.write(item, place);
            place.truncate(length);
        }
        self.json.push(']');
        self.open.extend(open.then(|| place.clone()));
    }

    #[inline(never)]
    fn write_object(
        &mut self,
        members: &[(Cow<'_, str>, Json<'_>)],
        open: bool,
        place: &mut String,
    ) {
        let length = place.len();
        self.json.push('{');
        for (index, (name, member)) in members.iter().enumerate() {
            if index > 0 {
                self.json.push(',');
            }
            push_text(&mut self.json, name);
            self.json.push(':');
            push_token(place, name);
            self.write(member, place);
            place.truncate(length);
        }
        self.json.push('}');
        self.open.extend(open.then(|| place.clone()));
    }
}

/// The most digits that an integer has.
const DIGITS: usize = 20;

/// Adds an integer. What formats any number costs much more.
#[inline(never)]
pub(super) fn push_integer(text: &mut String, mut value: u64) {
    let mut digits = [0; DIGITS];
    let mut from = DIGITS;
    loop {
        from -= 1;
        digits[from] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    text.push_str(str::from_utf8(&digits[from..]).unwrap_or_default());
}

#[inline(never)]
fn push_fraction(text: &mut String, value: f64) {
    let _ = write!(text, "{value}");
}

/// Adds a name to a JSON Pointer.
#[inline(never)]
pub(super) fn push_token(pointer: &mut String, name: &str) {
    pointer.reserve(name.len() + 1);
    pointer.push('/');
    if !name.bytes().any(|byte| matches!(byte, b'~' | b'/')) {
        return pointer.push_str(name);
    }
    for letter in name.chars() {
        match letter {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            letter => pointer.push(letter),
        }
    }
}

#[inline(never)]
fn push_text(json: &mut String, text: &str) {
    json.push('"');
    match text
        .bytes()
        .any(|byte| matches!(byte, b'"' | b'\\' | ..b' '))
    {
        true => push_escaped(json, text),
        false => json.push_str(text),
    }
    json.push('"');
}

#[inline(never)]
fn push_escaped(json: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '"' | '\\' => json.extend(['\\', letter]),
            '\0'..=' ' if letter != ' ' => {
                let _ = write!(json, "\\u{:04x}", letter as u32);
            }
            letter => json.push(letter),
        }
    }
}
