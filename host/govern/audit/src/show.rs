//! An event for a person, on one line.

use std::fmt::Write as _;
use std::time::Duration;

use ampoule_untrusted::text::one_line;

use crate::entry::Entry;
use crate::event::Event;

/// An event for a terminal: when, where in the log, what, of which run, and what came of it. What
/// others wrote is made visible.
pub fn human(entry: &Entry) -> String {
    let at = humantime::format_rfc3339_millis(entry.at);
    let mut shown = format!("{at} {} {}", entry.id(), entry.kind);
    if let Some(run) = entry.run() {
        let _ = write!(shown, " run={run}");
    }
    if let Some(principal) = entry.principal() {
        let _ = write!(shown, " principal={principal}");
    }
    if let Some((server, tool)) = entry.tool() {
        let _ = write!(shown, " {server}.{tool}");
    }
    if let Some(outcome) = entry.outcome() {
        let _ = write!(shown, " {outcome}");
    }
    if let Some(more) = entry.event.as_ref().and_then(more) {
        let _ = write!(shown, " ({more})");
    }
    one_line(&shown).into_owned()
}

/// What else is worth a word.
fn more(event: &Event) -> Option<String> {
    let took = |us: u64| humantime::format_duration(Duration::from_micros(us));
    Some(match event {
        Event::RunStarted(it) => match &it.undoes {
            Some(run) => format!("takes back calls of {run}"),
            None => format!("{}, script {}", it.language, short(&it.script)),
        },
        Event::RunEnded(it) => {
            let limit = it.limit.as_ref().map(|limit| format!("{limit}, "));
            let limit = limit.unwrap_or_default();
            format!(
                "{limit}{} calls, {} bytes, fuel {}, {}",
                it.calls,
                it.bytes,
                it.fuel,
                took(it.took_us)
            )
        }
        Event::CallAsked(it) => {
            let full = it
                .arguments
                .full
                .as_ref()
                .or(it.arguments.redacted.as_ref());
            let digest = || format!("arguments {}", short(&it.arguments.digest));
            full.map_or_else(digest, ToString::to_string)
        }
        Event::CallEnded(it) => {
            let account = it.account.as_ref();
            let account = account.map(|account| format!(", account {account}"));
            let account = account.unwrap_or_default();
            format!("{} bytes, {}{account}", it.bytes, took(it.took_us))
        }
        Event::Decision(it) => it.reason.as_ref().or(it.policy.as_ref())?.to_string(),
        Event::Question(it) => format!("{} by {}", it.question, it.how),
        Event::Answer(it) => format!("{} by {}", it.question, it.how),
        Event::SignIn(it) => format!("to {}", it.server.as_deref().unwrap_or("this host")),
        Event::PolicyChanged(it) => {
            let old = it.old.as_deref().map_or("none", short);
            format!("{old} -> {}", short(&it.new))
        }
        Event::Skill(it) => {
            let by = by(it.by.as_deref());
            format!("{} {}{by}", it.name, it.version.unwrap_or(0))
        }
        Event::Session(it) => format!("{}{}", it.name, by(it.by.as_deref())),
        Event::Configuration(it) => it.reason.as_ref().or(it.fingerprint.as_ref())?.to_string(),
        Event::RequestDenied(it) => format!("{}: {}", it.request, it.reason),
        Event::Opened(it) => format!("process {}", it.pid),
        Event::Gap(it) => format!("{} lost, {} refused: {}", it.lost, it.refused, it.reason),
        Event::Removed(it) => format!("{} files, to event {:03}:{}", it.files, it.lane, it.last),
        Event::Segment(it) => format!("file {} of chain {}", it.segment, it.lane),
        Event::Checkpoint(_) => return None,
    })
}

/// The person that did it.
fn by(person: Option<&str>) -> String {
    person.map_or_else(String::new, |person| format!(", by {person}"))
}

fn short(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}
