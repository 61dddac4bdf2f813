//! Commands of a shell.

use super::reading::{Family, quoted};

/// What is said wherever one is written.
pub(super) const NO_SHELL: &str = "there is no shell: scripts are TypeScript, JavaScript or Python";

/// What a command is for, by which is said how the same is done in a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Folder,
    Files,
    Requests,
    Packages,
    Programs,
    Text,
}

/// Commands that are words of nothing else.
const SURE: [(&str, Purpose); 50] = [
    ("pwd", Purpose::Folder),
    ("cd", Purpose::Folder),
    ("ls", Purpose::Files),
    ("cat", Purpose::Files),
    ("mkdir", Purpose::Files),
    ("rmdir", Purpose::Files),
    ("rm", Purpose::Files),
    ("cp", Purpose::Files),
    ("mv", Purpose::Files),
    ("chmod", Purpose::Files),
    ("chown", Purpose::Files),
    ("grep", Purpose::Files),
    ("egrep", Purpose::Files),
    ("rg", Purpose::Files),
    ("sed", Purpose::Files),
    ("awk", Purpose::Files),
    ("wc", Purpose::Files),
    ("xargs", Purpose::Files),
    ("tar", Purpose::Files),
    ("unzip", Purpose::Files),
    ("du", Purpose::Files),
    ("df", Purpose::Files),
    ("jq", Purpose::Files),
    ("echo", Purpose::Text),
    ("printf", Purpose::Text),
    ("curl", Purpose::Requests),
    ("wget", Purpose::Requests),
    ("ssh", Purpose::Requests),
    ("scp", Purpose::Requests),
    ("pip", Purpose::Packages),
    ("pip3", Purpose::Packages),
    ("npm", Purpose::Packages),
    ("npx", Purpose::Packages),
    ("pnpm", Purpose::Packages),
    ("yarn", Purpose::Packages),
    ("apt", Purpose::Packages),
    ("apt-get", Purpose::Packages),
    ("brew", Purpose::Packages),
    ("conda", Purpose::Packages),
    ("git", Purpose::Programs),
    ("docker", Purpose::Programs),
    ("kubectl", Purpose::Programs),
    ("bash", Purpose::Programs),
    ("sh", Purpose::Programs),
    ("sudo", Purpose::Programs),
    ("python", Purpose::Programs),
    ("python3", Purpose::Programs),
    ("whoami", Purpose::Programs),
    ("uname", Purpose::Programs),
    ("systemctl", Purpose::Programs),
];

/// Commands that are words of English or names, too: only with what a shell alone has.
const LIKELY: [(&str, Purpose); 20] = [
    ("find", Purpose::Files),
    ("head", Purpose::Files),
    ("tail", Purpose::Files),
    ("sort", Purpose::Files),
    ("touch", Purpose::Files),
    ("tree", Purpose::Files),
    ("file", Purpose::Files),
    ("stat", Purpose::Files),
    ("tee", Purpose::Files),
    ("cut", Purpose::Files),
    ("uv", Purpose::Packages),
    ("cargo", Purpose::Packages),
    ("node", Purpose::Programs),
    ("deno", Purpose::Programs),
    ("bun", Purpose::Programs),
    ("go", Purpose::Programs),
    ("make", Purpose::Programs),
    ("ps", Purpose::Programs),
    ("env", Purpose::Programs),
    ("which", Purpose::Programs),
];

/// Words that a shell's language has, and scripts have as names of fences.
const LANGUAGES: [&str; 11] = [
    "bash",
    "sh",
    "shell",
    "zsh",
    "fish",
    "console",
    "terminal",
    "shellscript",
    "powershell",
    "bat",
    "cmd",
];

pub(super) fn is_language(name: &str) -> bool {
    LANGUAGES.iter().any(|it| it.eq_ignore_ascii_case(name))
}

/// What a line is for that is a command of a shell, and can be nothing else.
pub(super) fn command(line: &str) -> Option<Purpose> {
    let line = line.trim().trim_end_matches(';');
    let line = line.strip_prefix("$ ").unwrap_or(line).trim_start();
    let (name, rest) = line.split_at(line.find(char::is_whitespace).unwrap_or(line.len()));
    let rest = rest.trim();
    let is_argument = || {
        let first = rest.split_whitespace().next().unwrap_or_default();
        let begins = first.starts_with(|c: char| c.is_alphanumeric() || "-_./~\"'$*".contains(c));
        let operators = [
            "in",
            "of",
            "is",
            "and",
            "or",
            "as",
            "not",
            "instanceof",
            "if",
        ];
        begins && !first.ends_with(['(', ':']) && !operators.contains(&first)
    };
    if let Some((_, purpose)) = SURE.iter().find(|(sure, _)| *sure == name) {
        // `echo = 1`, `ls(…)`
        return (rest.is_empty() || is_argument()).then_some(*purpose);
    }
    let (_, purpose) = LIKELY.iter().find(|(likely, _)| *likely == name)?;
    let is_a_shells = |word: &str| {
        let is_flag = word.len() > 1
            && word.starts_with('-')
            && word[1..].starts_with(|c: char| c == '-' || c.is_alphabetic());
        let is_path = ["/", "./", "../", "~/", "*."]
            .iter()
            .any(|it| word.starts_with(it));
        is_flag || is_path && word.len() > 1 || matches!(word, "|" | "&&" | "-")
    };
    (is_argument() && rest.split_whitespace().any(is_a_shells)).then_some(*purpose)
}

/// How the same is done in a script.
pub(super) fn instead(purpose: Purpose, family: Family) -> &'static str {
    match (purpose, family) {
        (Purpose::Folder, Family::JavaScript) => {
            "The current folder is `fs.realpathSync(\".\")` of node:fs, what is in it `fs.readdirSync(\".\")`"
        }
        (Purpose::Folder, Family::Python) => {
            "The current folder is `os.getcwd()`, what is in it `os.listdir(\".\")`"
        }
        (Purpose::Files, Family::JavaScript) => {
            "Files are read and written by node:fs, as in `fs.readFileSync(\"report.csv\", \"utf8\")`; `fs.readdirSync(\".\")` lists them"
        }
        (Purpose::Files, Family::Python) => {
            "Files are read and written by `open(\"report.csv\")`; `os.listdir(\".\")` lists them"
        }
        (Purpose::Requests, Family::JavaScript) => {
            "Requests are made by the granted tools, or by `await fetch(url)` where that is allowed"
        }
        (Purpose::Requests, Family::Python) => {
            "Requests are made by the granted tools, or by `urllib.request` where that is allowed"
        }
        (Purpose::Packages, Family::JavaScript) => {
            "Here nothing can be installed: use the language's own library and the granted tools"
        }
        (Purpose::Packages, Family::Python) => {
            "Here nothing can be installed: use the standard library and the granted tools"
        }
        (Purpose::Programs, _) => {
            "No other program can be started: write what it does in the script, or call a granted tool"
        }
        (Purpose::Text, Family::JavaScript) => "Write `console.log(...)`, or `return` the value",
        (Purpose::Text, Family::Python) => "Write `print(...)`, or `return` the value",
    }
}

/// What is wrong with a line that is a command for this.
pub(super) fn of_shell(line: &str, purpose: Purpose, family: Family) -> String {
    let instead = instead(purpose, family);
    format!(
        "{} is a shell command, and {NO_SHELL}. {instead}.",
        quoted(line)
    )
}
