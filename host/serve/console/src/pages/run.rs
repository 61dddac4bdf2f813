//! What several pages show of a run: its name and address, and how it came out, or how far it is: its
//! output, value, failure and calls.

use maud::{Markup, html};

use super::parts;
use crate::model::{CallRow, Failure, RunDetail};

/// The address of a run.
pub(super) fn address(run: &str) -> String {
    format!("/console/runs/{}", parts::encoded(run))
}

/// The end of a run's id, which is enough to tell it from others.
pub(super) fn short(run: &str) -> &str {
    const SHOWN: usize = 8;
    let from = run.len().saturating_sub(SHOWN);
    &run[run.ceil_char_boundary(from)..]
}

/// Whether a run has not ended yet.
pub(super) fn is_active(run: &RunDetail) -> bool {
    matches!(
        run.row.state.as_str(),
        "running" | "parked" | "kept alive" | "waiting"
    )
}

/// A run's state in a sentence, for screen readers.
pub(super) fn ending(run: &RunDetail) -> String {
    match (&run.row.asks, run.row.state.as_str()) {
        (Some(_), _) => "The run waits for approval".to_owned(),
        (None, "running") => "The run is running".to_owned(),
        (None, state) => format!("The run: {state}"),
    }
}

/// What went wrong, with the place in the script.
pub(super) fn failure(failure: &Failure) -> Markup {
    let place = failure.line.map(|line| match failure.column {
        Some(column) => format!("line {line}, column {column}"),
        None => format!("line {line}"),
    });
    html! {
        div.notice.bad {
            p {
                strong { (title(&failure.ending)) }
                @if let (Some(place), Some(line)) = (place, failure.line) { " in " a href={ "#L" (line) } { (place) } }
            }
            pre.wrap tabindex="0" role="group" aria-label="Error" { (ampoule_untrusted::text::visible(&failure.message)) }
            @if let Some(stack) = failure.stack.as_deref().filter(|it| !it.trim().is_empty()) {
                details.more #stack { summary { "Stack" } (parts::block(stack, "Stack")) }
            }
        }
    }
}

fn title(ending: &str) -> &'static str {
    match ending {
        "threw" => "The script failed",
        "limit" => "A limit ended the run",
        "trapped" => "The interpreter stopped",
        "cancelled" => "The run was cancelled",
        _ => "The run failed",
    }
}

/// What a run printed and returned, and why it failed.
pub(super) fn outcome(run: &RunDetail) -> Markup {
    html! {
        @if let Some(why) = &run.failure { (failure(why)) }
        @if let Some(value) = &run.value {
            h3 { "Returned" }
            (parts::json(value, "Returned value"))
        }
        @if !run.output.is_empty() {
            h3 { "Printed" }
            pre.wrap.output #output tabindex="0" role="log" aria-label="Output" { (ampoule_untrusted::text::visible(&run.output)) }
            @if !run.output_whole { p.small.quiet { "This is the end of what the run printed." } }
        }
        @if run.output.is_empty() && run.value.is_none() && run.failure.is_none() {
            p.quiet { @if is_active(run) { "Nothing printed yet." } @else { "The run printed and returned nothing." } }
        }
    }
}

/// The calls of a run. The details of each come when it is opened.
pub(super) fn calls(run: &RunDetail) -> Markup {
    /// The most calls of a page.
    const SHOWN: usize = 200;
    html! {
        @for call in run.calls.iter().take(SHOWN) { (one_call(&run.row.run, call)) }
        @if run.calls.len() > SHOWN {
            p.pager.quiet { "The first " (SHOWN) " of " (run.calls.len()) " calls are shown." }
        }
    }
}

fn one_call(run: &str, call: &CallRow) -> Markup {
    let page = format!("{}/calls/{}", address(run), call.call);
    // A call that is under way has no answer yet.
    let loads = (call.end != "running").then_some(&page);
    html! {
        details.call id={ "call-" (call.call) } data-loads=[loads] {
            summary {
                span.quiet { (call.call + 1) }
                (parts::name(&format!("{}.{}", call.server, call.tool)))
                (parts::tag(&call.end))
                span.end.quiet.small {
                    @if let Some(ms) = call.wall_ms { (parts::millis(ms)) }
                    @if let Some(bytes) = call.result_bytes { " · " (parts::bytes(bytes)) }
                }
            }
            div {
                (arguments(call))
                @if loads.is_some() { p { a href=(page) { "Arguments and answer of call " (call.call + 1) } } }
            }
        }
    }
}

fn arguments(call: &CallRow) -> Markup {
    html! {
        h3 { "Arguments" }
        @match &call.arguments {
            Some(arguments) => { (parts::json(arguments, &format!("Arguments of call {}", call.call + 1))) },
            None => { p.quiet { "The arguments were not recorded. Set " code { "keep = \"all\"" } " under " code { "[records]" } " in " code { "ampoule.toml" } " to record them." } },
        }
    }
}

/// Everything about a call.
pub(super) fn whole_call(call: &CallRow) -> Markup {
    html! {
        @if let Some(account) = &call.account { p.small { "As " (parts::text(account)) } }
        (arguments(call))
        (answer(call))
    }
}

fn answer(call: &CallRow) -> Markup {
    let label = format!("Answer of call {}", call.call + 1);
    html! {
        @if let Some(error) = &call.error {
            h3 { "Error" }
            (parts::block(error, &label))
        }
        @if let Some(answer) = &call.answer {
            h3 { "Answer" }
            (parts::json(answer, &label))
        } @else if call.error.is_none() && call.end != "running" {
            h3 { "Answer" }
            p.quiet { "The answer was not recorded. Set " code { "keep = \"all\"" } " under " code { "[records]" } " in " code { "ampoule.toml" } " to record answers." }
        }
    }
}
