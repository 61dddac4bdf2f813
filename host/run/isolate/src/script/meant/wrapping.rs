//! What code is wrapped in: a CDATA section, tags such as `<code>`, prose before and after it. What is
//! left out leaves space, so that each line keeps its number.

use super::prose;
use super::reading::{Family, Reading, Repair};

/// The code without the tags and CDATA sections around it.
pub(super) fn unwrapped(code: &str) -> Option<Reading> {
    let (mut from, mut to) = trimmed(code, 0, code.len());
    let (start, end) = (from, to);
    loop {
        let inside = section(code, from, to).or_else(|| element(code, from, to));
        match inside {
            Some((start, end)) => (from, to) = trimmed(code, start, end),
            None => break,
        }
    }
    if (from, to) == (start, end) || from >= to {
        return None;
    }
    let opening: String = code[start..from].split_whitespace().collect();
    let repair = format!("`{opening}` around it");
    Some(Reading::of(
        only(code, |at| (from..to).contains(&at)),
        Repair(repair),
    ))
}

/// The inside of a CDATA section.
fn section(code: &str, from: usize, to: usize) -> Option<(usize, usize)> {
    let text = &code[from..to];
    let inside = text.strip_prefix("<![CDATA[")?;
    let inside = inside.strip_suffix("]]>").unwrap_or(inside);
    Some((from + 9, from + 9 + inside.len()))
}

/// The inside of an element.
fn element(code: &str, from: usize, to: usize) -> Option<(usize, usize)> {
    /// The longest opening tag.
    const MOST_TAG_BYTES: usize = 120;
    let text = &code[from..to];
    let tag = text.strip_prefix('<')?;
    let tag = &tag[..tag[..tag.floor_char_boundary(MOST_TAG_BYTES)].find('>')?];
    let name = &tag[..tag.find(char::is_whitespace).unwrap_or(tag.len())];
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | ':');
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let inside = text
        .strip_suffix('>')?
        .strip_suffix(name)?
        .strip_suffix("</")?;
    let start = tag.len() + 2;
    (start <= inside.len()).then_some((from + start, from + inside.len()))
}

/// A range without the space at its ends.
fn trimmed(code: &str, from: usize, to: usize) -> (usize, usize) {
    let text = &code[from..to];
    let start = from + text.len() - text.trim_start().len();
    (start, start + text.trim().len())
}

/// The code without lines of prose before and after it.
pub(super) fn without_prose(code: &str, family: Family) -> Option<Reading> {
    let lines: Vec<&str> = code.split_inclusive('\n').collect();
    let is_left_out = |line: &&&str| line.trim().is_empty() || prose::is_prose(line, family);
    let before = lines.iter().take_while(is_left_out).count();
    let after = lines[before..].iter().rev().take_while(is_left_out).count();
    let (first, last) = (before, lines.len() - after);
    let prose = |lines: &[&str]| lines.iter().position(|line| !line.trim().is_empty());
    let said = prose(&lines[..first]).or(prose(&lines[last..]).map(|at| last + at));
    let (line, false) = (said?, first >= last) else {
        return None;
    };
    let from: usize = lines[..first].iter().map(|line| line.len()).sum();
    let to: usize = from
        + lines[first..last]
            .iter()
            .map(|line| line.len())
            .sum::<usize>();
    let repair = format!("prose around it, such as line {}", line + 1);
    Some(Reading::of(
        only(code, |at| (from..to).contains(&at)),
        Repair(repair),
    ))
}

/// The code with spaces for all but some of it, and for line breaks.
fn only(code: &str, is_kept: impl Fn(usize) -> bool) -> String {
    let kept = code.char_indices().map(|(at, c)| match c {
        '\n' | '\r' => c,
        c if is_kept(at) => c,
        _ => ' ',
    });
    kept.collect()
}
