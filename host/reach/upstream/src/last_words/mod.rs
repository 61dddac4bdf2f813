//! Why a server failed, as far as it said so on its stderr: of many lines, those that say why.

use ampoule_untrusted::log_id;

use super::process::Process;

/// How many lines are shown.
const SHOWN: usize = 5;

/// How much a line says of why a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Telling {
    /// It says nothing: a frame of a stack, a brace, where the log is.
    Nothing,
    /// It may be anything.
    Something,
    /// It speaks of what is wrong.
    Wrong,
    /// It names an error.
    Error,
}

/// Beginnings of lines that say nothing, in small letters.
const NOISE: [&str; 19] = [
    "a complete log of this run",
    "npm notice",
    "npm error a complete log of this run",
    "npm err! a complete log of this run",
    "node.js v",
    "node:internal/",
    "at ",
    "traceback (most recent call last)",
    "file \"",
    "require stack:",
    "requirestack:",
    "- /",
    "note: run with `rust_backtrace",
    "note: some details are omitted",
    "stack backtrace:",
    "throw ",
    "during handling of the above exception",
    "the above exception was the direct cause",
    "code: '",
];

/// What names an error, in small letters.
const ERRORS: [&str; 16] = [
    "error:",
    "exception:",
    "panicked at",
    "npm error",
    "npm err!",
    "command not found",
    "not found",
    "no such file",
    "no module named",
    "cannot find",
    "enoent",
    "eacces",
    "eaddrinuse",
    "econnrefused",
    "fatal:",
    "permission denied",
];

/// What speaks of something wrong, in small letters.
const WRONGS: [&str; 18] = [
    "error",
    "exception",
    "fail",
    "fatal",
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "unable",
    "denied",
    "refused",
    "invalid",
    "missing",
    "required",
    "unknown",
    "unsupported",
    "timed out",
    "usage:",
];

/// What a server said on its stderr of why it failed, as the end of a sentence. The other lines are
/// the operator's alone, in the log; somebody who heard all of them as they came needs no log.
pub(super) fn last_words(server: &str, process: Option<&Process>) -> String {
    let lines = process.map(Process::stderr).unwrap_or_default();
    let shown = match &telling(&lines)[..] {
        [] => return String::new(),
        [line] => format!("Its last words on stderr: {line}"),
        several => format!("Its last words on stderr:\n  {}\n", several.join("\n  ")),
    };
    if process.is_some_and(Process::is_heard) {
        return format!(". {}", shown.trim_end());
    }
    let id = log_id();
    tracing::warn!(
        server,
        id,
        "the server ended, and had written to stderr:\n{}",
        lines.join("\n")
    );
    format!(". {shown} (more in the log under {id})").replace("\n (more", "\n(more")
}

/// The lines that say most, at most five, in their order. Where none says anything of what is
/// wrong, the last one is shown.
fn telling(lines: &[String]) -> Vec<&str> {
    let told = judged(lines);
    let most = told.iter().copied().max().unwrap_or(Telling::Nothing);
    if most <= Telling::Something {
        let last = told.iter().rposition(|it| *it == most);
        return last.map(|at| lines[at].trim()).into_iter().collect();
    }
    let mut chosen: Vec<usize> = (0..lines.len()).filter(|&at| told[at] == most).collect();
    chosen.drain(..chosen.len().saturating_sub(SHOWN));
    chosen.dedup_by(|later, earlier| lines[*later] == lines[*earlier]);
    chosen.into_iter().map(|at| lines[at].trim()).collect()
}

/// How telling each line is, where it stands.
fn judged(lines: &[String]) -> Vec<Telling> {
    let mut in_traceback = false;
    let mut after_panic = false;
    let judge = |line: &String| {
        let text = line.trim();
        let indented = line.starts_with(' ');
        let begins_traceback = text.starts_with("Traceback (most recent call last)");
        let told = if after_panic {
            // The message of a panic stands below the place.
            Telling::Error
        } else if in_traceback && !indented {
            // The exception itself, whatever it is called.
            Telling::Error
        } else if in_traceback {
            Telling::Nothing
        } else {
            of_itself(text)
        };
        after_panic = text.contains(" panicked at ") && text.ends_with(':');
        in_traceback = begins_traceback || (in_traceback && indented);
        told
    };
    lines.iter().map(judge).collect()
}

fn of_itself(line: &str) -> Telling {
    let line = line.to_lowercase();
    let says = |parts: &[&str]| parts.iter().any(|part| line.contains(part));
    // npm puts the error's code before each line, also where there is nothing else on it.
    let bare_code = line
        .strip_prefix("npm error")
        .or(line.strip_prefix("npm err!"))
        .is_some_and(|rest| rest.split_whitespace().count() < 2);
    if !line.chars().any(char::is_alphanumeric)
        || bare_code
        || NOISE.iter().any(|noise| line.starts_with(noise))
    {
        Telling::Nothing
    } else if says(&ERRORS) {
        Telling::Error
    } else if says(&WRONGS) {
        Telling::Wrong
    } else {
        Telling::Something
    }
}

#[cfg(test)]
mod tests;
