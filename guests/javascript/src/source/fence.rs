//! Code in a Markdown fence, perhaps with prose around it.

use std::cell::LazyCell;
use std::ops::Range;

/// Languages that a fence may name, and be run.
const LANGUAGES: [&str; 10] = [
    "js",
    "javascript",
    "mjs",
    "cjs",
    "ts",
    "typescript",
    "mts",
    "jsx",
    "tsx",
    "node",
];

/// One fenced block.
struct Block<'s> {
    /// Where the line that opens it begins.
    from: usize,
    /// Its own lines.
    lines: Range<usize>,
    /// Where the line that closes it ends; none if nothing does.
    to: Option<usize>,
    language: &'s str,
}

impl Block<'_> {
    fn is_blank(&self, source: &str) -> bool {
        trimmed(&source[self.lines.clone()]).is_empty()
    }

    /// Whether it is what a model forgot to leave out: a fence that closes code which none opened.
    fn is_stray(&self, source: &str, parses: &dyn Fn(&str) -> bool) -> bool {
        let before = &source[..self.from];
        self.to.is_none()
            && (self.is_blank(source)
                || self.language.is_empty() && !trimmed(before).is_empty() && parses(before))
    }
}

/// The text with all but the fenced code blanked, if there is a fence; its bytes stay where they
/// are. Of several fences, those that name a language of this guest count, and where none does,
/// those that name none. Where those hold nothing, the code is around them. `parses` tells whether
/// a text is code; it is asked only where the fences leave a doubt.
pub(super) fn unfenced(source: &str, parses: &dyn Fn(&str) -> bool) -> Option<String> {
    // Most sources have neither, and looking for them is fast.
    if !source.contains("```") && !source.contains("~~~") {
        return None;
    }
    let mut blocks = blocks(source, parses);
    if let Some(stray) = blocks.pop_if(|last| last.is_stray(source, parses))
        && blocks.is_empty()
    {
        return Some(blanked(source, |at| at < stray.from));
    }
    let named = |block: &&Block<'_>| {
        LANGUAGES
            .iter()
            .any(|name| block.language.eq_ignore_ascii_case(name))
    };
    let mut chosen: Vec<&Block<'_>> = blocks.iter().filter(named).collect();
    if chosen.is_empty() {
        chosen = blocks
            .iter()
            .filter(|block| block.language.is_empty())
            .collect();
    }
    if chosen.is_empty() {
        return None;
    }
    let within = |at: usize, range: &dyn Fn(&Block<'_>) -> Range<usize>| {
        chosen.iter().any(|block| range(block).contains(&at))
    };
    Some(if chosen.iter().all(|block| block.is_blank(source)) {
        let whole = |block: &Block<'_>| block.from..block.to.unwrap_or(source.len());
        blanked(source, |at| !within(at, &whole))
    } else {
        blanked(source, |at| within(at, &|block| block.lines.clone()))
    })
}

/// The text with spaces for all that is not kept, but for line ends.
fn blanked(source: &str, kept: impl Fn(usize) -> bool) -> String {
    let mut text = String::with_capacity(source.len());
    for (at, character) in source.char_indices() {
        if kept(at) || matches!(character, '\n' | '\r') {
            text.push(character);
        } else {
            text.extend(std::iter::repeat_n(' ', character.len_utf8()));
        }
    }
    text
}

/// The fenced blocks. A line in a block comment opens none, nor one of `~` in what is code as it
/// is: a text may hold it.
fn blocks<'s>(source: &'s str, parses: &dyn Fn(&str) -> bool) -> Vec<Block<'s>> {
    let is_code = LazyCell::new(|| parses(source));
    let is_fence = |mark: &str, start: usize| {
        let before = &source[..start];
        !in_comment(before) && (mark.starts_with('`') || trimmed(before).is_empty() || !*is_code)
    };
    let mut blocks = Vec::new();
    let mut open: Option<(&str, Block<'_>)> = None;
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let text = trimmed(line);
        match open.take() {
            None => open = opened(text, start..end).filter(|(mark, _)| is_fence(mark, start)),
            Some((mark, block))
                if text.starts_with(mark) && text.trim_start_matches(&mark[..1]).is_empty() =>
            {
                blocks.push(Block {
                    lines: block.lines.start..start,
                    to: Some(end),
                    ..block
                });
            }
            still => open = still,
        }
    }
    // A fence that is never closed runs to the end, as in Markdown.
    blocks.extend(open.map(|(_, block)| Block {
        lines: block.lines.start..source.len(),
        ..block
    }));
    blocks
}

/// The block that a line opens.
fn opened<'s>(text: &'s str, line: Range<usize>) -> Option<(&'s str, Block<'s>)> {
    let character = text
        .chars()
        .next()
        .filter(|character| matches!(character, '`' | '~'))?;
    let rest = text.trim_start_matches(character);
    let mark = &text[..text.len() - rest.len()];
    let information = rest.trim();
    let word = information
        .split([' ', '{', ','])
        .next()
        .unwrap_or_default();
    let plain = word
        .chars()
        .all(|character| character.is_ascii_alphanumeric() || "+-_.#".contains(character));
    (mark.len() >= 3 && plain && !information.contains(character)).then_some((
        mark,
        Block {
            from: line.start,
            lines: line.end..line.end,
            to: None,
            language: word,
        },
    ))
}

/// Whether a block comment is open. Only one that begins a line counts: prose has `src/*`, too.
fn in_comment(before: &str) -> bool {
    let opens = before
        .match_indices("/*")
        .filter(|(at, _)| {
            let line = before[..*at].rfind('\n').map_or(0, |end| end + 1);
            trimmed(&before[line..*at]).is_empty()
        })
        .last();
    opens.is_some_and(|(at, _)| !before[at..].contains("*/"))
}

/// Text without space around it. A byte order mark is space, too.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|character: char| character.is_whitespace() || character == '\u{feff}')
}

#[cfg(test)]
mod tests {
    /// Without a parser: code has a semicolon.
    fn unfenced(source: &str) -> Option<String> {
        super::unfenced(source, &|text| text.contains(';') && !text.contains("```"))
    }

    /// The code, word by word.
    fn code(source: &str) -> Option<String> {
        let text = unfenced(source)?;
        assert_eq!(text.len(), source.len());
        Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn code_keeps_its_place_and_prose_goes() {
        let source = "Here it is:\n\n```ts\nreturn 1;\n```\nDone. é";
        let text = unfenced(source).expect("has a fence");
        assert_eq!(text.len(), source.len());
        assert_eq!(text.find("return 1;"), source.find("return 1;"));
        assert_eq!(text.trim(), "return 1;");
    }

    #[test]
    fn fences_of_this_language_win() {
        let source = "```sh\nls\n```\n```typescript\na()\n```\n~~~js\nb()\n~~~\n```\nc()\n```";
        assert_eq!(
            unfenced(source)
                .expect("has fences")
                .split_whitespace()
                .collect::<Vec<_>>(),
            ["a()", "b()"]
        );
    }

    #[test]
    fn what_only_looks_like_a_fence_is_left() {
        for source in [
            "const a = `\n\\`\\`\\`ts\n`",
            "/*\n```ts\nx\n```\n*/ 1",
            "x = 1 // ```",
            "```python\nprint()\n```",
        ] {
            assert_eq!(unfenced(source), None, "{source}");
        }
    }

    #[test]
    fn unclosed_fence_runs_to_the_end() {
        assert_eq!(
            unfenced("```js\n1 + 1").expect("has a fence").trim(),
            "1 + 1"
        );
    }

    #[test]
    fn stray_fence_goes_and_the_code_around_it_stays() {
        for source in [
            "a();\nreturn a\n```\n",
            "a();\nreturn a\n```",
            "```\na();\nreturn a",
            "a();\nreturn a\n```\nThis does a.",
            "```ts\n```\na();\nreturn a",
            "```ts\na();\nreturn a\n```\n```\n",
        ] {
            assert_eq!(code(source).as_deref(), Some("a(); return a"), "{source}");
        }
        assert_eq!(code("a(;\n```").as_deref(), Some("a(;"));
        assert_eq!(code("Here it is:\n```\na()").as_deref(), Some("a()"));
    }

    #[test]
    fn neither_byte_order_mark_nor_glob_hides_a_fence() {
        for source in [
            "\u{feff}```ts\na()\n```",
            "I looked at src/* first.\n```ts\na()\n```",
            "- src/*.ts\n- docs/*.md\n```ts\na()\n```",
        ] {
            assert_eq!(code(source).as_deref(), Some("a()"), "{source}");
        }
    }

    #[test]
    fn tildes_in_code_are_no_fence() {
        assert_eq!(unfenced("const a = `\n~~~\nb\n~~~\n`;"), None);
        assert_eq!(code("Here:\n~~~js\na()\n~~~").as_deref(), Some("a()"));
        assert_eq!(code("~~~js\na();").as_deref(), Some("a();"));
    }
}
