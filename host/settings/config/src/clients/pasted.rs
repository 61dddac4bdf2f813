//! A text as people paste it: with what is around the servers in a page, or without what should be.
//! Places stay what they are in the file.

use std::path::Path;

use super::super::error::{ConfigError, Mistakes};
use super::super::read::Source;
use super::super::tree::{Format, Member, Node, Value};
use super::entry;

/// The tables of servers that some client has, which are looked for in a file that is nobody's.
/// `docs/clients/README.md` has them, too.
pub(super) const TABLES: [&[&str]; 9] = [
    &["mcpServers"],
    &["servers"],
    &["context_servers"],
    &["mcp_servers"],
    &["mcp-servers"],
    &["mcp", "servers"],
    &["mcp", "mcpServers"],
    &["mcp"],
    &["extensions"],
];

/// What a text is read as: with the same length, but for what had to be put before it.
pub(super) struct PastedText {
    pub(super) text: String,
    pub(super) format: Format,
    /// So many bytes were put before it.
    before: usize,
}

impl PastedText {
    /// Takes a text for what it holds.
    ///
    /// # Errors
    ///
    /// A sentence: why it is not a file of servers, and what to do.
    pub(super) fn of(text: &str, format: Format) -> Result<Self, String> {
        let (text, format) = unfenced(text, format);
        if format == Format::Json
            && let Some(said) = line_of_a_shell(&text)
        {
            return Err(said);
        }
        let is_fragment = format == Format::Json && begins_with_a_key(&text);
        Ok(match is_fragment {
            true => Self {
                // A comma at its end is fine in what is read as JSON here.
                text: format!("{{{text}\n}}"),
                format,
                before: 1,
            },
            false => Self {
                text,
                format,
                before: 0,
            },
        })
    }

    /// A place in it as one in the file.
    pub(super) fn place(&self, node: &mut Node) {
        if self.before > 0 {
            shift(node, self.before);
        }
    }
}

/// What stands in the first block between lines of ```` ``` ````, if there is one, in its place.
fn unfenced(text: &str, format: Format) -> (String, Format) {
    let fence =
        |line: &str| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
    if format != Format::Json || !text.lines().any(fence) {
        return (text.to_owned(), format);
    }
    let mut kept = String::with_capacity(text.len());
    let mut within = None;
    let mut is_over = false;
    let mut found = format;
    for line in text.split_inclusive('\n') {
        if fence(line) && !is_over {
            match within {
                None => {
                    let language = line
                        .trim()
                        .trim_start_matches(['`', '~'])
                        .to_ascii_lowercase();
                    within = Some(());
                    found = match language.trim() {
                        "toml" => Format::Toml,
                        "yaml" | "yml" => Format::Yaml,
                        _ => Format::Json,
                    };
                }
                Some(()) => is_over = true,
            }
        } else if within.is_some() && !is_over {
            kept.push_str(line);
            continue;
        }
        let blank = line
            .bytes()
            .map(|byte| if byte == b'\n' { '\n' } else { ' ' });
        kept.extend(blank);
    }
    (kept, found)
}

/// Whether a text is members of an object without its braces: `"name": { … }`.
fn begins_with_a_key(text: &str) -> bool {
    let text = after_comments(text);
    let Some(rest) = text.strip_prefix('"') else {
        return false;
    };
    rest.split_once('"')
        .is_some_and(|(_, after)| after.trim_start().starts_with(':'))
}

/// What follows the comments at a text's beginning.
fn after_comments(text: &str) -> &str {
    let mut text = text.trim_start();
    loop {
        let end = match text.get(..2) {
            Some("//") => "\n",
            Some("/*") => "*/",
            _ => return text,
        };
        text = text
            .split_once(end)
            .map_or("", |(_, rest)| rest.trim_start());
    }
}

/// What to do with a line that a shell or a browser takes.
fn line_of_a_shell(text: &str) -> Option<String> {
    const ADDS: &str = "run `ampoule servers add NAME -- COMMAND`, with the same command, or `ampoule servers add NAME --url URL`";
    let first = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let first = first.trim_start_matches(['$', '>', '%', ' ']);
    let mut words = first.split_whitespace();
    let program = words.next()?;
    let second = words.next();
    let links = [
        "cursor://",
        "vscode:",
        "vscode-insiders:",
        "lmstudio://",
        "goose://",
    ];
    let pages = [
        "https://cursor.com/",
        "https://insiders.vscode.dev/",
        "https://vscode.dev/",
    ];
    if links
        .iter()
        .chain(&pages)
        .any(|link| first.starts_with(link))
    {
        return Some(format!(
            "this is a link by which an editor installs a server, and not a file of servers; its page tells the command or the address: {ADDS}"
        ));
    }
    let is_client = [
        "claude", "codex", "gemini", "copilot", "code", "devin", "amp", "opencode", "kiro-cli",
    ]
    .contains(&program);
    if is_client && matches!(second, Some("mcp" | "--add-mcp")) {
        return Some(format!(
            "this is a line for a shell that adds a server to another client, and not a file of servers; {ADDS}"
        ));
    }
    let starts = [
        "npx", "bunx", "pnpm", "uvx", "uv", "pipx", "docker", "podman", "node", "python",
        "python3", "deno", "go",
    ];
    if starts.contains(&program) && second.is_some() {
        return Some(format!(
            "this is a server's command line, and not a file of servers; {ADDS}"
        ));
    }
    (first.starts_with("http://") || first.starts_with("https://")).then(|| {
        "this is an address, and not a file of servers; run `ampoule servers add NAME --url URL`"
            .to_owned()
    })
}

fn shift(node: &mut Node, by: usize) {
    let back = |place: &mut std::ops::Range<usize>| {
        *place = place.start.saturating_sub(by)..place.end.saturating_sub(by);
    };
    back(&mut node.place);
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(|item| shift(item, by)),
        Value::Table(members) => members.iter_mut().for_each(|member| {
            back(&mut member.place);
            shift(&mut member.node, by);
        }),
        _ => {}
    }
}

/// Reads a text that is nobody's. What is wrong with it is told with its place there.
pub(super) fn parsed(text: &str, format: Format, file: &Path) -> Result<Node, ConfigError> {
    let source = Source::new(file, text);
    let pasted = PastedText::of(text, format).map_err(|said| source.wrong(Some(0..0), "", said))?;
    let read = pasted.format.parsed(&pasted.text);
    let mut node = read.map_err(|broken| {
        let mut mistakes = Mistakes::default();
        for (message, place) in broken {
            let back = |at: usize| at.saturating_sub(pasted.before).min(text.len());
            let place = place.map(|place| back(place.start)..back(place.end));
            let rest = place.as_ref().and_then(|place| text.get(place.start..));
            let message = hint(rest.unwrap_or_default(), pasted.format).unwrap_or(message);
            mistakes.add(source.wrong(place, "", message));
        }
        let whole = ConfigError::new(file, "it can't be read");
        mistakes.none().err().unwrap_or(whole)
    })?;
    pasted.place(&mut node);
    Ok(node)
}

/// What to write instead of what no JSON has, if that can be known from where it stands.
fn hint(rest: &str, format: Format) -> Option<String> {
    if format != Format::Json {
        return None;
    }
    let said = match rest.trim_start().chars().next()? {
        '“' | '”' | '„' | '‘' | '’' => "this is a typographic quotation mark; write `\"`",
        '.' | '…' => "this stands for something that was left out; write it, or remove it",
        '{' => "a second object begins here; put all servers into the first one",
        '}' | ']' => "this closes nothing; remove it",
        first if first.is_ascii_alphabetic() || first == '_' => {
            "a name in JSON needs quotes; write `\"name\":`, or call the file `.toml` or `.yaml` if it is that"
        }
        _ => return None,
    };
    Some(said.to_owned())
}

/// What an entry calls itself.
pub(super) fn name(entry: &Node) -> Option<String> {
    let key = entry::KEYS.iter().find(|key| key.usual == "name")?;
    let mut names = [key.usual].into_iter().chain(key.others.iter().copied());
    names.find_map(|key| entry.get(key)?.as_text().map(str::to_owned))
}

/// The servers of a file that is nobody's, with the keys that lead to them: of a table that some
/// client has, of a list, or of the file itself.
///
/// # Errors
///
/// There is none of these; or a server of a list has no name.
pub(super) fn tables(
    document: &Node,
    source: &Source<'_>,
) -> Result<Vec<(String, Vec<Member>)>, ConfigError> {
    let mut tables = Vec::new();
    for keys in TABLES {
        let Some(table) = document.at(keys) else {
            continue;
        };
        let key = keys.join(".");
        // What is within one is not a server of its own.
        let is_within = tables
            .iter()
            .any(|(found, _): &(String, _)| found.starts_with(&format!("{key}.")));
        if is_within || entry::is_server(table) && keys.len() > 1 {
            continue;
        }
        // Other things are called so, too.
        let is_of_servers = |it: &Member| entry::is_server(&it.node);
        if matches!(keys, ["mcp" | "servers" | "extensions"])
            && table.items().is_empty()
            && !table.members().iter().any(is_of_servers)
        {
            continue;
        }
        match &table.value {
            Value::Table(members) => tables.push((key, members.clone())),
            Value::List(_) => tables.push((key.clone(), named(table, &key, source)?)),
            _ => {}
        }
    }
    if tables.is_empty() && !document.items().is_empty() {
        tables.push((String::new(), named(document, "", source)?));
    }
    if tables.is_empty()
        && document
            .members()
            .iter()
            .any(|it| entry::is_server(&it.node))
    {
        tables.push((String::new(), document.members().to_vec()));
    }
    match tables.is_empty() {
        true => Err(source.wrong(None, "", looked_for())),
        false => Ok(tables),
    }
}

/// A list of servers as members, by the name that each has.
fn named(list: &Node, key: &str, source: &Source<'_>) -> Result<Vec<Member>, ConfigError> {
    let member = |(place, item): (usize, &Node)| {
        let name = name(item).ok_or_else(|| {
            let said = "a server of a list needs a `name`";
            source.wrong(Some(item.place.clone()), &format!("{key}[{place}]"), said)
        })?;
        Ok(Member {
            name,
            place: item.place.clone(),
            node: item.clone(),
        })
    };
    list.items().iter().enumerate().map(member).collect()
}

/// What was looked for in a file without a server.
pub(super) fn looked_for() -> String {
    let tables = TABLES.iter().map(|keys| format!("`{}`", keys.join(".")));
    format!(
        "no server is in it: neither one of the tables {}, nor an entry with a `command` or a `url`",
        tables.collect::<Vec<_>>().join(", ")
    )
}
