//! The playground: a script, its run and what came of it, side by side. The first page.
//!
//! - `examples`: scripts to begin with, over the demo shop; `offers`: what the editor completes

mod examples;
mod offers;

use axum::Router;
use axum::response::Response;
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;

use self::examples::{EXAMPLES, Example};
use super::editor::{Editor, chosen};
use super::layout::{Content, Section};
use super::visit::{Fields, Visit};
use super::waterfall::{Room, waterfall};
use super::{parts, run};
use crate::model::{NewRun, PageQuery, RunDetail, ServerRow};
use crate::{Console, ConsoleError};

/// How many servers are looked at for the demo shop.
const SERVERS: usize = 500;

/// The routes of the playground.
pub(super) fn router() -> Router<Console> {
    Router::new()
        .route("/console", get(show))
        .route("/console/run", post(run))
        .route("/console/offers", get(offers::offers))
}

/// What the address asks for.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Query {
    example: String,
    language: String,
    /// The run that is shown.
    run: String,
    /// The run whose script stands in the editor.
    from: String,
}

/// What stands in the editor.
struct Script {
    code: String,
    language: &'static str,
}

async fn show(visit: Visit) -> Response {
    visit.show(Section::Playground, content(&visit).await)
}

async fn content(visit: &Visit) -> Result<Content, ConsoleError> {
    let wanted: Query = visit.query();
    let shown = match wanted.run.as_str() {
        "" => None,
        run => Some(visit.console.run(&visit.viewer, run).await?),
    };
    let script = script(visit, &wanted, shown.as_ref()).await?;
    let every = PageQuery {
        cursor: None,
        limit: Some(SERVERS),
    };
    let servers = visit.console.servers(&visit.viewer, &every).await?;
    let body = html! {
        (parts::heading("Playground", "Write a script, run it, and see each call that it makes."))
        (examples(&wanted, &script))
        @if !has_demo(&servers.items) { (without_demo()) }
        div.split {
            section.panel aria-labelledby="script-title" {
                header { h2 #script-title { "Script" } }
                (form(visit, &script))
            }
            (result(shown.as_ref()))
        }
    };
    Ok(Content {
        section: Section::Playground,
        title: "Playground".to_owned(),
        body,
        news: shown.as_ref().map(run::ending),
    })
}

fn has_demo(servers: &[ServerRow]) -> bool {
    servers.iter().any(|server| server.name == "demo")
}

/// The script of the address: of a run, or of an example.
async fn script(
    visit: &Visit,
    wanted: &Query,
    shown: Option<&RunDetail>,
) -> Result<Script, ConsoleError> {
    let of_run = |run: &RunDetail| Script {
        code: run.code.clone().unwrap_or_default(),
        language: chosen(&run.row.language),
    };
    if let Some(run) = shown {
        return Ok(of_run(run));
    }
    if !wanted.from.is_empty() {
        return Ok(of_run(
            &visit.console.run(&visit.viewer, &wanted.from).await?,
        ));
    }
    let language = chosen(&wanted.language);
    let example = EXAMPLES.iter().find(|it| it.id == wanted.example);
    let example = example.unwrap_or(&EXAMPLES[0]);
    Ok(Script {
        code: example.code(language).to_owned(),
        language,
    })
}

fn examples(wanted: &Query, script: &Script) -> Markup {
    let is_free = !wanted.run.is_empty() || !wanted.from.is_empty();
    let is_shown = |example: &Example| {
        !is_free
            && (wanted.example == example.id
                || (wanted.example.is_empty() && example.id == EXAMPLES[0].id))
    };
    html! {
        nav aria-label="Examples" {
            ul.tabs {
                @for example in &EXAMPLES {
                    li {
                        a href=(parts::address("/console", &[("example", example.id), ("language", script.language)])) aria-current=[is_shown(example).then_some("true")] { (example.title) }
                    }
                }
            }
        }
    }
}

fn without_demo() -> Markup {
    parts::notice(
        "wait",
        &html! {
            p { "The examples call the demo shop, which is not among your servers. Add it to " code { "ampoule.toml" } " and start Ampoule again:" }
            pre tabindex="0" role="group" aria-label="Configuration" { "[servers.demo]\ncommand = \"ampoule\"\nargs = [\"demo-server\"]" }
        },
    )
}

fn form(visit: &Visit, script: &Script) -> Markup {
    let editor = Editor {
        code: &script.code,
        language: script.language,
        is_fixed: false,
        rows: 18,
    };
    let has_skills = visit.frame.me.parts.iter().any(|part| part == "skills");
    html! {
        form method="post" action="/console/run" data-into="result" {
            (visit.frame.proof())
            input type="hidden" name="back" value="playground";
            (editor.show())
            details.more #options {
                summary { "Options" }
                div.field {
                    label for="session" { "Session" }
                    input #session type="text" name="session" autocomplete="off" aria-describedby="session-hint";
                    p.hint #session-hint { "With a name, the next run of this session finds the variables of this one." }
                }
                div.field {
                    label for="timeout" { "Seconds until it is stopped" }
                    input #timeout type="number" name="timeout" min="1" max="3600" step="1";
                }
            }
            div.deeds { button.main { "Run" } button type="reset" { "Reset" } }
            @if has_skills && visit.console.may_save_skills(&visit.viewer) { (saving()) }
        }
    }
}

/// The fields that make a skill of the script.
fn saving() -> Markup {
    html! {
        details.more #saving {
            summary { "Save as a skill" }
            div.field {
                label for="skill-name" { "Name" }
                input #skill-name type="text" name="skill-name" autocomplete="off" maxlength="64" aria-describedby="skill-name-hint";
                p.hint #skill-name-hint { "Small letters, digits and single hyphens, such as " code { "save-sheet-as-csv" } "." }
            }
            div.field {
                label for="skill-description" { "What it is for, and when" }
                input #skill-description type="text" name="skill-description" autocomplete="off" aria-describedby="skill-description-hint";
                p.hint #skill-description-hint { "Models search for skills by these words. A script becomes the function " code { "run" } "; a module keeps the functions that it exports." }
            }
            div.deeds { button formaction="/console/skills/save" data-leaves { "Save" } }
        }
    }
}

/// What came of the run so far.
fn result(run: Option<&RunDetail>) -> Markup {
    let active = run.filter(|run| run::is_active(run));
    let events = active.map(|run| format!("/api/v1/runs/{}/events", parts::encoded(&run.row.run)));
    html! {
        section.panel #result tabindex="-1" aria-labelledby="result-title" data-live=[events] {
            header {
                h2 #result-title { "Result" }
                @if let Some(run) = run {
                    (parts::tag(&run.row.state))
                    a.end href=(run::address(&run.row.run)) { "Everything about this run" }
                }
            }
            @match run {
                None => { p.quiet { "Run the script: its output, its calls and what it returned appear here." } },
                Some(run) => { (result_of(run)) },
            }
        }
    }
}

fn result_of(run: &RunDetail) -> Markup {
    html! {
        @if let Some(tools) = &run.row.asks {
            (parts::notice("wait", &html! {
                p { strong { "The run waits for approval" } " of " (parts::text(tools)) ". " a href="/console/approvals" { "Answer" } }
            }))
        }
        (run::outcome(run))
        @if !run.calls.is_empty() {
            h3 { (parts::counted(run.calls.len() as u64, "call")) }
            (waterfall(&run.calls, run.usage.wall_ms, Room::Narrow))
            (run::calls(run))
            @if run.row.recorded && !run::is_active(run) {
                p { a href={ (run::address(&run.row.run)) "/replay" } { "Step through the calls" } }
            }
        }
        p.small.quiet {
            "Fuel " (parts::short(run.usage.fuel))
            @if let Some(ms) = run.usage.wall_ms { " · " (parts::millis(ms)) }
            @if let Some(memory) = run.usage.memory_bytes { " · " (parts::bytes(memory)) }
        }
    }
}

/// Starts a run, and leads to where it is seen.
async fn run(visit: Visit, fields: Fields) -> Response {
    let new = NewRun {
        code: fields.code("code").unwrap_or_default(),
        language: fields.get("language").map(str::to_owned),
        session: fields.get("session").map(str::to_owned),
        toolkit: fields.get("toolkit").map(str::to_owned),
        timeout_seconds: fields.get("timeout").and_then(|it| it.parse().ok()),
    };
    let started = visit.console.start_run(&visit.viewer, new).await;
    let to = started.map(|started| match fields.get("back") {
        Some("playground") => parts::address("/console", &[("run", &started.run)]),
        _ => run::address(&started.run),
    });
    visit.go(Section::Playground, to)
}
