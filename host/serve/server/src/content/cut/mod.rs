//! Values that are too large for an answer, cut so that their structure stays readable: the first
//! and the last items of a list, every key of an object as long as there is room, both ends of a
//! text, and how much was left out, where it was. What is left is JSON again.
//!
//! The text is read level by level, and nothing is kept of it but what may be shown: neither time
//! nor memory grow faster than the value.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::tokens;

/// How many levels are cut; what lies deeper is left out where it does not fit.
const LEVELS: usize = 12;
/// What is left out of a list or a text takes about so many bytes to say.
const MARK: usize = 48;
/// With less room than this, in bytes, nothing is shown of a value.
const LEAST: usize = 24;
/// A token has about so many bytes of JSON.
const TOKEN_BYTES: usize = 3;
/// Of a list whose items don't fit, so many are shown in part.
const ITEMS_IN_PART: usize = 3;

/// How much may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) bytes: usize,
    /// About so many.
    pub(crate) tokens: usize,
}

impl Room {
    /// For everything.
    pub(crate) const ALL: Self = Self {
        bytes: usize::MAX,
        tokens: usize::MAX,
    };

    fn has(self, text: &str) -> bool {
        // A token has a byte at least.
        text.len() <= self.bytes
            && (text.len() <= self.tokens || tokens::about(text) <= self.tokens)
    }

    /// What is left of it beside a text.
    pub(crate) fn beside(self, text: &str) -> Self {
        Self {
            bytes: self.bytes.saturating_sub(text.len()),
            tokens: self.tokens.saturating_sub(tokens::about(text)),
        }
    }

    /// One part of so many.
    pub(crate) fn share(self, parts: usize) -> Self {
        Self {
            bytes: self.bytes / parts,
            tokens: self.tokens / parts,
        }
    }

    /// Both together.
    pub(crate) fn with(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(other.bytes),
            tokens: self.tokens.saturating_add(other.tokens),
        }
    }
}

/// JSON as far as there is room; what had to be cut is a new text.
pub(crate) fn json(json: &str, room: Room) -> Cow<'_, str> {
    within(json, room, |most| cut(json, most, LEVELS))
}

/// The same for a text that is not JSON.
pub(crate) fn text(text: &str, room: Room) -> Cow<'_, str> {
    within(text, room, |most| shortened(text, most))
}

/// What is made of a text where it may have so many bytes: so few that there is room for it.
fn within(text: &str, room: Room, made: impl Fn(usize) -> String) -> Cow<'_, str> {
    if room.has(text) {
        return Cow::Borrowed(text);
    }
    let mut most = room.bytes.min(room.tokens.saturating_mul(TOKEN_BYTES));
    loop {
        let made = made(most);
        let taken = tokens::about(&made);
        if taken <= room.tokens || most <= LEAST {
            return Cow::Owned(made);
        }
        // Text of another kind takes more tokens: with so much less, it fits.
        most = (most * room.tokens / taken).min(most - most / 8);
    }
}

/// Leaves out the middle of a text that has more than `most` bytes, and says so.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(most / 2);
    let tail = text.ceil_char_boundary(text.len() - most / 2);
    format!(
        "{}\n… {} bytes left out; print or return less: filter, aggregate, or take the first few …\n{}",
        &text[..head],
        tail - head,
        &text[tail..]
    )
}

/// Both ends of a text within a value.
fn ends(text: &str, room: usize) -> Cow<'_, str> {
    if text.len() <= room {
        return Cow::Borrowed(text);
    }
    let room = room.saturating_sub(MARK);
    let head = text.floor_char_boundary(room - room / 3);
    let tail = text.ceil_char_boundary(text.len() - room / 3);
    let left_out = text[head..tail].chars().count();
    let (head, tail) = (&text[..head], &text[tail..]);
    Cow::Owned(format!("{head}… {left_out} characters left out …{tail}"))
}

fn cut(json: &str, room: usize, levels: usize) -> String {
    let json = json.trim();
    if json.len() <= room {
        return json.to_owned();
    }
    let read = &mut serde_json::Deserializer::from_str(json);
    let cut = match json.as_bytes().first() {
        _ if room < LEAST || levels == 0 => None,
        Some(b'[') => {
            let items = read.deserialize_seq(Items::within(room));
            items.ok().map(|items| items.cut(room, levels - 1))
        }
        Some(b'{') => {
            let entries = read.deserialize_map(Entries::within(room));
            entries.ok().map(|entries| entries.cut(room, levels - 1))
        }
        Some(b'"') => {
            let whole: Result<Cow<'_, str>, _> = serde_json::from_str(json);
            whole.ok().map(|whole| quoted(&ends(&whole, room)))
        }
        _ => None,
    };
    cut.unwrap_or_else(|| "\"…\"".to_owned())
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The ends of a list.
struct Items<'a> {
    first: Vec<&'a RawValue>,
    last: VecDeque<&'a RawValue>,
    count: usize,
    /// How many bytes of items may yet be kept at the beginning, and how many at the end.
    room: [usize; 2],
    /// How many bytes the last items have.
    kept: usize,
}

impl<'a> Items<'a> {
    fn within(room: usize) -> Self {
        let at_the_end = room / 4;
        Self {
            first: Vec::new(),
            last: VecDeque::new(),
            count: 0,
            room: [room.saturating_sub(at_the_end + MARK), at_the_end],
            kept: 0,
        }
    }

    fn push(&mut self, item: &'a RawValue) {
        self.count += 1;
        let [first, last] = &mut self.room;
        let size = |item: &RawValue| item.get().len() + 1;
        if self.last.is_empty() && size(item) <= *first {
            *first -= size(item);
            self.first.push(item);
            return;
        }
        self.last.push_back(item);
        self.kept += size(item);
        while self.kept > *last && self.last.len() > ITEMS_IN_PART {
            self.kept -= self.last.pop_front().map_or(0, size);
        }
    }

    fn cut(mut self, room: usize, levels: usize) -> String {
        let whole = |items: &mut dyn Iterator<Item = &&RawValue>| -> Vec<String> {
            items.map(|item| item.get().to_owned()).collect()
        };
        let mut shown = whole(&mut self.first.iter());
        let taken: usize = shown.iter().map(|item| item.len() + 1).sum();
        let left = room.saturating_sub(taken + MARK);
        while !shown.is_empty() && self.kept > left && self.last.len() > 1 {
            self.kept -= self.last.pop_front().map_or(0, |gone| gone.get().len() + 1);
        }
        let ends = if self.kept <= left {
            whole(&mut self.last.iter())
        } else if shown.is_empty() {
            // Not one fits: a part of each.
            let share = left / self.last.len().max(1);
            let parts = self.last.iter().map(|item| cut(item.get(), share, levels));
            parts.collect()
        } else {
            // The last one, in part.
            let last = self.last.back().map(|item| cut(item.get(), left, levels));
            last.into_iter().collect()
        };
        match self.count - shown.len() - ends.len() {
            0 => {}
            1 => shown.push(quoted("… 1 item left out …")),
            many => shown.push(quoted(&format!("… {many} items left out …"))),
        }
        shown.extend(ends);
        format!("[{}]", shown.join(","))
    }
}

impl<'de> Visitor<'de> for Items<'de> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Self, A::Error> {
        while let Some(item) = list.next_element()? {
            self.push(item);
        }
        Ok(self)
    }
}

/// The first entries of an object.
struct Entries<'a> {
    first: Vec<(Cow<'a, str>, &'a RawValue)>,
    count: usize,
    /// How many bytes there are for keys, each with the least that can be shown of a value.
    room: usize,
}

impl Entries<'_> {
    fn within(room: usize) -> Self {
        Self {
            first: Vec::new(),
            count: 0,
            room: room.saturating_sub(MARK),
        }
    }

    fn cut(self, room: usize, levels: usize) -> String {
        let keys: usize = self.first.iter().map(|(key, _)| key.len() + 4).sum();
        let room = room.saturating_sub(keys + MARK);
        // What small values leave of their shares, the large ones have.
        let share = room / self.first.len().max(1);
        let sizes = self.first.iter().map(|(_, value)| value.get().len());
        let (small, large): (Vec<usize>, Vec<usize>) = sizes.partition(|size| *size <= share);
        let large = (room - small.iter().sum::<usize>()) / large.len().max(1);
        let mut shown: Vec<String> = (self.first.iter())
            .map(|(key, value)| format!("{}:{}", quoted(key), cut(value.get(), large, levels)))
            .collect();
        match self.count - shown.len() {
            0 => {}
            1 => shown.push("\"…\":\"1 more key\"".to_owned()),
            many => shown.push(format!("\"…\":\"{many} more keys\"")),
        }
        format!("{{{}}}", shown.join(","))
    }
}

impl<'de> Visitor<'de> for Entries<'de> {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<Self, A::Error> {
        while let Some((key, value)) = object.next_entry::<Cow<'de, str>, &'de RawValue>()? {
            self.count += 1;
            let least = key.len() + 4 + value.get().len().min(LEAST);
            // None after the first that does not fit: what is shown is the beginning.
            match self.room.checked_sub(least) {
                Some(left) => {
                    self.room = left;
                    self.first.push((key, value));
                }
                None => self.room = 0,
            }
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests;
