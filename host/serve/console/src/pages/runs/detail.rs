//! One run.

use axum::extract::Path;
use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use crate::ConsoleError;
use crate::download::attachment;
use crate::model::{DecisionRow, FileChange, NewRun, RunDetail, Usage, VariableChange};
use crate::pages::layout::{Content, Section};
use crate::pages::run::{address, calls, ending, is_active, outcome, short, whole_call};
use crate::pages::source::{self, Language, Mark};
use crate::pages::visit::Visit;
use crate::pages::waterfall::{Room, waterfall};
use crate::pages::{parts, sessions};

/// The page.
pub(super) async fn show(visit: Visit, Path(run): Path<String>) -> Response {
    visit.show(Section::Runs, content(&visit, &run).await)
}

async fn content(visit: &Visit, run: &str) -> Result<Content, ConsoleError> {
    let run = visit.console.run_with_variables(&visit.viewer, run).await?;
    let events =
        is_active(&run).then(|| format!("/api/v1/runs/{}/events", parts::encoded(&run.row.run)));
    let body = html! {
        (parts::back("/console/runs", "Runs"))
        div #run data-live=[events] {
            (parts::head(
                &html! { "Run " code.nowrap { (short(&run.row.run)) } " " (parts::tag(&run.row.state)) },
                None,
                &deeds(visit, &run),
            ))
            @if let Some(tools) = &run.row.asks { (asks(tools)) }
            (figures(&run))
            @if run.withheld { (withheld()) }
            div.split {
                (script(&run))
                section.panel aria-labelledby="outcome-title" {
                    header { h2 #outcome-title { "Outcome" } (downloads(&run)) }
                    (outcome(&run))
                }
            }
            (all_calls(&run))
            div.split.even { (about(&run)) (changes(&run)) }
            (decisions(&run.decisions))
        }
    };
    Ok(Content {
        section: Section::Runs,
        title: format!("Run {}", short(&run.row.run)),
        body,
        news: Some(ending(&run)),
    })
}

fn deeds(visit: &Visit, run: &RunDetail) -> Markup {
    let at = address(&run.row.run);
    html! {
        @if run.can_cancel { (visit.frame.deed(&format!("{at}/cancel"), "Cancel", "bad")) }
        @if run.row.recorded {
            (visit.frame.deed(&format!("{at}/replay"), "Replay", ""))
            a.button href={ (at) "/replay" } { "Edit and replay" }
        }
        @if run.code.is_some() && !is_active(run) {
            (visit.frame.deed(&format!("{at}/again"), "Run again", ""))
            a.button href={ "/console?from=" (parts::encoded(&run.row.run)) } { "Open in the playground" }
        }
    }
}

fn asks(tools: &str) -> Markup {
    parts::notice(
        "wait",
        &html! {
            p { strong { "The run waits for approval" } " of " (parts::text(tools)) ". "
                a href="/console/approvals" { "Answer" } }
        },
    )
}

fn withheld() -> Markup {
    parts::notice(
        "wait",
        &html! { p { "A part of this run is withheld: it has personal data, or comes from what a policy withholds from the model. Operators of the console can read it." } },
    )
}

fn figures(run: &RunDetail) -> Markup {
    let Usage {
        fuel,
        memory_bytes,
        wall_ms,
        tokens,
        direct_tokens,
    } = &run.usage;
    let mut figures = vec![("Calls", parts::count(run.row.calls))];
    if let Some(ms) = wall_ms.or(run.row.wall_ms) {
        figures.push(("Took", parts::millis(ms)));
    }
    figures.push(("Fuel", parts::short(*fuel)));
    if let Some(memory) = memory_bytes {
        figures.push(("Memory", parts::bytes(*memory)));
    }
    if let Some(tokens) = tokens {
        figures.push(("Tokens", parts::count(*tokens)));
        if let Some(saved) = direct_tokens.and_then(|direct| direct.checked_sub(*tokens)) {
            figures.push(("Tokens saved", parts::count(saved)));
        }
    }
    parts::figures(&figures)
}

fn script(run: &RunDetail) -> Markup {
    let wrong = run.failure.as_ref().and_then(|failure| failure.line);
    html! {
        section.panel aria-labelledby="script-title" {
            header { h2 #script-title { "Script" } span.end.quiet { (parts::text(&run.row.language)) } }
            @match &run.code {
                Some(code) => { (source::script(code, Language::named(&run.row.language), wrong.map_or(Mark::None, Mark::Failed))) },
                None => { p.quiet { "The script is not stored. Set " code { "keep = \"all\"" } " under " code { "[records]" } " in " code { "ampoule.toml" } " to record scripts." } },
            }
            @if !run.modules.is_empty() {
                p.small { "Modules: " @for module in &run.modules { (parts::name(module)) " " } }
            }
        }
    }
}

fn downloads(run: &RunDetail) -> Markup {
    html! {
        @if !run.output.is_empty() {
            a.end.small href={ (address(&run.row.run)) "/output" } download { "Save the output" }
        }
    }
}

fn all_calls(run: &RunDetail) -> Markup {
    html! {
        section.panel.flush aria-labelledby="calls-title" {
            header { h2 #calls-title { "Calls" } span.end.quiet { (parts::count(run.calls.len() as u64)) } }
            @if run.calls.is_empty() {
                div.empty { p { "The run has called no tool." } }
            } @else {
                (waterfall(&run.calls, run.usage.wall_ms, Room::Wide))
                (calls(run))
            }
        }
    }
}

fn about(run: &RunDetail) -> Markup {
    let row = &run.row;
    let named = [
        ("Principal", &row.principal),
        ("Client", &row.client),
        ("Toolkit", &row.toolkit),
    ];
    html! {
        section.panel aria-labelledby="about-title" {
            header { h2 #about-title { "About the run" } }
            dl.facts {
                dt { "Id" } dd { code { (row.run) } }
                dt { "Began" } dd { (parts::time(&row.since)) }
                @for (what, who) in named { @if let Some(who) = who { dt { (what) } dd { (parts::text(who)) } } }
                @if let Some(undoes) = &run.undoes { dt { "Takes back" } dd { a href=(address(undoes)) { code.nowrap { (short(undoes)) } } } }
                @if let Some(pid) = row.pid { dt { "Process" } dd { (pid) } }
                dt { "Recorded" } dd { @if row.recorded { "yes: it can be replayed" } @else { "no: " code { "keep = \"all\"" } " under " code { "[records]" } " records runs, so that they can be replayed" } }
                @if !run.labels.is_empty() {
                    dt { "Labels" }
                    dd { ul.tags { @for label in &run.labels { li.tag { (parts::text(label)) } } } }
                }
            }
        }
    }
}

fn changes(run: &RunDetail) -> Markup {
    html! {
        section.panel aria-labelledby="changes-title" {
            header { h2 #changes-title { "What it changed" } }
            @if run.files.is_empty() && run.session.is_none() {
                p.quiet { @if run.row.recorded { "No file and no session." } @else { "No session. Changed files are known of recorded runs." } }
            }
            @if let Some(session) = &run.session {
                p { "Session " a href=(sessions::address(&session.name, run.row.principal.as_deref())) { (parts::text(&session.name)) }
                    @match session.run { Some(number) => { ": its run " (number) }, None => { ": the run was not kept" } } }
                @if let Some(variables) = &session.variables { (changed_variables(variables)) }
            }
            @if !run.files.is_empty() {
                table {
                    caption.unseen { "Files" }
                    thead { tr { th scope="col" { "File" } th scope="col" { "Change" } th.number scope="col" { "Size" } } }
                    tbody { @for (index, file) in run.files.iter().enumerate() { tr {
                        th scope="row" { (changed_file(index, file)) }
                        td { (parts::tag(&file.change)) }
                        td.number { @if let Some(bytes) = file.bytes { (parts::bytes(bytes)) } }
                    } } }
                }
            }
        }
    }
}

/// What the run changed in its session.
fn changed_variables(variables: &[VariableChange]) -> Markup {
    html! {
        @if variables.is_empty() { p.small.quiet { "No variable has another kind or size." } }
        @else {
            table {
                caption.unseen { "Variables of the session" }
                thead { tr { th scope="col" { "Variable" } th scope="col" { "Change" } th scope="col" { "Kind" } th.number scope="col" { "Size" } } }
                tbody { @for variable in variables { tr {
                    th scope="row" { (parts::name(&variable.name)) }
                    td { (parts::tag(&variable.change)) }
                    td { (parts::text(&variable.kind)) }
                    td.number { @if let Some(size) = variable.size { (parts::count(size)) } }
                } } }
            }
        }
    }
}

/// A file that the run changed, with how it differs where that is known.
fn changed_file(index: usize, file: &FileChange) -> Markup {
    html! {
        @match file.diff.as_deref().filter(|diff| !diff.is_empty()) {
            None => { (parts::name(&file.path)) },
            Some(diff) => {
                details.more id={ "change-" (index) } {
                    summary { (parts::name(&file.path)) }
                    (source::difference(diff))
                }
            },
        }
    }
}

fn decisions(decisions: &[DecisionRow]) -> Markup {
    html! {
        @if !decisions.is_empty() {
            section.panel.flush aria-labelledby="decisions-title" {
                header { h2 #decisions-title { "Decisions" } }
                table {
                    thead { tr { th scope="col" { "Call" } th scope="col" { "Decision" } th scope="col" { "Reason" } th.wide scope="col" { "Policy" } } }
                    tbody { @for decision in decisions { tr {
                        th scope="row" {
                            @if let Some(call) = decision.call { a href={ "#call-" (call) } { (call + 1) } " " }
                            (parts::name(&format!("{}.{}", decision.server, decision.tool)))
                        }
                        td { (parts::tag(&decision.decision)) }
                        td { @if let Some(reason) = &decision.reason { (parts::text(reason)) } }
                        td.wide { @if let Some(policy) = &decision.policy { (parts::name(policy)) } }
                    } } }
                }
            }
        }
    }
}

/// Cancels the run.
pub(super) async fn cancel(visit: Visit, Path(run): Path<String>) -> Response {
    let cancelled = visit.console.cancel_run(&visit.viewer, &run).await;
    visit.go(Section::Runs, cancelled.map(|_| address(&run)))
}

/// Runs its script again, as a run of the viewer.
pub(super) async fn again(visit: Visit, Path(run): Path<String>) -> Response {
    let started = async {
        let run = visit.console.run(&visit.viewer, &run).await?;
        let code = run.code.ok_or(ConsoleError::NotFound("the run's script"))?;
        let again = NewRun {
            code,
            language: Some(run.row.language),
            session: None,
            toolkit: run.row.toolkit,
            timeout_seconds: None,
        };
        let started = visit.console.start_run(&visit.viewer, again).await?;
        Ok(address(&started.run))
    };
    visit.go(Section::Runs, started.await)
}

/// What it printed, as a file.
pub(super) async fn output(visit: Visit, Path(run): Path<String>) -> Response {
    match visit.console.run(&visit.viewer, &run).await {
        Ok(run) => attachment("output.txt", run.output.into_bytes()),
        Err(problem) => visit.problem(Section::Runs, &problem),
    }
}

/// Which call of which run.
#[derive(Deserialize)]
pub(super) struct CallPlace {
    run: String,
    call: u32,
}

/// One call of the run, with its whole answer.
pub(super) async fn call(visit: Visit, Path(place): Path<CallPlace>) -> Response {
    let run = place.run;
    let found = visit.console.call(&visit.viewer, &run, place.call).await;
    let content = found.map(|call| {
        let title = format!("Call {}", call.call + 1);
        let name = format!("{}.{}", call.server, call.tool);
        let body = html! {
            (parts::back(&address(&run), &format!("Run {}", short(&run))))
            (parts::head(&html! { (title) ": " (parts::name(&name)) " " (parts::tag(&call.end)) }, None, &html! {}))
            section.panel aria-labelledby="content-title" {
                header { h2 #content-title { "Arguments and answer" } }
                div #call-content { (whole_call(&call)) }
            }
        };
        Content {
            section: Section::Runs,
            title,
            body,
            news: None,
        }
    });
    visit.show(Section::Runs, content)
}
