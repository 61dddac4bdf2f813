//! `llms.txt`: the pages of the site for a model, each with its first sentence.

use std::fs;
use std::path::Path;

use anyhow::Result;

use super::source::Book;

const HEAD: &str = "\
# Ampoule

> Ampoule runs code that a language model wrote. Each run gets a fresh WebAssembly sandbox with limits
> on CPU, memory and time, and reaches the tools, files and hosts that it was granted, nothing else.
";

/// The list, in the order of the table of contents.
pub(super) fn of(pages: &Path, book: &Book) -> Result<String> {
    let mut list = HEAD.to_owned();
    for line in book.contents.lines() {
        if let Some(part) = line.strip_prefix("# ").filter(|part| *part != "Summary") {
            list += &format!("\n## {part}\n\n");
        } else if let Some((title, path)) = link(line) {
            let text = fs::read_to_string(pages.join(path))?;
            list += &format!("- [{title}]({path}): {}\n", first_sentence(&text));
        }
    }
    Ok(list)
}

/// The title and the page of a line of the table of contents.
fn link(line: &str) -> Option<(&str, &str)> {
    let (_, link) = line.split_once('[')?;
    let (title, path) = link.split_once("](")?;
    Some((title, path.strip_suffix(')')?))
}

/// The first sentence below a page's title.
fn first_sentence(text: &str) -> String {
    let mut paragraphs = text.split("\n\n").map(str::trim);
    let is_prose = |text: &&str| {
        let begins = text.chars().next();
        // A name in backticks may begin a sentence; a fence begins code.
        begins.is_some_and(|begins| !"#|!-<".contains(begins)) && !text.starts_with("```")
    };
    let paragraph = paragraphs.find(is_prose).unwrap_or_default();
    let words: Vec<_> = paragraph.split_whitespace().collect();
    let words = without_links(&words.join(" "));
    let end = words.find(". ").map_or(words.len(), |end| end + 1);
    words[..end].to_owned()
}

/// A text with the words of its links alone: their targets are relative to their page.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let (outside, shown) = before.rsplit_once('[').unwrap_or((before, ""));
        plain += outside;
        plain += shown;
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_told_by_its_first_sentence() {
        let page = "# A page\n\n```sh\nampoule run a.ts\n```\n\n![a picture](a.svg)\n\n\
            `ampoule run` runs\na script. It ends.\n\nMore.\n";
        assert_eq!(first_sentence(page), "`ampoule run` runs a script.");
        assert_eq!(first_sentence("# A page\n\n## A part\n\n| a | b |\n"), "");
        let page = "# A page\n\nInstall it as [Install](install.md#node) and [the\nguide](a.md) say. More.\n";
        assert_eq!(
            first_sentence(page),
            "Install it as Install and the guide say."
        );
    }
}
