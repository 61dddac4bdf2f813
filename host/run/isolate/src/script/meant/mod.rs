//! What code means that did not arrive as it was written: a client, a chat or a model changed it on
//! its way.
//!
//! Only code that does not parse as it came is read otherwise, and each [reading](readings) runs only
//! if it parses; that is found out in the isolate. Here, texts are looked at in linear time. Where no
//! reading parses, or what came is not a script, the [error says so](explain).
//!
//! - `reading`: code as it was probably meant, and what was repaired
//! - `pieces`: which part of code is code, which a text of the script
//! - `escapes`, `entities`, `typography`, `wrapping`: a kind of change each
//! - `fences`, `prose`, `shell`: what is not a script

mod entities;
mod escapes;
mod fences;
mod pieces;
mod prose;
mod reading;
mod shell;
#[cfg(test)]
mod tests;
mod typography;
mod wrapping;

use super::Language;
use crate::outcome::{Location, Thrown};

pub(crate) use fences::with_known_fence;
pub(crate) use reading::Reading;
use reading::{Family, Repair, line_of, list, quoted};
use shell::{NO_SHELL, of_shell};

/// How many readings there are at most.
pub(crate) const MOST_READINGS: u64 = STEPS.len() as u64 + 1;

/// The kinds of changes, the outermost first.
const STEPS: [fn(&str, Family) -> Option<Reading>; 5] = [
    |code, _| wrapping::unwrapped(code),
    |code, _| entities::reading(code),
    escapes::reading,
    typography::reading,
    wrapping::without_prose,
];

/// What code may mean that does not parse as it came: without each kind of change alone, and without
/// all of them.
pub(crate) fn readings(code: &str, language: Language) -> Vec<Reading> {
    let family = Family::of(language);
    let alone = STEPS.iter().filter_map(|step| step(code, family));
    let mut readings: Vec<Reading> = alone.collect();
    let mut all = Reading {
        source: code.to_owned(),
        repairs: Vec::new(),
    };
    for step in STEPS {
        if let Some(reading) = step(&all.source, family) {
            all.source = reading.source;
            all.repairs.extend(reading.repairs);
        }
    }
    if all.repairs.len() > 1 {
        readings.push(all);
    }
    readings
}

/// The error of code that can't be a script of any language, whatever else is in it.
pub(crate) fn refused(code: &str, name: &str, language: Language) -> Option<Thrown> {
    let foreign = fences::alone(code, language)?;
    Some(Thrown {
        name: "SyntaxError".to_owned(),
        message: foreign.said(language),
        location: Some(Location {
            module: name.to_owned(),
            line: foreign.line,
            column: 1,
            text: foreign.text,
        }),
        stack: String::new(),
        causes: Vec::new(),
    })
}

/// Whether this error is of a program's source, before anything of it ran.
pub(crate) fn is_fault_of_source(thrown: &Thrown, name: &str) -> bool {
    let is_of_main = |location: &Location| location.module == name;
    ["SyntaxError", "IndentationError", "TabError"].contains(&&*thrown.name)
        && thrown.stack.is_empty()
        && thrown.location.as_ref().is_none_or(is_of_main)
}

/// Says what is wrong with code that does not parse, nor any of its readings, where that can be seen.
pub(crate) fn explain(fault: &mut Thrown, code: &str, language: Language, readings: &[Reading]) {
    let family = Family::of(language);
    if let Some(foreign) = fences::foreign(code, language) {
        fault.message = foreign.said(language);
        return;
    }
    let first = code
        .lines()
        .find(|line| !line.trim().is_empty() && !line.trim_start().starts_with("#!"));
    let at_fault = fault.location.as_ref().map_or(0, |location| location.line);
    let at_fault = code.lines().nth((at_fault as usize).saturating_sub(1));
    let mut lines = first.into_iter().chain(at_fault);
    if let Some((line, purpose)) = lines.find_map(|line| Some((line, shell::command(line)?))) {
        fault.name = "SyntaxError".to_owned();
        fault.message = of_shell(line, purpose, family);
        return;
    }
    if is_by_a_shell(code) {
        fault.message = format!("The code is a shell script, and {NO_SHELL}.");
        return;
    }
    let mut lines = first.into_iter().chain(at_fault);
    if let Some(line) = lines.find(|line| prose::is_prose(line, family)) {
        let number = line_of(code, line.as_ptr() as usize - code.as_ptr() as usize);
        fault.message = format!(
            "Line {number} is prose, not code: {}. Send code alone, or put it in a fence (```).",
            quoted(line)
        );
        return;
    }
    // The last one has all of them.
    let repairs: Vec<Repair> = match readings {
        [] => return,
        [.., last] if last.repairs.len() > 1 => last.repairs.clone(),
        readings => readings.iter().flat_map(|it| it.repairs.clone()).collect(),
    };
    let end = match fault.message.ends_with(['.', '!', '?']) {
        true => "",
        false => ".",
    };
    fault.message += &format!("{end} The code has {}: send plain code.", list(&repairs));
}

/// Says what an unknown name is where it is a shell command, or a part of an HTML entity.
pub(crate) fn explain_name(thrown: &mut Thrown, language: Language) {
    if !["ReferenceError", "NameError"].contains(&&*thrown.name) {
        return;
    }
    let Some(location) = &thrown.location else {
        return;
    };
    let message = thrown.message.strip_prefix("name '");
    let message = message.unwrap_or(&thrown.message);
    let end = message.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '$'));
    let name = &message[..end.unwrap_or(message.len())];
    let family = Family::of(language);
    let line = location.text.trim();
    let begins_line = line.strip_prefix(name).filter(|_| !name.is_empty());
    if begins_line.is_some()
        && let Some(purpose) = shell::command(line)
    {
        let said = of_shell(line, purpose, family);
        thrown.message = format!("{name} is not defined. {said}");
    } else if let Some((entity, text)) = entities::left_of(name, line) {
        thrown.message = format!(
            "{name} is not defined. The code has the HTML entity `{entity}`: write `{text}`."
        );
    }
}

/// Whether the program is a shell that the first line names.
fn is_by_a_shell(code: &str) -> bool {
    let first = code.trim_start().lines().next().unwrap_or_default();
    first.strip_prefix("#!").is_some_and(|program| {
        let mut words = program.split(['/', ' ']);
        words.any(shell::is_language)
    })
}
