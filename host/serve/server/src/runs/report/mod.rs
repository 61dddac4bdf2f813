//! A run's outcome, as a model reads it; `undo`: what it reads of calls that can be taken back.

mod undo;

pub use undo::UNDO_OFFER;

use std::borrow::Cow;

use ampoule::{Ending, Language, Outcome, RunId, SessionEnd};
use serde_json::value::RawValue;

use super::answer::Answer;
use super::code::CodeKind;
use super::stored_output::{self, LeftOut, StoredOutput};
use crate::content::WholeAnswer;
use crate::content::blocks::{self, Content, Part};
use crate::content::cut::{self, Room};
use crate::content::media::{self, Media};

/// How a run ended, and how that is reported.
pub(super) struct Report<'a> {
    pub(super) run: RunId,
    pub(super) outcome: &'a Outcome,
    pub(super) kind: CodeKind,
    /// How much of it there is room for.
    pub(super) room: Room,
    /// Where results without room in the answer are stored, if they are.
    pub(super) stored: Option<&'a StoredOutput>,
    /// Whether the client shows the apps of tools.
    pub(super) shows_apps: bool,
}

/// How the next script reads what was left out, if there is room to keep it.
fn rest(kind: CodeKind, stored: &StoredOutput, left_out: LeftOut<'_>) -> Option<String> {
    if left_out.returned.is_none() && left_out.printed.is_none() {
        return None;
    }
    let language = match kind {
        CodeKind::Script { language, .. } => language,
        CodeKind::Component | CodeKind::Call | CodeKind::Undo => Language::TypeScript,
    };
    let run = stored.keep(left_out)?;
    let parts = [
        left_out.returned.map(|_| stored_output::Part::Returned),
        left_out.printed.map(|_| stored_output::Part::Printed),
    ];
    let calls = parts.into_iter().flatten();
    let calls: Vec<String> = calls
        .map(|part| format!("`{}`", part.call(run, language)))
        .collect();
    Some(format!(
        "The next script can read all of it: {}",
        calls.join(", ")
    ))
}

fn threw(kind: CodeKind) -> &'static str {
    match kind {
        CodeKind::Script {
            language: Language::Python,
            ..
        } => "raised",
        _ => "threw",
    }
}

/// The note about the language, if the client did not name it.
fn language_note(kind: CodeKind, ending: &Ending) -> Option<String> {
    let CodeKind::Script {
        language,
        looked_at: true,
    } = kind
    else {
        return None;
    };
    let advice = match ending {
        Ending::Returned(_) => "",
        _ => "; if that is wrong, name the right one with `language`",
    };
    Some(format!(
        "language: {}, guessed from the code{advice}",
        language.name()
    ))
}

/// The output, and then the result or what went wrong, as far as there is room; in one block, but
/// for what is a content block of its own. What comes after that is a text of its own: how the next
/// script reads what was cut, and the language.
pub(super) fn answer(report: Report<'_>) -> Answer {
    let Report {
        run,
        outcome,
        kind,
        room,
        stored,
        shows_apps,
    } = report;
    if let Some(why) = &outcome.withheld {
        let text = format!("{why} (run {})", run.short());
        return Answer::failure(&text);
    }
    let output = outcome.output.to_string();
    let noun = kind.noun();
    let whole = || match &outcome.ending {
        Ending::Returned(Some(value)) => WholeAnswer::read(value.get()),
        _ => None,
    };
    let structured_content = match shows_apps {
        true => whole().and_then(|whole| whole.structured_for_app()),
        false => None,
    };
    let end = match &outcome.ending {
        Ending::Returned(Some(value)) => match whole().filter(|_| structured_content.is_some()) {
            Some(whole) => blocks::parts_of(&whole.without_structured()),
            None => blocks::parts(value),
        },
        Ending::Returned(None) if output.is_empty() => vec![Part::Text(format!(
            "The {noun} returned nothing and printed nothing. Return what you want to know."
        ))],
        Ending::Returned(None) => Vec::new(),
        Ending::Threw(thrown) => {
            let short = run.short();
            let text = match kind {
                CodeKind::Call | CodeKind::Undo => {
                    format!("The {noun} failed (run {short}).\n{}", thrown.message)
                }
                _ => format!(
                    "The {noun} {} an error (run {short}).\n{thrown}{}",
                    threw(kind),
                    calls(outcome)
                ),
            };
            let blocks = outcome
                .error_content
                .iter()
                .flat_map(|it| blocks::parts(it));
            [Part::Text(text)].into_iter().chain(blocks).collect()
        }
        ended => vec![Part::Text(format!(
            "The {noun} was stopped (run {}): {ended}{}",
            run.short(),
            calls(outcome)
        ))],
    };
    let is_value = matches!(outcome.ending, Ending::Returned(Some(_)));
    let ShownContent {
        mut content,
        cut,
        media,
    } = content(&output, end, room);
    let (attached, told) = attached(media, is_value);
    content.extend(attached);
    let of_call = match kind {
        CodeKind::Call => whole().and_then(|whole| whole.value()),
        _ => None,
    };
    let returned = match &outcome.ending {
        Ending::Returned(Some(value)) if cut.end => Some(of_call.as_deref().unwrap_or(value)),
        _ => None,
    };
    let printed = cut.output.then_some(&*output);
    let left_out = LeftOut {
        returned,
        printed,
        carried: outcome.carried.as_ref(),
    };
    let rest = stored.and_then(|stored| rest(kind, stored, left_out));
    let session = outcome.session.as_ref().and_then(said_of);
    let notes = rest.into_iter().chain(language_note(kind, &outcome.ending));
    let recorded = outcome.record.as_ref().map(|run| {
        let run = run.short();
        format!("The run is recorded: `ampoule runs replay {run}` replays it.")
    });
    let undo = outcome.undo.as_ref().and_then(undo::offered);
    let offer = outcome.undo.as_ref().and_then(undo::for_programs);
    let notes = notes.chain(session).chain(told).chain(recorded).chain(undo);
    content.extend(notes.map(Content::text));
    let whole = whole();
    if let (Some(whole), CodeKind::Script { .. }, true) = (&whole, kind, shows_apps) {
        content.extend(whole.link(false));
    }
    content.extend(emitted(&outcome.emitted, room, shows_apps));
    let answer = match outcome.ending {
        Ending::Returned(_) => Answer::success(content),
        _ => Answer::error(content),
    };
    let meta = whole.and_then(|whole| whole.meta_for_client(shows_apps));
    Answer {
        structured_content,
        meta: undo::with_offer(meta, offer),
        ..answer
    }
}

/// What the script gave the person, as far as there is room, with links to the apps of its tools.
fn emitted(values: &[Box<RawValue>], room: Room, shows_apps: bool) -> Vec<Content> {
    let parts = values.iter().flat_map(|value| blocks::parts(value));
    let ShownContent { content, media, .. } = content("", parts.collect(), room);
    let (attached, _) = attached(media, true);
    let links = values.iter().filter(|_| shows_apps).filter_map(|value| {
        let whole = WholeAnswer::read(value.get())?;
        whole.link(true)
    });
    let all = content.into_iter().chain(attached).chain(links);
    all.map(Content::for_person).collect()
}

/// The calls that a failed run made, so that the next script continues after them.
fn calls(outcome: &Outcome) -> String {
    let log = outcome.call_log.as_ref();
    log.map_or_else(String::new, |log| format!("\n{log}"))
}

/// How many of the media that a value has are blocks of the answer.
const MOST_ATTACHED: usize = 4;

/// The blocks for the media of a value that clients can show, and what to do about the rest.
fn attached(media: FoundMedia, is_value: bool) -> (Vec<Content>, Option<String>) {
    let FoundMedia { printed, end } = media;
    let shown = |media: &Media| is_value && media.is_shown_by_clients();
    let (shown, rest): (Vec<Media>, Vec<Media>) = end.into_iter().partition(shown);
    let not_shown = printed.len() + rest.len() + shown.len().saturating_sub(MOST_ATTACHED);
    let blocks = shown.into_iter().take(MOST_ATTACHED);
    let blocks = blocks.map(|media| match media.kind {
        "audio" => Content::audio(media.data, media.mime_type),
        _ => Content::image(media.data, media.mime_type),
    });
    let told = (not_shown > 0).then(|| {
        "Bytes are shown as a line such as [image/png, 96 KiB]. To look at an image, write \
         `return image(data, \"image/png\")` with its base64 or bytes; to use bytes, use them in the script."
            .to_owned()
    });
    (blocks.collect(), told)
}

/// The notes about a session; nothing if all is as its client wants it.
fn said_of(session: &SessionEnd) -> Option<String> {
    let SessionEnd {
        name, kept, notes, ..
    } = session;
    if *kept && notes.is_empty() {
        return None;
    }
    let what = match kept {
        true => format!("Session `{name}`"),
        false => format!("This run is not saved in the session `{name}`"),
    };
    Some(format!("{what}: {}.", notes.join("; ")))
}

/// Content blocks, and whether something was left out of them.
#[derive(Default)]
struct ShownContent {
    content: Vec<Content>,
    cut: CutParts,
    media: FoundMedia,
}

/// Media that have a line in their place.
#[derive(Default)]
struct FoundMedia {
    printed: Vec<Media>,
    end: Vec<Media>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct CutParts {
    output: bool,
    end: bool,
}

/// The output and what follows it. What has no more bytes of text than `room` is whole; else all of
/// it has room for so many tokens, and as what matters most is at the end, the output gives way
/// first.
fn content(output: &str, end: Vec<Part<'_>>, room: Room) -> ShownContent {
    /// What the output has in any case, if it needs that: an eighth.
    const SHARE: usize = 8;
    let media::ReadableText {
        text: output,
        media: printed,
    } = media::shown(output);
    let output = &*output;
    let (end, of_end): (Vec<_>, Vec<_>) = end.into_iter().map(without_media).unzip();
    let texts = output.len() + end.iter().map(Part::text_bytes).sum::<usize>();
    let room = match texts <= room.bytes {
        true => Room::ALL,
        false => room,
    };
    let mut shown = ShownContent::default();
    shown.cut.output = !printed.is_empty();
    shown.cut.end = of_end
        .iter()
        .flatten()
        .any(|media| !media.is_shown_by_clients());
    shown.media = FoundMedia {
        printed,
        end: of_end.into_iter().flatten().collect(),
    };
    let its_share = room.share(SHARE);
    let mut left = room.beside(&cut::text(output, its_share));
    for part in end {
        let (block, is_cut) = fitting(part, &mut left);
        shown.content.push(block);
        shown.cut.end |= is_cut;
    }
    let output = cut::text(output, left.with(its_share));
    shown.cut.output |= matches!(output, Cow::Owned(_));
    let first = shown.content.first_mut().and_then(Content::as_text_mut);
    match first {
        _ if output.is_empty() => {}
        Some(end) => *end = format!("{}\n\n{end}", output.trim_end()),
        None => shown.content.insert(0, Content::text(output)),
    }
    shown
}

/// A part with lines for the media that its text has, and these.
fn without_media(part: Part<'_>) -> (Part<'_>, Vec<Media>) {
    match part {
        Part::Text(text) => {
            let media::ReadableText { text: shown, media } = media::shown(&text);
            (Part::Text(shown.into_owned()), media)
        }
        Part::Json(json) => {
            let media::ReadableText { text, media } = media::shown_in(json);
            (Part::Json(text), media)
        }
        block @ Part::Block(_) => (block, Vec::new()),
    }
}

/// A part of the result, with as much of its text as there is room for, and whether that is not all.
/// What is made of bytes is whole: the run's `output-bytes` have counted it.
fn fitting(part: Part<'_>, left: &mut Room) -> (Content, bool) {
    let (text, is_cut) = match part {
        Part::Block(block) if block.is_binary() => return (block.into_content(), false),
        Part::Block(block) if block.text().is_some() => {
            let text = block.text().unwrap_or_default();
            let cut = cut::text(text, *left).into_owned();
            let is_cut = cut != text;
            *left = left.beside(&cut);
            return (block.with_text(cut), is_cut);
        }
        Part::Block(block) => match cut::text(block.json(), *left) {
            Cow::Borrowed(text) => {
                *left = left.beside(text);
                return (block.into_content(), false);
            }
            Cow::Owned(text) => (text, true),
        },
        Part::Text(text) => match cut::text(&text, *left) {
            Cow::Borrowed(_) => (text, false),
            Cow::Owned(cut) => (cut, true),
        },
        Part::Json(json) => {
            let cut = cut::json(&json, *left);
            let is_cut = matches!(cut, Cow::Owned(_));
            (cut.into_owned(), is_cut)
        }
    };
    *left = left.beside(&text);
    (Content::text(text), is_cut)
}

#[cfg(test)]
mod tests;
