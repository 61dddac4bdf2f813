//! Changes to a source text, by byte ranges, and the text that they make.
//!
//! What is blanked keeps its line ends, and its length where something follows on the line, so
//! lines and columns stay as they were; the few that move, and all offsets, are in the
//! [`PositionMap`].

use std::borrow::Cow;

use super::position::PositionMap;

/// What takes a range's place.
#[derive(Debug)]
enum Replacement {
    /// Spaces, where something follows on the line; line ends stay.
    Blank,
    /// The same, but for the first byte: a character that the rest depends on.
    BlankAfter(u8),
    /// The same, but for the last byte.
    BlankBefore(u8),
    /// Another text.
    Text(Cow<'static, str>),
}

#[derive(Debug)]
struct Edit {
    start: usize,
    end: usize,
    replacement: Replacement,
}

/// Changes to one source text. Ranges may be added in any order; one within another is dropped.
#[derive(Debug, Default)]
pub(super) struct Edits {
    list: Vec<Edit>,
}

impl Edits {
    pub(super) fn blank(&mut self, start: u32, end: u32) {
        self.push(start, end, Replacement::Blank);
    }

    /// Blanks a range, but puts a semicolon first: for statements that end without one where the
    /// blanks now leave them open.
    pub(super) fn blank_statement(&mut self, start: u32, end: u32) {
        self.push(start, end, Replacement::BlankAfter(b';'));
    }

    /// Blanks a range, but puts one character first.
    pub(super) fn blank_after(&mut self, first: u8, start: u32, end: u32) {
        self.push(start, end, Replacement::BlankAfter(first));
    }

    /// Blanks a range, but puts one character last.
    pub(super) fn blank_before(&mut self, last: u8, start: u32, end: u32) {
        self.push(start, end, Replacement::BlankBefore(last));
    }

    pub(super) fn replace(&mut self, start: u32, end: u32, text: impl Into<Cow<'static, str>>) {
        self.push(start, end, Replacement::Text(text.into()));
    }

    pub(super) fn insert(&mut self, at: u32, text: impl Into<Cow<'static, str>>) {
        self.replace(at, at, text);
    }

    fn push(&mut self, start: u32, end: u32, replacement: Replacement) {
        let (start, end) = (start as usize, end as usize);
        self.list.push(Edit {
            start,
            end,
            replacement,
        });
    }

    /// If the last thing before `end` is blanked, makes a semicolon of it. A statement that had
    /// none would go on in the next line otherwise.
    pub(super) fn close_statement(&mut self, end: u32) {
        let touching = |edit: &&mut Edit| edit.end == end as usize && edit.start < edit.end;
        if let Some(edit) = self.list.iter_mut().rev().take(4).find(touching)
            && matches!(edit.replacement, Replacement::Blank)
        {
            edit.replacement = Replacement::BlankAfter(b';');
        }
    }

    /// The text that the changes make of `source`, between a prefix and a suffix.
    pub(super) fn apply(
        mut self,
        source: &str,
        prefix: &str,
        suffix: &str,
    ) -> (String, PositionMap) {
        // Insertions come before what begins at their place, and the widest of several ranges
        // first.
        self.list
            .sort_by_key(|edit| (edit.start, edit.start != edit.end, usize::MAX - edit.end));
        let mut output = Output::new(source, prefix, suffix);
        for edit in &self.list {
            output.take(edit);
        }
        output.finish(suffix)
    }
}

struct Output<'s> {
    source: &'s str,
    text: String,
    map: PositionMap,
    /// How far into the source the text has come.
    at: usize,
}

impl<'s> Output<'s> {
    fn new(source: &'s str, prefix: &str, suffix: &str) -> Self {
        let mut text = String::with_capacity(
            prefix.len() + source.len() + source.len() / 16 + suffix.len() + 64,
        );
        text.push_str(prefix);
        let mut map = PositionMap::default();
        map.copied(text.len(), 0);
        Self {
            source,
            text,
            map,
            at: 0,
        }
    }

    fn take(&mut self, edit: &Edit) {
        if edit.start < self.at {
            return;
        }
        self.text.push_str(&self.source[self.at..edit.start]);
        self.at = edit.end;
        match &edit.replacement {
            Replacement::Blank => self.blank(edit.start, edit.end),
            Replacement::BlankAfter(first) => {
                self.text.push(char::from(*first));
                self.blank(edit.start + 1, edit.end);
            }
            Replacement::BlankBefore(last) => {
                self.blank(edit.start, edit.end - 1);
                self.text.push(char::from(*last));
            }
            Replacement::Text(text) => {
                self.map.replaced(self.text.len(), edit.start);
                self.text.push_str(text);
                self.map.copied(self.text.len(), edit.end);
            }
        }
    }

    /// Puts spaces for a range, but for its line ends. Spaces that a line would end in are left
    /// out: nothing comes after them that must stay in its column, and there may be many.
    fn blank(&mut self, start: usize, end: usize) {
        let bytes = self.source.as_bytes();
        let line_ends = |at: &usize| matches!(bytes[*at], b'\n' | b'\r');
        let mut from = start;
        while let Some(line_end) = (from..end).find(line_ends) {
            self.text.push(char::from(bytes[line_end]));
            from = line_end + 1;
        }
        let last_in_line = bytes
            .get(end)
            .is_none_or(|byte| matches!(byte, b'\n' | b'\r'));
        if !last_in_line {
            self.text.extend(std::iter::repeat_n(' ', end - from));
        }
        if last_in_line || from > start {
            self.map.copied(self.text.len(), end);
        }
    }

    fn finish(mut self, suffix: &str) -> (String, PositionMap) {
        self.text.push_str(&self.source[self.at..]);
        self.map.replaced(self.text.len(), self.source.len());
        self.text.push_str(suffix);
        (self.text, self.map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apply(source: &str, change: impl FnOnce(&mut Edits)) -> String {
        let mut edits = Edits::default();
        change(&mut edits);
        edits.apply(source, "<", ">").0
    }

    #[test]
    fn blanks_keep_columns_and_line_ends() {
        assert_eq!(apply("a: é; b", |edits| edits.blank(1, 5)), "<a    ; b>");
        assert_eq!(apply("a: é\r\nbc", |edits| edits.blank(1, 8)), "<a\r\n c>");
        assert_eq!(apply("a: é\nb", |edits| edits.blank(1, 5)), "<a\nb>");
    }

    #[test]
    fn outer_range_wins_over_inner_ones_added_earlier() {
        let text = apply("abcdef", |edits| {
            edits.replace(2, 3, "XXXX");
            edits.blank(1, 5);
        });
        assert_eq!(text, "<a    f>");
    }

    #[test]
    fn insertions_come_before_what_begins_at_their_place() {
        let text = apply("abc", |edits| {
            edits.replace(1, 2, "B");
            edits.insert(1, "1");
            edits.insert(1, "2");
        });
        assert_eq!(text, "<a12Bc>");
    }
}
