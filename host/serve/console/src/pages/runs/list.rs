//! The list of runs.

use axum::response::Response;
use maud::{Markup, html};

use crate::ConsoleError;
use crate::model::{Page, PageQuery, RunFilter, RunRow};
use crate::pages::layout::{Content, EVENTS, Section};
use crate::pages::parts;
use crate::pages::run::{address, short};
use crate::pages::visit::Visit;

const STATES: [(&str, &str); 9] = [
    ("", "Any state"),
    ("running", "Running"),
    ("waiting", "Waiting"),
    ("ended", "Ended"),
    ("returned", "Returned"),
    ("threw", "Threw"),
    ("limit", "Hit a limit"),
    ("cancelled", "Cancelled"),
    ("failed", "Failed"),
];
const LANGUAGES: [(&str, &str); 4] = [
    ("", "Any language"),
    ("typescript", "TypeScript"),
    ("javascript", "JavaScript"),
    ("python", "Python"),
];

/// The page.
pub(super) async fn show(visit: Visit) -> Response {
    visit.show(Section::Runs, content(&visit).await)
}

async fn content(visit: &Visit) -> Result<Content, ConsoleError> {
    let filter = given(visit.query());
    let part: PageQuery = visit.query();
    let (console, viewer) = (&visit.console, &visit.viewer);
    let runs = console
        .runs_since(viewer, visit.since, &filter, &part)
        .await?;
    let deeds = html! { a.button.main href="/console" { "New run" } };
    let body = html! {
        (parts::head(&html! { "Runs" }, None, &deeds))
        (filters(&filter, visit.viewer.is_operator()))
        section.panel.flush #runs data-live=(EVENTS) aria-label="List of runs" {
            (parts::problems(&runs.problems))
            @if runs.items.is_empty() { (none(&filter)) } @else { (table(&runs.items)) }
            (parts::pager(&own_address(&filter), part.cursor.as_deref(), runs.next.as_deref()))
        }
    };
    Ok(Content {
        section: Section::Runs,
        title: "Runs".to_owned(),
        body,
        news: Some(news(&runs)),
    })
}

/// Fields of a form that are left empty are not filters.
fn given(filter: RunFilter) -> RunFilter {
    let given = |field: Option<String>| field.filter(|it| !it.trim().is_empty());
    RunFilter {
        principal: given(filter.principal),
        state: given(filter.state),
        language: given(filter.language),
        search: given(filter.search),
    }
}

fn own_address(filter: &RunFilter) -> String {
    let query = [
        ("search", &filter.search),
        ("state", &filter.state),
        ("language", &filter.language),
        ("principal", &filter.principal),
    ];
    let query = query.map(|(name, value)| (name, value.as_deref().unwrap_or_default()));
    parts::address(Section::Runs.address(), &query)
}

fn news(runs: &Page<RunRow>) -> String {
    let waiting = runs.items.iter().filter(|run| run.asks.is_some()).count();
    match waiting {
        0 => String::new(),
        waiting => format!("{} for approval", parts::counted(waiting as u64, "run")),
    }
}

fn filters(filter: &RunFilter, is_operator: bool) -> Markup {
    html! {
        form.filters role="search" aria-label="Runs" {
            div.grow {
                label for="search" { "Search by id, client or principal" }
                input #search type="search" name="search" value=[filter.search.as_deref()];
            }
            (choice("state", "State", &STATES, filter.state.as_deref()))
            (choice("language", "Language", &LANGUAGES, filter.language.as_deref()))
            @if is_operator {
                div {
                    label for="principal" { "Principal" }
                    input #principal type="text" name="principal" size="12" value=[filter.principal.as_deref()];
                }
            }
            div { button { "Filter" } }
        }
    }
}

fn choice(name: &str, label: &str, offered: &[(&str, &str)], chosen: Option<&str>) -> Markup {
    html! {
        div {
            label for=(name) { (label) }
            select id=(name) name=(name) {
                @for &(value, words) in offered {
                    option value=(value) selected[chosen.unwrap_or_default() == value] { (words) }
                }
            }
        }
    }
}

fn none(filter: &RunFilter) -> Markup {
    if own_address(filter) == Section::Runs.address() {
        return parts::empty(
            "No runs yet",
            &html! { "Start one in the " a href="/console" { "playground" } ", or send one from an MCP client." },
        );
    }
    parts::empty(
        "No run matches",
        &html! { a href="/console/runs" { "Show all runs" } },
    )
}

fn table(runs: &[RunRow]) -> Markup {
    html! {
        table {
            caption.unseen { "Runs, the newest first" }
            thead { tr {
                th scope="col" { "Run" }
                th scope="col" { "State" }
                th.wide scope="col" { "For" }
                th.wide scope="col" { "Language" }
                th.number scope="col" { "Calls" }
                th.number.wide scope="col" { "Took" }
                th.number.wide scope="col" { "Fuel" }
                th scope="col" { "Began" }
            } }
            tbody { @for run in runs { (row(run)) } }
        }
    }
}

fn row(run: &RunRow) -> Markup {
    html! {
        tr {
            th scope="row" { a id={ "run-" (run.run) } href=(address(&run.run)) { code.nowrap { (short(&run.run)) } } }
            td {
                @match &run.asks {
                    Some(tools) => { (parts::tag("asks")) " " span.small.quiet { (parts::text(tools)) } },
                    None => { (parts::tag(&run.state)) },
                }
            }
            td.wide { (whose(run)) }
            td.wide { (parts::text(&run.language)) }
            td.number { (parts::count(run.calls)) }
            td.number.wide { @if let Some(ms) = run.wall_ms { (parts::millis(ms)) } @else { "–" } }
            td.number.wide { (parts::short(run.fuel)) }
            td { (parts::since(&run.since)) }
        }
    }
}

fn whose(run: &RunRow) -> Markup {
    html! {
        @if let Some(principal) = &run.principal { (parts::text(principal)) " " }
        @if let Some(client) = &run.client { span.quiet { (parts::text(client)) } }
    }
}
