//! Policies: who may do what, and the test of a case.

use axum::Router;
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use serde::Deserialize;

use super::layout::{Content, Section};
use super::parts;
use super::source::{self, Language};
use super::visit::Visit;
use crate::model::{PolicyCase, PolicyOverview, PolicyResult, RoleRow};
use crate::{Console, ConsoleError};

/// The route of policies.
pub(super) fn router() -> Router<Console> {
    Router::new().route("/console/policies", get(show))
}

/// The case that the address describes: a test can be shared.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Query {
    call: String,
    principal: String,
    groups: String,
    labels: String,
}

impl Query {
    fn case(&self) -> Option<PolicyCase> {
        let given = |text: &str| Some(text.trim().to_owned()).filter(|it| !it.is_empty());
        let list = |text: &str| {
            let parts = text.split(',').filter_map(given);
            parts.collect::<Vec<_>>()
        };
        Some(PolicyCase {
            principal: given(&self.principal),
            groups: list(&self.groups),
            client: None,
            toolkit: None,
            call: given(&self.call)?,
            labels: list(&self.labels),
        })
    }
}

async fn show(visit: Visit) -> Response {
    visit.show(Section::Policies, content(&visit).await)
}

async fn content(visit: &Visit) -> Result<Content, ConsoleError> {
    let wanted: Query = visit.query();
    let policies = visit.console.policies(&visit.viewer).await?;
    let case = wanted.case();
    let result = case.map(|case| visit.console.test_policy(&visit.viewer, &case));
    let body = html! {
        (parts::heading("Policies", "Who may call what, and why."))
        @if !policies.any {
            (parts::notice("wait", &html! { p { "No policy is set up, so every granted tool may be called. " code { "[roles]" } ", " code { "[approvals] ask" } " and " code { "[policies]" } " in " code { "ampoule.toml" } " change that." } }))
        }
        div.split.even {
            (test(visit, &wanted))
            section.panel #result aria-labelledby="result-title" {
                header { h2 #result-title { "Decision" } }
                @match &result {
                    None => { p.quiet { "Test a call to see whether it is allowed, and which policy decides." } },
                    Some(Err(problem)) => { (parts::notice("bad", &html! { p role="alert" { (parts::text(&problem.to_string())) } })) },
                    Some(Ok(result)) => { (decision(result)) },
                }
            }
        }
        (overview(&policies))
    };
    Ok(Content {
        section: Section::Policies,
        title: "Policies".to_owned(),
        body,
        news: result
            .and_then(Result::ok)
            .map(|it| format!("Decision: {}", it.decision)),
    })
}

fn test(visit: &Visit, wanted: &Query) -> Markup {
    html! {
        section.panel aria-labelledby="test-title" {
            header { h2 #test-title { "Test a case" } }
            form {
                div.field {
                    label for="call" { "Call" }
                    textarea.code #call name="call" rows="2" required spellcheck="false" aria-describedby="call-hint" { (wanted.call) }
                    p.hint #call-hint { "For example " code { "demo.close_ticket {\"ticketId\": \"TIC-0002\"}" } }
                }
                @if visit.viewer.is_operator() {
                    div.field { label for="principal" { "Principal" } input #principal type="text" name="principal" value=(wanted.principal) autocomplete="off"; }
                    div.field { label for="groups" { "Groups, with commas" } input #groups type="text" name="groups" value=(wanted.groups) autocomplete="off"; }
                }
                div.field { label for="labels" { "Labels of what the run has read, with commas" } input #labels type="text" name="labels" value=(wanted.labels) autocomplete="off"; }
                button.main { "Test" }
            }
        }
    }
}

fn decision(result: &PolicyResult) -> Markup {
    html! {
        p { (parts::tag(&result.decision)) " " @if !result.exists { "The tool does not exist for this principal." } @else if let Some(reason) = &result.reason { (parts::text(reason)) } }
        dl.facts {
            @if !result.by.is_empty() { dt { "Decided by" } dd { @for policy in &result.by { div { (parts::name(policy)) } } } }
            @if !result.obligations.is_empty() { dt { "And" } dd { @for what in &result.obligations { div { (parts::text(what)) } } } }
            @if !result.labels.is_empty() { dt { "Labels" } dd { @for label in &result.labels { div { (parts::text(&label.label)) " " span.quiet { "from " (parts::text(&label.from)) } } } } }
        }
        @if !result.explanation.is_empty() { h3 { "Why" } (parts::block(&result.explanation, "Explanation")) }
        @for (index, policy) in result.considered.iter().enumerate() {
            details.more id={ "policy-" (index) } open[policy.decides] {
                summary { (parts::name(&policy.id)) " " (parts::tag(&policy.verdict)) " " span.quiet.small { (parts::text(&policy.place)) } }
                (source::text(&policy.text, Language::JavaScript, &policy.id))
            }
        }
    }
}

fn overview(policies: &PolicyOverview) -> Markup {
    html! {
        @if !policies.problems.is_empty() {
            section.panel aria-labelledby="problems-title" {
                header { h2 #problems-title { "Warnings" } }
                ul { @for problem in &policies.problems { li {
                    (parts::tag(&problem.severity)) " " (parts::text(&problem.message))
                    @if let Some(place) = &problem.place { " " span.quiet { (parts::text(place)) } }
                } } }
            }
        }
        @if !policies.roles.is_empty() { (roles(&policies.roles)) }
        @if let Some(cedar) = policies.cedar.as_deref().filter(|it| !it.is_empty()) {
            section.panel aria-labelledby="cedar-title" {
                header { h2 #cedar-title { "All policies" } span.end.quiet.small { "fingerprint " code { (policies.fingerprint) } } }
                (source::text(cedar, Language::JavaScript, "All policies as Cedar"))
            }
        }
    }
}

fn roles(roles: &[RoleRow]) -> Markup {
    html! {
        section.panel.flush aria-labelledby="roles-title" {
            header { h2 #roles-title { "Roles" } }
            table {
                thead { tr { th scope="col" { "Role" } th scope="col" { "Members" } th scope="col" { "Tools" } } }
                tbody { @for role in roles { tr {
                    th scope="row" { (parts::text(&role.name)) }
                    td { @for member in &role.members { (parts::text(member)) " " } }
                    td { @for tool in &role.tools { (parts::name(tool)) " " } }
                } } }
            }
        }
    }
}
