//! Runs and how they ended, as the command prints them.

use ampoule::{Ending, Language, Level, Line, Outcome, SessionEnd};
use ampoule_server::content::blocks::{self, Part};
use ampoule_server::content::media::{self, ReadableText};
use ampoule_untrusted::json;
use serde::Serialize;
use serde_json::value::RawValue;

use super::cost::Cost;
use super::streams;

/// Says where to find the bytes that are not printed with a value.
pub(super) const BYTES_APART: &str = "the value has bytes: `--json` prints them under `media`";

/// Prints a line of a run's output to its stream, with a short line for each image and other bytes
/// in it.
pub(super) fn print_line(line: &Line) {
    let stream = match line.level {
        Level::Warn | Level::Error => streams::err(),
        _ => streams::out(),
    };
    stream.foreign_line(&media::shown(&line.text).text);
}

/// Prints how a run ended: as one document with its output, or its value alone. A value that
/// policies withhold is reported as such. Returns whether the value has bytes that only the
/// document shows.
pub(super) fn print(outcome: &Outcome, language: Option<Language>, as_document: bool) -> bool {
    if as_document {
        let document = Document { outcome, language };
        // Texts and numbers alone can always be written.
        let text = serde_json::to_string(&document).unwrap_or_default();
        streams::out().json(&json::indented(&with_media_apart(outcome, text)));
        return false;
    }
    if let Some(withheld) = &outcome.withheld {
        streams::err().warning(withheld);
        return false;
    }
    let mut has_bytes = false;
    for value in &outcome.emitted {
        has_bytes |= print_value(value);
    }
    match &outcome.ending {
        Ending::Returned(None) => {}
        Ending::Returned(Some(value)) => has_bytes |= print_value(value),
        ended => {
            streams::err().ended(ended);
            for block in &outcome.error_content {
                has_bytes |= say_block(block);
            }
            if let Some(log) = &outcome.call_log {
                let log = streams::err().prose(&log.to_string());
                streams::err().line(log);
            }
        }
    }
    has_bytes
}

/// Says what the error of a tool has besides text. Returns whether it has bytes that only the
/// document shows.
fn say_block(block: &RawValue) -> bool {
    let mut has_bytes = false;
    for part in blocks::parts(block) {
        match &part {
            Part::Text(text) => streams::err().foreign_line(text),
            Part::Json(json) => streams::err().foreign_line(json),
            Part::Block(block) => match block.text() {
                Some(text) => streams::err().foreign_line(text),
                None => {
                    streams::err().line(block);
                    has_bytes = true;
                }
            },
        }
    }
    has_bytes
}

/// Prints a value. Returns whether it has bytes that only the document shows.
fn print_value(value: &RawValue) -> bool {
    let mut has_bytes = false;
    for part in blocks::parts(value) {
        match part {
            Part::Text(text) => {
                let ReadableText { text, media } = media::shown(&text);
                streams::out().foreign_line(&text);
                has_bytes |= !media.is_empty();
            }
            Part::Json(value) => {
                let ReadableText { text, media } = media::shown_in(value);
                streams::out().json(&json::indented(&text));
                has_bytes |= !media.is_empty();
            }
            Part::Block(block) => match block.text() {
                Some(text) => streams::out().foreign_line(text),
                None => streams::out().line(block),
            },
        }
    }
    has_bytes
}

/// How many bytes of what a run printed and returned are images and the like, for which a model reads
/// a short line or sees a picture.
pub(super) fn hidden_bytes(outcome: &Outcome) -> u64 {
    let hidden = |text: &str| text.len().saturating_sub(media::shown(text).text.len());
    let lines = outcome.output.lines().iter().map(|line| hidden(&line.text));
    let returned = match &outcome.ending {
        Ending::Returned(value) => value.as_ref(),
        _ => None,
    };
    let values = outcome.emitted.iter().chain(&outcome.error_content);
    let values = values.chain(returned).map(|value| {
        let shown = blocks::parts(value).into_iter().map(|part| match part {
            Part::Text(text) => media::shown(&text).text.len(),
            Part::Json(value) => media::shown_in(value).text.len(),
            Part::Block(block) => block.text().map_or(block.to_string().len(), str::len),
        });
        value.get().len().saturating_sub(shown.sum())
    });
    lines.chain(values).sum::<usize>() as u64
}

/// A document whose texts have a line for each image and other bytes; the bytes follow as `media`.
/// A value that is a content block stays as it was written.
fn with_media_apart(outcome: &Outcome, document: String) -> String {
    if let Ending::Returned(Some(value)) = &outcome.ending {
        let parts = blocks::parts(value);
        if parts.iter().any(|part| matches!(part, Part::Block(_))) {
            return document;
        }
    }
    let ReadableText { text, media } = media::shown_in(document.into());
    let mut text = text.into_owned();
    let whole: Vec<_> = media.iter().filter(|media| media.left_out == 0).collect();
    if !whole.is_empty() && text.ends_with('}') {
        let media = serde_json::to_string(&whole).unwrap_or_default();
        text.truncate(text.len() - 1);
        text.push_str(&format!(",\"media\":{media}}}"));
    }
    text
}

/// Says what a run used.
pub(super) fn say_usage(outcome: &Outcome, looked_like: Option<Language>, cost: &Cost) {
    let usage = &outcome.usage;
    let language = looked_like.map_or_else(String::new, |language| {
        format!("{} (guessed from the code); ", language.title())
    });
    streams::err().note(format_args!(
        "{language}{:.0?}, {} {}, {:.1} million units of fuel, {:.1} MiB of memory",
        usage.wall_time,
        usage.calls.len(),
        if usage.calls.len() == 1 {
            "call"
        } else {
            "calls"
        },
        usage.fuel as f64 / 1e6,
        usage.peak_memory_bytes as f64 / f64::from(1 << 20),
    ));
    if let Some(session) = &outcome.session {
        streams::err().note(said_of(session));
    }
    if !usage.calls.is_empty() {
        streams::err().note(cost.line(usage.calls.len()));
    }
}

/// The state of the session after the run.
pub(super) fn said_of(session: &SessionEnd) -> String {
    let SessionEnd { name, run, .. } = session;
    let mut said = match session.kept {
        true => format!(
            "session {name}: saved run {run}, {:.1} KiB",
            session.bytes as f64 / 1024.0
        ),
        false => format!("session {name} stays at run {run}"),
    };
    for note in &session.notes {
        said += "; ";
        said += note;
    }
    said
}

/// The outcome as one JSON document, with the language of a script.
#[derive(Serialize)]
struct Document<'a> {
    #[serde(flatten)]
    outcome: &'a Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<Language>,
}
