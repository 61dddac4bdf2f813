//! Code as HTML or XML has it: entities for characters.

use super::reading::{Reading, Repair, line_of};

/// The longest name of an entity, with room for numbers.
const MOST_NAME_BYTES: usize = 10;

/// The entities of code. HTML has many more, which no encoder of code writes.
const NAMED: [(&str, &str); 12] = [
    ("lt", "<"),
    ("gt", ">"),
    ("amp", "&"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("lbrace", "{"),
    ("rbrace", "}"),
    ("lbrack", "["),
    ("rbrack", "]"),
    ("grave", "`"),
    ("NewLine", "\n"),
];

/// What HTML writes for a line break. In code, one follows it mostly.
const BREAKS: [&str; 3] = ["<br>", "<br/>", "<br />"];

/// The code with characters for its entities, and without `<br>`.
pub(super) fn reading(code: &str) -> Option<Reading> {
    let mut source = String::with_capacity(code.len());
    let mut first: Option<(usize, &str, String)> = None;
    let mut at = 0;
    while let Some(found) = code[at..].find(['&', '<']) {
        source.push_str(&code[at..at + found]);
        at += found;
        let rest = &code[at..];
        let read = entity(rest).or_else(|| line_break(rest));
        match read {
            Some((len, text)) => {
                first.get_or_insert_with(|| (at, &rest[..len], text.clone()));
                source.push_str(&text);
                at += len;
            }
            None => {
                source.push_str(&rest[..1]);
                at += 1;
            }
        }
    }
    source.push_str(&code[at..]);
    let (at, entity, text) = first?;
    let line = line_of(code, at);
    let repair = match &*text {
        "" | "\n" | " " => format!("HTML in it, first `{entity}` in line {line}"),
        text => format!("HTML entities in it, first `{entity}` for `{text}` in line {line}"),
    };
    Some(Reading::of(source, Repair(repair)))
}

/// How long the entity is that a text begins with, and what it stands for.
fn entity(rest: &str) -> Option<(usize, String)> {
    let name = rest.strip_prefix('&')?;
    let most = name.floor_char_boundary(MOST_NAME_BYTES);
    let end = name[..most].find(';')?;
    let (name, len) = (&name[..end], end + 2);
    if let Some((_, text)) = NAMED.iter().find(|(known, _)| *known == name) {
        return Some((len, (*text).to_owned()));
    }
    let number = name.strip_prefix('#')?;
    let number = match number.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
        None => number.parse().ok()?,
    };
    let c = char::from_u32(number).filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))?;
    let c = if c == '\u{a0}' { ' ' } else { c };
    Some((len, c.to_string()))
}

/// How long the line break is that a text begins with, and what it stands for.
fn line_break(rest: &str) -> Option<(usize, String)> {
    let len = BREAKS.iter().find(|it| rest.starts_with(**it))?.len();
    let follows = rest[len..].trim_start_matches([' ', '\t', '\r']);
    let text = match follows.chars().next() {
        None | Some('\n') => "",
        Some(_) => "\n",
    };
    Some((len, text.to_owned()))
}

/// The entity for `<` and its like that a name is left of, where the code has it as an expression:
/// `a &lt; b` is `a & lt`.
pub(super) fn left_of(name: &str, line: &str) -> Option<(String, &'static str)> {
    let (known, text) = NAMED.iter().find(|(known, _)| *known == name)?;
    let entity = format!("&{known};");
    line.contains(&entity).then_some((entity, text))
}
