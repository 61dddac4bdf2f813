//! Text that arrives piece by piece: words that don't fit begin a new line, as a terminal would break
//! them in their middle.

use ampoule_untrusted::text::visible;
use textwrap::core::display_width;

use crate::streams::Stream;

/// Text on its way to a stream.
pub(super) struct Flow {
    stream: &'static Stream,
    /// The word that is not whole yet.
    word: String,
    column: usize,
}

impl Flow {
    pub(super) fn new(stream: &'static Stream) -> Self {
        Self {
            stream,
            word: String::new(),
            column: 0,
        }
    }

    /// Whether a line has begun.
    pub(super) fn is_open(&self) -> bool {
        self.column > 0 || !self.word.is_empty()
    }

    /// Writes more of it. Control characters are escaped where a terminal would obey them.
    pub(super) fn push(&mut self, text: &str) {
        let mut shown = String::new();
        let text = match self.stream.is_terminal() {
            true => visible(text),
            false => text.into(),
        };
        for c in text.chars() {
            match c {
                '\n' => {
                    self.end_word(&mut shown);
                    shown.push('\n');
                    self.column = 0;
                }
                c if c.is_whitespace() => {
                    self.end_word(&mut shown);
                    if self.column > 0 || c != ' ' {
                        shown.push(c);
                        self.column += 1;
                    }
                }
                c => self.word.push(c),
            }
        }
        // What can't be broken any more is shown at once.
        if self.stream.width().is_none() {
            self.end_word(&mut shown);
        }
        self.write(shown);
    }

    /// Ends the line, if one has begun.
    pub(super) fn end(&mut self) {
        let mut shown = String::new();
        self.end_word(&mut shown);
        if self.column > 0 {
            shown.push('\n');
            self.column = 0;
        }
        self.write(shown);
    }

    fn end_word(&mut self, shown: &mut String) {
        if self.word.is_empty() {
            return;
        }
        let width = display_width(&self.word);
        let room = self.stream.width().unwrap_or(usize::MAX);
        if self.column > 0 && self.column + width >= room {
            let kept = shown.trim_end_matches(' ').len();
            shown.truncate(kept);
            shown.push('\n');
            self.column = 0;
        }
        shown.push_str(&self.word);
        self.column += width;
        self.word.clear();
    }

    fn write(&self, shown: String) {
        if !shown.is_empty() {
            self.stream.piece(shown);
        }
    }
}
