//! What one line of code says about its language.

use super::Signs;
use super::text::StrippedLine;

/// How much a sign weighs that only one family has.
const SURE: u32 = 4;
/// One that the other has now and then.
const LIKELY: u32 = 2;
/// One that says little by itself.
const SLIGHT: u32 = 1;

/// Words that a block of Python begins with; the line ends in a colon.
const PYTHON_BLOCKS: [&str; 14] = [
    "def", "async", "class", "if", "elif", "else", "for", "while", "with", "try", "except",
    "finally", "lambda", "match",
];
/// Words that only Python has.
const PYTHON_WORDS: [&str; 12] = [
    "None", "True", "False", "elif", "lambda", "nonlocal", "raise", "pass", "except", "and", "or",
    "not",
];
/// Functions and modules that scripts in Python use.
const PYTHON_CALLS: [&str; 18] = [
    "print(",
    "len(",
    "range(",
    "enumerate(",
    "sorted(",
    "sum(",
    "isinstance(",
    "str(",
    "dict(",
    "list(",
    "tuple(",
    "zip(",
    "asyncio.",
    "self.",
    "json.",
    "__name__",
    "tools.search(",
    "tools.describe(",
];
/// Words that a statement of TypeScript begins with.
const TYPESCRIPT_STARTS: [&str; 10] = [
    "const",
    "let",
    "var",
    "function",
    "export",
    "interface",
    "enum",
    "namespace",
    "declare",
    "throw",
];
/// Words that only TypeScript and JavaScript have.
const TYPESCRIPT_WORDS: [&str; 9] = [
    "null",
    "undefined",
    "typeof",
    "instanceof",
    "new",
    "function",
    "true",
    "false",
    "this",
];
/// Objects that scripts in JavaScript use.
const TYPESCRIPT_CALLS: [&str; 8] = [
    "console.", "JSON.", "Math.", "Object.", "Array.", "Promise.", "Number(", "String(",
];
/// Signs that Python does not have.
const TYPESCRIPT_MARKS: [&str; 12] = [
    "=>", "===", "!==", "&&", "||", "??", "?.", "++", "${", ") {", "} else", "} catch",
];
/// The same for the starts of lines.
const TYPESCRIPT_BRACES: [&str; 6] = ["try {", "else {", "finally {", "do {", "});", "};"];

pub(super) fn signs(line: &StrippedLine) -> Signs {
    Signs {
        python: python(line),
        typescript: typescript(line),
    }
}

fn python(line: &StrippedLine) -> u32 {
    let code = line.code.trim();
    let mut weight = 0;
    let mut sign = |is_there: bool, worth: u32| weight += if is_there { worth } else { 0 };
    sign(line.hash_comment, LIKELY);
    sign(line.prefixed_string, SURE);
    sign(line.triple_string, SURE);
    let opens_block = code.ends_with(':') && PYTHON_BLOCKS.contains(&first_word(code));
    sign(opens_block, SURE);
    sign(
        code.starts_with("async def ") || code.starts_with("def "),
        SURE,
    );
    sign(is_python_import(code), SURE);
    sign(begins_call(code, "print"), SURE);
    for word in PYTHON_WORDS {
        sign(has_word(code, word), LIKELY);
    }
    for call in PYTHON_CALLS {
        sign(has_start_of_word(code, call), LIKELY);
    }
    sign(has_start_of_word(code, "mcp_"), LIKELY);
    sign(is_comprehension(code), SURE);
    sign(has_named_argument(code), LIKELY);
    sign(code.contains(":="), LIKELY);
    sign(is_plain_assignment(code), SLIGHT);
    weight
}

fn typescript(line: &StrippedLine) -> u32 {
    let code = line.code.trim();
    let mut weight = 0;
    let mut sign = |is_there: bool, worth: u32| weight += if is_there { worth } else { 0 };
    sign(line.slash_comment, SURE);
    sign(line.template, SURE);
    let declares = TYPESCRIPT_STARTS.contains(&first_word(code));
    sign(declares, SURE);
    sign(code.starts_with("async function"), SURE);
    sign(code.starts_with("type ") && code.contains('='), SURE);
    sign(is_typescript_import(code), SURE);
    sign(code.starts_with("class ") && code.ends_with('{'), SURE);
    for word in TYPESCRIPT_WORDS {
        sign(has_word(code, word), LIKELY);
    }
    for call in TYPESCRIPT_CALLS {
        sign(has_start_of_word(code, call), LIKELY);
    }
    for mark in TYPESCRIPT_MARKS {
        sign(code.contains(mark), SURE);
    }
    for brace in TYPESCRIPT_BRACES {
        sign(code.starts_with(brace), SURE);
    }
    sign(
        code.starts_with("for (") || code.starts_with("for await ("),
        SURE,
    );
    let condition = ["if (", "while (", "switch (", "if(", "for("];
    sign(
        condition.iter().any(|start| code.starts_with(start)),
        SLIGHT,
    );
    sign(code.ends_with(';'), LIKELY);
    sign(code.contains(".length"), LIKELY);
    sign(has_bare_key(code), LIKELY);
    weight
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// The word that the code begins with.
fn first_word(code: &str) -> &str {
    &code[..code.find(|c| !is_word(c)).unwrap_or(code.len())]
}

/// Whether it has the word, with no letter and no dot beside it.
fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let after = code[at + word.len()..].chars().next();
        starts_word(code, at) && !after.is_some_and(is_word) && after != Some(':')
    })
}

/// Whether it has `start`, which begins a word.
fn has_start_of_word(code: &str, start: &str) -> bool {
    code.match_indices(start)
        .any(|(at, _)| starts_word(code, at))
}

fn starts_word(code: &str, at: usize) -> bool {
    let before = code[..at].chars().next_back();
    !before.is_some_and(|c| is_word(c) || c == '.')
}

fn begins_call(code: &str, name: &str) -> bool {
    code.strip_prefix(name)
        .is_some_and(|rest| rest.starts_with('('))
}

/// `import x`, `import x as y`, `from x import y`
fn is_python_import(code: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ',' | ' ');
    match (code.strip_prefix("import "), code.strip_prefix("from ")) {
        (Some(names), _) => names.chars().all(plain) && !names.contains(" from"),
        (None, Some(names)) => names.contains(" import "),
        (None, None) => false,
    }
}

/// `import x from "y"`, `import "y"`, `import { x,`
fn is_typescript_import(code: &str) -> bool {
    code.starts_with("} from ")
        || code
            .strip_prefix("import ")
            .is_some_and(|names| names.contains(" from \"") || names.starts_with(['"', '{', '*']))
}

/// `… for x in …` within brackets.
fn is_comprehension(code: &str) -> bool {
    let within = code.find(['[', '(', '{']).map(|at| &code[at + 1..]);
    within
        .and_then(|within| within.split_once(" for "))
        .is_some_and(|(_, rest)| {
            // In JavaScript, what a loop is over is in brackets.
            !rest.starts_with('(') && rest.contains(" in ")
        })
}

/// `f(name=value)`: TypeScript writes a default with spaces.
fn has_named_argument(code: &str) -> bool {
    code.match_indices('=').any(|(at, _)| {
        let next = code[at + 1..].chars().next();
        let name = code[..at].trim_end_matches(is_word);
        let is_named = name.len() < at && !code[name.len()..].starts_with(|c: char| c.is_numeric());
        let in_call = name.trim_end().ends_with(['(', ',']);
        in_call && is_named && next.is_some_and(|c| !matches!(c, '=' | '>' | ' '))
    })
}

/// `({ name: value`: Python writes the name of a key as a string.
fn has_bare_key(code: &str) -> bool {
    code.match_indices('{').any(|(at, _)| {
        let inside = code[at + 1..].trim_start();
        let name = first_word(inside);
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_numeric())
            && inside[name.len()..].starts_with(':')
    })
}

/// `x = …` without a semicolon: in TypeScript, a name is declared first. Also `x: int = …` and `a,
/// b = …`.
fn is_plain_assignment(code: &str) -> bool {
    let Some((names, value)) = code.split_once('=') else {
        return false;
    };
    let named = names.trim_end_matches(['+', '-', '*', '/', ' ']);
    let plain = |c: char| is_word(c) || matches!(c, ',' | ' ' | ':' | '[' | ']');
    !named.is_empty()
        && named.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && named.chars().all(plain)
        && !TYPESCRIPT_STARTS.contains(&first_word(named))
        && first_word(named) != "type"
        && !value.starts_with(['=', '>'])
        && !code.ends_with(';')
}
