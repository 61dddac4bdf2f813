//! Code in a Markdown fence, perhaps with prose around it.

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

/// One fenced block: the byte range of its lines, and what it says of its language.
struct Block<'s> {
    start: usize,
    end: usize,
    language: &'s str,
}

/// The text with all but the fenced code blanked, if there is a fence; its bytes stay where they are. Of several fences, those
/// that name a language of this guest count, and where none does, those that name none.
pub(super) fn unfenced(source: &str) -> Option<String> {
    // Most sources have neither character, and looking for one is fast.
    if !source.contains('`') && !source.contains('~') {
        return None;
    }
    let blocks = blocks(source);
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
    let mut text = String::with_capacity(source.len());
    for (at, character) in source.char_indices() {
        let kept = chosen
            .iter()
            .any(|block| (block.start..block.end).contains(&at));
        if kept || matches!(character, '\n' | '\r') {
            text.push(character);
        } else {
            text.extend(std::iter::repeat_n(' ', character.len_utf8()));
        }
    }
    Some(text)
}

/// The fenced blocks. A line in a block comment opens none.
fn blocks(source: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, Block<'_>)> = None;
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let text = line.trim();
        match open.take() {
            None => open = opened(text, end).filter(|_| !in_comment(&source[..start])),
            Some((mark, block))
                if text.starts_with(mark) && text.trim_start_matches(&mark[..1]).is_empty() =>
            {
                blocks.push(Block {
                    end: start,
                    ..block
                });
            }
            still => open = still,
        }
    }
    // A fence that is never closed runs to the end, as in Markdown.
    blocks.extend(open.map(|(_, block)| Block {
        end: source.len(),
        ..block
    }));
    blocks
}

/// The block that a line opens, which begins at `start`.
fn opened(line: &str, start: usize) -> Option<(&str, Block<'_>)> {
    let character = line
        .chars()
        .next()
        .filter(|character| matches!(character, '`' | '~'))?;
    let rest = line.trim_start_matches(character);
    let mark = &line[..line.len() - rest.len()];
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
            start,
            end: start,
            language: word,
        },
    ))
}

fn in_comment(before: &str) -> bool {
    before
        .rfind("/*")
        .is_some_and(|start| !before[start..].contains("*/"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
