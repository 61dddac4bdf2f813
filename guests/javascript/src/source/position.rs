//! Places in source texts: from the text that ran back to the text as it was written, and from
//! offsets to lines and columns.

/// The longest piece of a source line that an error shows, in characters.
const LINE_TEXT_LIMIT: usize = 160;

/// Where a piece of the generated text comes from.
#[derive(Clone, Copy, Debug)]
struct Piece {
    generated: usize,
    original: usize,
    /// Whether it is the original text, byte for byte; if not, all of it comes from the one place.
    copied: bool,
}

/// Maps offsets of a generated text to those of the original one.
#[derive(Debug, Default)]
pub(crate) struct PositionMap {
    pieces: Vec<Piece>,
}

impl PositionMap {
    /// The map of a text that is evaluated as it was written.
    pub(crate) fn identity() -> Self {
        Self {
            pieces: vec![Piece {
                generated: 0,
                original: 0,
                copied: true,
            }],
        }
    }

    /// From here on, the generated text is the original one.
    pub(super) fn copied(&mut self, generated: usize, original: usize) {
        self.pieces.push(Piece {
            generated,
            original,
            copied: true,
        });
    }

    /// From here on, the generated text is something else.
    pub(super) fn replaced(&mut self, generated: usize, original: usize) {
        self.pieces.push(Piece {
            generated,
            original,
            copied: false,
        });
    }

    /// The place in the original text; none for what was put before it.
    pub(crate) fn original(&self, generated: usize) -> Option<usize> {
        let after = self
            .pieces
            .partition_point(|piece| piece.generated <= generated);
        let piece = self.pieces[..after].last()?;
        let distance = if piece.copied {
            generated - piece.generated
        } else {
            0
        };
        Some(piece.original + distance)
    }
}

/// A place that a reader can find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Counted from 1.
    pub(crate) line: u32,
    /// Counted from 1, in characters.
    pub(crate) column: u32,
    /// The line, cut to a readable length.
    pub(crate) text: String,
}

/// The place of a byte offset.
pub(crate) fn place(source: &str, offset: usize) -> Place {
    let offset = source.floor_char_boundary(offset.min(source.len()));
    let (mut line, mut start) = (1, 0);
    for (number, begin) in line_starts(source).enumerate() {
        if begin > offset {
            break;
        }
        (line, start) = (number as u32 + 1, begin);
    }
    let end = source[start..]
        .find(['\n', '\r'])
        .map_or(source.len(), |length| start + length);
    let before = source[start..offset.min(end).max(start)].chars().count();
    Place {
        line,
        column: before as u32 + 1,
        text: cut(&source[start..end], before),
    }
}

/// The offset of a line, counted from 1, and a column, counted from 1 in bytes.
pub(crate) fn offset(source: &str, line: u32, column: u32) -> Option<usize> {
    let start = line_starts(source).nth(line.checked_sub(1)? as usize)?;
    Some((start + column.saturating_sub(1) as usize).min(source.len()))
}

/// The line of an offset, and its column in bytes, both counted from 1: as QuickJS counts.
pub(crate) fn line_and_byte_column(source: &str, at: usize) -> (u32, u32) {
    let (line, start) = line_starts(source)
        .take_while(|&start| start <= at)
        .enumerate()
        .last()
        .map_or((1, 0), |(number, start)| (number as u32 + 1, start));
    (line, (at - start) as u32 + 1)
}

/// Where the lines begin. They end as JavaScript's lines do.
fn line_starts(source: &str) -> impl Iterator<Item = usize> {
    let bytes = source.as_bytes();
    let ends = move |at: &usize| match bytes[*at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    std::iter::once(0).chain((0..bytes.len()).filter(ends).map(|end| end + 1))
}

/// The part of a long line that is around the column.
fn cut(line: &str, column: usize) -> String {
    if line.len() <= LINE_TEXT_LIMIT {
        return line.trim_end().to_owned();
    }
    let length = line.chars().count();
    if length <= LINE_TEXT_LIMIT {
        return line.trim_end().to_owned();
    }
    let first = column
        .saturating_sub(LINE_TEXT_LIMIT / 2)
        .min(length - LINE_TEXT_LIMIT);
    let mut text: String = line.chars().skip(first).take(LINE_TEXT_LIMIT).collect();
    if first > 0 {
        text.insert(0, '…');
    }
    if first + LINE_TEXT_LIMIT < length {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_all_line_ends() {
        let source = "a\r\nbé x\rc\nd";
        assert_eq!(
            place(source, 7),
            Place {
                line: 2,
                column: 4,
                text: "bé x".into()
            }
        );
        assert_eq!(place(source, 10).line, 3);
        assert_eq!(
            place(source, 99),
            Place {
                line: 4,
                column: 2,
                text: "d".into()
            }
        );
    }

    #[test]
    fn long_lines_are_cut_around_the_column() {
        let source = format!("{}!{}", "a".repeat(5000), "b".repeat(5000));
        let text = place(&source, 5000).text;
        assert_eq!(text.chars().count(), LINE_TEXT_LIMIT + 2);
        assert!(text.contains("a!b"), "{text}");
    }

    #[test]
    fn offset_is_the_inverse_of_line_and_byte_column() {
        let source = "ab\ncd\r\nef";
        assert_eq!(offset(source, 3, 2), Some(8));
        assert_eq!(offset(source, 9, 1), None);
        assert_eq!(offset(source, 0, 1), None);
    }
}
