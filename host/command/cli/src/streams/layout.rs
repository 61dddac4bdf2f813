//! Text for people, laid out for a terminal's width.

use textwrap::{Options, WordSplitter};

/// The prefix of continuation lines.
const INDENT: &str = "  ";

/// Text that may have several lines, each wrapped at words. Lines of code, and what points into
/// them, stay as they are.
pub(super) fn prose(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else {
        return text.to_owned();
    };
    let lines = text.split('\n').map(|line| {
        if is_code(line) {
            line.to_owned()
        } else {
            wrapped(line, width, "", INDENT)
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Indented lines, each wrapped at words; continuation lines are indented further.
pub(super) fn indented(text: &str, width: Option<usize>) -> String {
    let Some(width) = width else {
        return text.to_owned();
    };
    let lines = text.split('\n').map(|line| {
        let content = line.trim_start_matches(' ');
        let indent = &line[..line.len() - content.len()];
        wrapped(content, width, indent, &format!("{indent}{INDENT}"))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A line, wrapped at words: what its first and its other lines begin with counts.
pub(super) fn wrapped(line: &str, width: usize, first: &str, others: &str) -> String {
    let options = Options::new(width)
        .initial_indent(first)
        .subsequent_indent(others)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(line, options)
}

/// As much of a line as fits.
pub(super) fn cut(line: &str, columns: usize) -> String {
    if textwrap::core::display_width(line) <= columns {
        return line.to_owned();
    }
    let mut width = 0;
    let fitting = line.chars().take_while(|char| {
        width += textwrap::core::display_width(char.encode_utf8(&mut [0; 4]));
        width < columns
    });
    fitting.chain(['…']).collect()
}

/// Whether a line is one of source, `12 | code`, or stands where it does for a reason.
fn is_code(line: &str) -> bool {
    let after_number = line.trim_start_matches(|char: char| char.is_ascii_digit());
    line.starts_with([' ', '\t']) || after_number.starts_with(" |")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_wrapped_at_words_and_code_is_not() {
        let text = "Error: one two three four\n --> a.ts:12:1\n12 | let one = two + three\n   | ^";
        assert_eq!(
            prose(text, Some(16)),
            "Error: one two\n  three four\n --> a.ts:12:1\n12 | let one = two + three\n   | ^"
        );
        assert_eq!(prose(text, None), text);
    }

    #[test]
    fn a_line_is_cut_to_columns_and_not_to_characters() {
        assert_eq!(cut("plain", 5), "plain");
        assert_eq!(cut("plainer", 5), "plai…");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 6), "日本語");
    }
}
