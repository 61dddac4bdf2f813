//! A whole command line where a program's name belongs, or a list of arguments.

use std::path::Path;

use super::super::super::User;
use super::super::super::written;

/// What a text is that stands for a program.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// The program itself.
    Program,
    /// A program and its arguments.
    Words(Vec<String>),
    /// Something that a shell would make more of: what to write instead.
    Unclear(String),
}

/// Signs that a shell does not leave as they are.
const SIGNS: &str = "\"'`$\\|&;<>(){}[]*?!#~";

/// What a `command` is. It is split where nothing else can be meant: there is no program of this
/// whole name, there is one of its first word's, and a shell would make no more of it.
pub(super) fn command(text: &str, folder: &Path, user: &User) -> Line {
    let text = text.trim();
    if !text.contains(char::is_whitespace) || is_program(text, folder, user) {
        return Line::Program;
    }
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    let first = words.first().map_or("", String::as_str);
    // A path may have a space in it, of a program that is not there at present.
    // Where it begins with a variable, nothing is known of it.
    if text.contains(['$', '{']) && first.contains(['/', '$', '{']) {
        return Line::Program;
    }
    let is_certain = !first.contains(['/', '\\']) || is_program(first, folder, user);
    if is_certain && !text.contains(|sign| SIGNS.contains(sign)) {
        return Line::Words(words);
    }
    let what = match is_certain {
        true => "this is a whole command line",
        false => "there is no program of this name; if it is a whole command line,",
    };
    let mark = if is_certain { ";" } else { "" };
    Line::Unclear(format!(
        "{what}{mark} write the program alone, and its arguments as a list: {}",
        instead(&words)
    ))
}

/// What `args` is that is one text.
pub(super) fn arguments(text: &str) -> Line {
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    match text.contains(|sign| SIGNS.contains(sign)) {
        false => Line::Words(words),
        true => Line::Unclear(
            "this is one text; write each argument as an item of a list: `args = [\"…\", \"…\"]`"
                .to_owned(),
        ),
    }
}

/// The two keys, without what may be a secret.
fn instead(words: &[String]) -> String {
    const MOST: usize = 8;
    let bare = |word: &String| word.trim_matches(['"', '\'']).replace(['"', '`'], "");
    let mut is_value = false;
    let mut shown: Vec<String> = Vec::new();
    for word in words.iter().take(MOST) {
        let (word, follows) = written::without_secret(&bare(word), is_value);
        is_value = follows;
        shown.push(format!("\"{word}\""));
    }
    if words.len() > MOST {
        shown.push("…".to_owned());
    }
    let program = shown.remove(0);
    format!("`command = {program}, args = [{}]`", shown.join(", "))
}

fn is_program(name: &str, folder: &Path, user: &User) -> bool {
    let at = |folder: &Path| folder.join(name).is_file();
    if let Some(rest) = name.strip_prefix("~/") {
        return user
            .variable("HOME")
            .is_some_and(|home| Path::new(&home).join(rest).is_file());
    }
    if name.contains('/') {
        return at(folder);
    }
    let path = user.variable("PATH").unwrap_or_default();
    at(folder) || std::env::split_paths(&path).any(|folder| at(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_where_nothing_else_can_be_meant() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["my server", "run"] {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        let user = User::default();
        let whole = folder.path().join("my server");
        let whole = whole.to_str().unwrap();
        let run = format!("{} --port 80", folder.path().join("run").display());
        for program in [
            "python3",
            "my server",
            whole,
            "./my server",
            "C:\\tool.exe",
            "",
        ] {
            assert_eq!(
                command(program, folder.path(), &user),
                Line::Program,
                "{program}"
            );
        }
        for (line, words) in [
            ("python3 server.py", vec!["python3", "server.py"]),
            (
                "  npx\t-y  @scope/x@1.2 ",
                vec!["npx", "-y", "@scope/x@1.2"],
            ),
            (&run, run.split(' ').collect()),
        ] {
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            assert_eq!(
                command(line, folder.path(), &user),
                Line::Words(words),
                "{line}"
            );
        }
        for (line, said) in [
            (
                "python3 'my server.py'",
                "`command = \"python3\", args = [\"my\", ",
            ),
            (
                "npx x && npx y",
                "`command = \"npx\", args = [\"x\", \"&&\", ",
            ),
            (
                "/opt/My App/server",
                "there is no program of this name; if it is a whole command line, write",
            ),
            ("npx x --token hunter2 $HOME", "--token\", \"…\""),
            ("\"", "whole"),
        ] {
            match command(line, folder.path(), &user) {
                Line::Unclear(why) => {
                    assert!(why.contains(said) && !why.contains("hunter2"), "{why}");
                }
                Line::Program if line == "\"" => {}
                other => panic!("{line}: {other:?}"),
            }
        }
        assert_eq!(
            arguments("-y x"),
            Line::Words(vec!["-y".into(), "x".into()])
        );
        assert!(matches!(arguments("-c 'a b'"), Line::Unclear(_)));
    }
}
