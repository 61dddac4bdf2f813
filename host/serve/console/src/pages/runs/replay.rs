//! Replays of a recorded run, with its recorded answers: no call is made. The script can be edited first.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};

use crate::ConsoleError;
use crate::model::{ReplayRequest, ReplayResult, RunDetail};
use crate::pages::editor::{Editor, chosen};
use crate::pages::layout::{Content, Section};
use crate::pages::parts;
use crate::pages::run::{address, failure, short};
use crate::pages::visit::{Fields, Visit};

/// What stands in the page about one replay.
struct Attempt {
    code: String,
    /// The call that it stops before, from 0.
    until: Option<u32>,
    result: Option<Result<ReplayResult, ConsoleError>>,
}

/// The page, before a replay.
pub(super) async fn show(visit: Visit, Path(run): Path<String>) -> Response {
    let found = visit.console.run(&visit.viewer, &run).await;
    let content = found.map(|run| {
        let attempt = Attempt {
            code: run.code.clone().unwrap_or_default(),
            until: None,
            result: None,
        };
        content(&visit, &run, &attempt)
    });
    visit.show(Section::Runs, content)
}

/// Replays, and shows what came of it.
pub(super) async fn replay(visit: Visit, Path(run): Path<String>, fields: Fields) -> Response {
    let content = async {
        let run = visit.console.run(&visit.viewer, &run).await?;
        let own = run.code.clone().unwrap_or_default();
        let code = fields.code("code").unwrap_or_else(|| own.clone());
        let until = fields.get("until").and_then(|until| until.parse().ok());
        // The recorded script is compared to the last byte; an edited one gets answers by its calls.
        let request = ReplayRequest {
            code: (code != own).then(|| code.clone()),
            until,
        };
        let result = visit
            .console
            .replay(&visit.viewer, &run.row.run, request)
            .await;
        let attempt = Attempt {
            code,
            until,
            result: Some(result),
        };
        Ok(content(&visit, &run, &attempt))
    };
    visit.show(Section::Runs, content.await)
}

fn content(visit: &Visit, run: &RunDetail, attempt: &Attempt) -> Content {
    let at = address(&run.row.run);
    let title = format!("Replay of run {}", short(&run.row.run));
    let editor = Editor {
        code: &attempt.code,
        language: chosen(&run.row.language),
        is_fixed: true,
        rows: 18,
    };
    let body = html! {
        (parts::back(&at, &format!("Run {}", short(&run.row.run))))
        (parts::heading(&title, "The script runs again and gets the recorded answers. No tool is called, so nothing is changed."))
        div.split {
            section.panel aria-labelledby="edit-title" {
                header { h2 #edit-title { "Script" } span.end.quiet { (parts::text(&run.row.language)) } }
                form #replay method="post" action={ (at) "/replay" } data-into="result" {
                    (visit.frame.proof())
                    (editor.show())
                    div.deeds {
                        button.main { "Replay" }
                        button formaction="/console/run" data-leaves { "Run with real calls" }
                    }
                }
            }
            section.panel #result tabindex="-1" aria-labelledby="result-title" {
                header { h2 #result-title { "Result" } }
                (steps(run, attempt))
                (shown(attempt))
            }
        }
    };
    let news = match &attempt.result {
        Some(Ok(result)) => format!("Replayed: {}", result.ending),
        Some(Err(problem)) => problem.to_string(),
        None => String::new(),
    };
    Content {
        section: Section::Runs,
        title,
        body,
        news: Some(news),
    }
}

/// The way through the calls, one after the other: each step replays up to a call, and shows what was
/// printed until then.
fn steps(run: &RunDetail, attempt: &Attempt) -> Markup {
    let calls = u32::try_from(run.calls.len()).unwrap_or(u32::MAX);
    let here = attempt.until;
    let step = |until: u32, label: &str| {
        html! { button form="replay" name="until" value=(until) { (label) } }
    };
    html! {
        @if calls > 0 {
            div.deeds role="group" aria-label="Step through the calls" {
                @match here {
                    None => { (step(0, "Stop before the first call")) },
                    Some(call) => {
                        @if call > 0 { (step(call - 1, "Back by a call")) }
                        @if call + 1 < calls { (step(call + 1, "Next call")) }
                    },
                }
            }
            @if let Some(call) = here.and_then(|call| run.calls.get(call as usize)) {
                p { "Next is call " (call.call + 1) " of " (calls) ": " (parts::name(&format!("{}.{}", call.server, call.tool))) }
                @if let Some(arguments) = &call.arguments { (parts::json(arguments, "Arguments of the next call")) }
            }
        }
    }
}

fn shown(attempt: &Attempt) -> Markup {
    match &attempt.result {
        None => {
            html! { p.quiet { "Replay the script as it is to see the same again, or edit it first to see what it would have done with the same answers." } }
        }
        Some(Err(problem)) => parts::notice("bad", &parts::lines(&problem.to_string())),
        Some(Ok(result)) => result_of(result),
    }
}

fn result_of(result: &ReplayResult) -> Markup {
    html! {
        @if result.same {
            (parts::notice("ok", &html! { p { "The replay ended in the same way, to the last byte." } }))
        } @else if let Some(difference) = &result.difference {
            (parts::notice("wait", &parts::lines(difference)))
        }
        (parts::figures(&[
            ("Answers used", parts::count(result.answered)),
            ("Fuel", parts::short(result.fuel)),
            ("Ended", result.ending.clone()),
        ]))
        @if let Some(call) = &result.stopped_before { p { "Stopped before " (parts::text(call)) "." } }
        @if result.cut_short { p.quiet { "The recorded run was cut short from outside." } }
        @if !result.notes.is_empty() { ul { @for note in &result.notes { li { (parts::lines(note)) } } } }
        @if let Some(why) = &result.failure { (failure(why)) }
        @if let Some(value) = &result.value { h3 { "Returned" } (parts::json(value, "Returned value")) }
        @if !result.output.is_empty() { h3 { "Printed" } (parts::block(&result.output, "Output")) }
    }
}
