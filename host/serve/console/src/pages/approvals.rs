//! Calls that wait for a person.

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;

use super::layout::{Content, EVENTS, Section};
use super::source::{self, Language, Mark};
use super::visit::{Fields, Visit};
use super::{parts, run};
use crate::model::{
    ApprovalAnswer, ApprovalCall, ApprovalDetail, ApprovalRow, ApprovalState, PageQuery,
    ShownArgument,
};
use crate::{Console, ConsoleError};

/// The routes of approvals.
pub(super) fn router() -> Router<Console> {
    Router::new()
        .route("/console/approvals", get(list))
        .route("/console/approvals/one", get(show).post(answer))
}

/// How many of these wait.
fn open(rows: &[ApprovalRow]) -> usize {
    let open = rows.iter().filter(|row| row.state == ApprovalState::Open);
    open.count()
}

fn address(id: &str) -> String {
    parts::address("/console/approvals/one", &[("id", id)])
}

fn state(state: ApprovalState) -> &'static str {
    match state {
        ApprovalState::Open => "open",
        ApprovalState::Answered => "answered",
        ApprovalState::Expired => "expired",
    }
}

async fn list(visit: Visit) -> Response {
    let content = async {
        let part: PageQuery = visit.query();
        let page = visit.console.approvals(&visit.viewer, true, &part).await?;
        let waiting = open(&page.items);
        let body = html! {
            (parts::heading("Approvals", "Calls that wait until a person allows or denies them. The run waits, too."))
            section.panel.flush #approvals data-live=(EVENTS) aria-label="List of approvals" {
                (parts::problems(&page.problems))
                @if page.items.is_empty() {
                    (parts::empty("Nothing waits", &html! { "A question appears here when a call needs a person's agreement. " code { "[approvals] ask" } " in " code { "ampoule.toml" } " says which calls do." }))
                } @else { (table(&page.items)) }
                (parts::pager(Section::Approvals.address(), part.cursor.as_deref(), page.next.as_deref()))
            }
        };
        Ok(Content {
            section: Section::Approvals,
            title: "Approvals".to_owned(),
            body,
            news: Some(match waiting {
                0 => "Nothing waits for approval".to_owned(),
                waiting => format!("{waiting} waiting for approval"),
            }),
        })
    };
    visit.show(Section::Approvals, content.await)
}

fn table(rows: &[ApprovalRow]) -> Markup {
    html! {
        table {
            caption.unseen { "Questions, the newest first" }
            thead { tr {
                th scope="col" { "Calls" }
                th scope="col" { "State" }
                th.wide scope="col" { "For" }
                th.wide scope="col" { "Run" }
                th scope="col" { "Asked" }
                th.wide scope="col" { "Until" }
            } }
            tbody { @for row in rows { tr {
                th scope="row" { a id={ "approval-" (row.id) } href=(address(&row.id)) { (parts::text(&row.summary)) } }
                td { (parts::tag(state(row.state))) }
                td.wide { (whose(row)) }
                td.wide { a href=(run::address(&row.run)) { code.nowrap { (run::short(&row.run)) } } }
                td { (parts::since(&row.asked_at)) }
                td.wide { (parts::since(&row.expires_at)) }
            } } }
        }
    }
}

fn whose(row: &ApprovalRow) -> Markup {
    html! {
        @if let Some(principal) = &row.principal { (parts::text(principal)) " " }
        @if let Some(client) = &row.client { span.quiet { (parts::text(client)) } }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Query {
    id: String,
}

async fn show(visit: Visit) -> Response {
    let wanted: Query = visit.query();
    let question = visit.console.approval(&visit.viewer, &wanted.id).await;
    visit.show(
        Section::Approvals,
        question.map(|question| content(&visit, &question)),
    )
}

fn content(visit: &Visit, question: &ApprovalDetail) -> Content {
    let row = &question.row;
    let title = match (row.state, question.calls.len()) {
        (ApprovalState::Open, 1) => "Allow this call?",
        (ApprovalState::Open, _) => "Allow these calls?",
        (ApprovalState::Answered, _) => "Answered",
        (ApprovalState::Expired, _) => "Expired",
    };
    let body = html! {
        (parts::back("/console/approvals", "Approvals"))
        (parts::head(&html! { (title) }, None, &html! {}))
        @if let Some(answer) = &question.answer {
            (parts::notice("ok", &html! { p role="status" { (parts::text(answer)) ". " a href=(run::address(&row.run)) { "Look at the run" } } }))
        }
        div.split {
            div {
                @if question.seen.is_some() && question.can_answer { (form(visit, question)) }
                @else { @for call in &question.calls { (one_call(call, false)) } }
            }
            div { (about(question)) }
        }
        @if let Some(code) = &question.code { (script(question, code)) }
    };
    Content {
        section: Section::Approvals,
        title: title.to_owned(),
        body,
        news: None,
    }
}

fn about(question: &ApprovalDetail) -> Markup {
    let row = &question.row;
    let named = [
        ("Principal", &row.principal),
        ("Client", &row.client),
        ("Toolkit", &question.toolkit),
        ("Session", &question.session),
    ];
    html! {
        section.panel aria-labelledby="about-title" {
            header { h2 #about-title { "Who asks" } }
            dl.facts {
                dt { "Run" } dd { a href=(run::address(&row.run)) { code.nowrap { (run::short(&row.run)) } } }
                @for (what, who) in named { @if let Some(who) = who { dt { (what) } dd { (parts::text(who)) } } }
                dt { "Asked" } dd { (parts::since(&row.asked_at)) }
                dt { "Answer until" } dd { (parts::time(&row.expires_at)) }
                dt { "Done so far" }
                dd {
                    @if question.done.is_empty() { "No call." }
                    @for line in &question.done { div { (parts::text(line)) } }
                }
            }
        }
    }
}

fn form(visit: &Visit, question: &ApprovalDetail) -> Markup {
    let several = question.calls.len() > 1;
    html! {
        form method="post" action=(address(&question.row.id)) {
            (visit.frame.proof())
            input type="hidden" name="seen" value=[question.seen.as_deref()];
            @for call in &question.calls { (one_call(call, several)) }
            section.panel aria-labelledby="answer-title" {
                header { h2 #answer-title { "Your answer" } }
                @if several { p.quiet { "Calls that are not chosen above are denied." } }
                div.field {
                    label for="reason" { "Reason of a denial" }
                    textarea #reason name="reason" rows="2" maxlength="2000" aria-describedby="reason-hint" {}
                    p.hint #reason-hint { "The script gets it as the error's text." }
                }
                div.deeds {
                    button.main name="answer" value="allow-once" { "Allow once" }
                    @if question.offers_run { button name="answer" value="allow-run" { "Allow for this run" } }
                    @if question.offers_hour { button name="answer" value="allow-hour" { "Allow for an hour" } }
                    button.bad name="answer" value="deny" { "Deny" }
                }
            }
        }
    }
}

fn one_call(call: &ApprovalCall, is_choice: bool) -> Markup {
    let id = format!("call-{}", call.call);
    let title = format!("{}.{}", call.server, call.tool);
    html! {
        article.panel aria-labelledby=(id) {
            header {
                h2 {
                    @if is_choice {
                        label.choice {
                            input type="checkbox" name="call" value=(call.call) checked;
                            span id=(id) { (parts::name(&title)) }
                        }
                    } @else { span id=(id) { (parts::name(&title)) } }
                }
                @if let Some(line) = call.line { span.end { a href={ "#L" (line) } { "line " (line) } } }
            }
            p { (parts::text(&call.reason)) " " span.quiet.small { (parts::text(&call.policy)) } }
            @if call.arguments.is_empty() { p.quiet { "Without arguments." } }
            dl { @for argument in &call.arguments { (one_argument(argument)) } }
            @if call.more_arguments > 0 { p { strong { (call.more_arguments) " more arguments are not shown." } } }
        }
    }
}

fn one_argument(argument: &ShownArgument) -> Markup {
    html! {
        dt { (parts::name(&argument.name)) }
        dd {
            @if argument.hidden { span.hidden-value { (parts::text(&argument.text)) } }
            @else { (parts::block(&argument.text, &argument.name)) }
        }
    }
}

fn script(question: &ApprovalDetail, code: &str) -> Markup {
    let language = Language::named(question.language.as_deref().unwrap_or_default());
    let line = question
        .calls
        .first()
        .and_then(|call| call.line)
        .map(u64::from);
    html! {
        section.panel aria-labelledby="script-title" {
            header { h2 #script-title { "The script" } }
            (source::script(code, language, line.map_or(Mark::None, Mark::Asks)))
        }
    }
}

async fn answer(visit: Visit, fields: Fields) -> Response {
    let wanted: Query = visit.query();
    let answered = async {
        let question = visit.console.approval(&visit.viewer, &wanted.id).await?;
        let chosen = fields.all("call").filter_map(|call| call.parse().ok());
        let only = (question.calls.len() > 1).then(|| chosen.collect());
        let answer = ApprovalAnswer {
            answer: fields.get("answer").unwrap_or_default().to_owned(),
            reason: fields.get("reason").unwrap_or_default().to_owned(),
            seen: fields.get("seen").unwrap_or_default().to_owned(),
            only,
        };
        visit
            .console
            .answer_approval(&visit.viewer, &wanted.id, answer)
            .await?;
        Ok::<_, ConsoleError>(address(&wanted.id))
    };
    visit.go(Section::Approvals, answered.await)
}
