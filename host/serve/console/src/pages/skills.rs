//! Skills: code that a script saved, and later scripts import.

use axum::Router;
use axum::response::Response;
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;

use super::layout::{Content, Section};
use super::parts;
use super::source::{self, Language, Mark};
use super::visit::{Fields, Visit};
use crate::model::{
    ApproveRequest, NewSkill, PageQuery, SkillDetail, SkillRow, SkillTest, VersionRequest,
};
use crate::{Console, ConsoleError};

/// The routes of skills.
pub(super) fn router() -> Router<Console> {
    Router::new()
        .route("/console/skills", get(list))
        .route("/console/skills/one", get(show))
        .route("/console/skills/save", post(save))
        .route("/console/skills/test", post(test))
        .route("/console/skills/approve", post(approve))
        .route("/console/skills/roll-back", post(roll_back))
}

fn address(name: &str, principal: Option<&str>, version: Option<u32>) -> String {
    let version = version.map(|it| it.to_string()).unwrap_or_default();
    parts::address(
        "/console/skills/one",
        &[
            ("name", name),
            ("principal", principal.unwrap_or_default()),
            ("version", &version),
        ],
    )
}

async fn list(visit: Visit) -> Response {
    let (part, wanted): (PageQuery, Query) = (visit.query(), visit.query());
    let page = visit
        .console
        .skills(&visit.viewer, wanted.principal(), &part)
        .await;
    let content = page.map(|page| {
        let body = html! {
            (parts::heading("Skills", "Code that a script saved and later scripts import. An approved skill can be imported by everybody."))
            (parts::whose_field(visit.viewer.is_operator(), &wanted.principal))
            section.panel.flush aria-label="List of skills" {
                (parts::problems(&page.problems))
                @if page.items.is_empty() {
                    (parts::empty("No skills yet", &html! { "A script saves one with " code { "tools.skills.save" } ", where " code { "[skills]" } " is set up in " code { "ampoule.toml" } "." }))
                } @else { (table(wanted.principal(), &page.items)) }
                (parts::pager(&parts::address(Section::Skills.address(), &[("principal", &wanted.principal)]), part.cursor.as_deref(), page.next.as_deref()))
            }
        };
        Content {
            section: Section::Skills,
            title: "Skills".to_owned(),
            body,
            news: None,
        }
    });
    visit.show(Section::Skills, content)
}

fn table(principal: Option<&str>, skills: &[SkillRow]) -> Markup {
    html! {
        table {
            caption.unseen { "Skills" }
            thead { tr { th scope="col" { "Skill" } th scope="col" { "What it does" } th scope="col" { "Origin" } th.number.wide scope="col" { "Version" } } }
            tbody { @for skill in skills { tr {
                th scope="row" { a href=(address(&skill.name, principal, None)) { (parts::name(&skill.name)) } }
                td {
                    (parts::text(&skill.description))
                    @for note in &skill.notes { p.small { (parts::tag("warning")) " " (parts::text(note)) } }
                }
                td { (parts::tag(&skill.origin)) }
                td.number.wide { (skill.version) }
            } } }
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Query {
    name: String,
    principal: String,
    version: Option<u32>,
}

impl Query {
    fn of(fields: &Fields) -> Self {
        let field = |name| fields.get(name).unwrap_or_default().to_owned();
        Self {
            name: field("name"),
            principal: field("principal"),
            version: fields.get("version").and_then(|it| it.parse().ok()),
        }
    }

    fn principal(&self) -> Option<&str> {
        Some(self.principal.as_str()).filter(|it| !it.is_empty())
    }
}

async fn show(visit: Visit) -> Response {
    let wanted: Query = visit.query();
    let (console, viewer) = (&visit.console, &visit.viewer);
    let skill = console
        .skill(viewer, wanted.principal(), &wanted.name, wanted.version)
        .await;
    visit.show(
        Section::Skills,
        skill.map(|skill| content(&visit, &wanted, &skill, None)),
    )
}

fn content(
    visit: &Visit,
    wanted: &Query,
    skill: &SkillDetail,
    tested: Option<&SkillTest>,
) -> Content {
    let row = &skill.row;
    let title = html! { (parts::name(&row.name)) " " span.quiet { "version " (row.version) } };
    let body = html! {
        (parts::back("/console/skills", "Skills"))
        (parts::head(&title, Some(&row.description), &deeds(visit, wanted, skill)))
        (parts::problems(&row.notes))
        @if let Some(tested) = tested { (outcome(tested)) }
        div.split {
            div {
                @for (index, file) in skill.files.iter().enumerate() {
                    section.panel aria-labelledby={ "file-" (index) } {
                        header { h2 id={ "file-" (index) } { (parts::name(&file.path)) } }
                        (source::text(&file.text, language(skill, &file.path), &file.path))
                    }
                }
                @if let Some(example) = &skill.example {
                    section.panel aria-labelledby="example-title" {
                        header { h2 #example-title { "Example" } }
                        (source::script(example, language(skill, ""), Mark::None))
                    }
                }
            }
            div { (about(wanted, skill)) (changes(skill)) }
        }
    };
    Content {
        section: Section::Skills,
        title: row.name.clone(),
        body,
        news: tested.map(|tested| summary(tested).to_owned()),
    }
}

/// What a test came to, in a sentence.
fn summary(tested: &SkillTest) -> &'static str {
    match (tested.passed, tested.has_example) {
        (true, true) => "The example runs",
        (true, false) => "The code loads; the skill has no example",
        (false, _) => "The test failed",
    }
}

fn outcome(tested: &SkillTest) -> Markup {
    let tone = if tested.passed { "ok" } else { "bad" };
    let more = html! {
        p role="status" { strong { (summary(tested)) } ". No tool was called: calls got the answers from when the skill was saved." }
        @if let Some(problem) = &tested.problem { (parts::block(problem, "What is wrong")) }
        @if !tested.changes.is_empty() { ul { @for change in &tested.changes { li { (parts::text(change)) } } } }
    };
    parts::notice(tone, &more)
}

fn language(skill: &SkillDetail, path: &str) -> Language {
    let own = skill.row.language.as_deref().unwrap_or_default();
    Language::named(if path.ends_with(".py") { "python" } else { own })
}

fn deeds(visit: &Visit, wanted: &Query, skill: &SkillDetail) -> Markup {
    let deed = |action: &str, label: &str| {
        html! {
            form method="post" action=(action) {
                (visit.frame.proof())
                input type="hidden" name="name" value=(skill.row.name);
                input type="hidden" name="principal" value=(wanted.principal);
                input type="hidden" name="version" value=(skill.row.version);
                button { (label) }
            }
        }
    };
    html! {
        @if skill.row.language.is_some() { (deed("/console/skills/test", "Test")) }
        @if skill.can_approve {
            @if skill.approved != Some(skill.row.version) { (deed("/console/skills/approve", "Approve this version")) }
            @if skill.approved.is_some() && skill.versions.len() > 1 { (deed("/console/skills/roll-back", "Roll back")) }
        }
    }
}

fn about(wanted: &Query, skill: &SkillDetail) -> Markup {
    html! {
        section.panel aria-labelledby="about-title" {
            header { h2 #about-title { "About the skill" } }
            dl.facts {
                @if let Some(import) = &skill.import { dt { "Import" } dd { (parts::name(import)) } }
                dt { "Saved" } dd { (parts::time(&skill.saved)) }
                @if let Some(run) = &skill.run { dt { "By run" } dd { a href=(super::run::address(run)) { code.nowrap { (super::run::short(run)) } } } }
                dt { "Approved" } dd { @match skill.approved { Some(version) => { "version " (version) }, None => { "no" } } }
                @if !skill.needs.is_empty() { dt { "Calls" } dd { @for tool in &skill.needs { div { (parts::name(tool)) } } } }
                @if !skill.functions.is_empty() { dt { "Offers" } dd { @for function in &skill.functions { div { (parts::name(&function.signature)) } } } }
                dt { "Versions" }
                dd { @for version in &skill.versions {
                    a href=(address(&skill.row.name, wanted.principal(), Some(*version))) aria-current=[(*version == skill.row.version).then_some("true")] { (version) } " "
                } }
            }
            @if !skill.instructions.is_empty() { h3 { "For models" } (parts::block(&skill.instructions, "Instructions for models")) }
        }
    }
}

fn changes(skill: &SkillDetail) -> Markup {
    html! {
        section.panel aria-labelledby="diff-title" {
            header { h2 #diff-title { "Changes" } }
            @if skill.diff.is_empty() { p.quiet { "Nothing differs from the version before." } }
            @else { (source::difference(&skill.diff)) }
        }
    }
}

/// Saves the script of the playground.
async fn save(visit: Visit, fields: Fields) -> Response {
    let field = |name| fields.get(name).unwrap_or_default().to_owned();
    let new = NewSkill {
        name: field("skill-name"),
        description: field("skill-description"),
        language: field("language"),
        code: fields.code("code").unwrap_or_default(),
    };
    let saved = visit.console.save_skill(&visit.viewer, new).await;
    visit.go(
        Section::Skills,
        saved.map(|skill| address(&skill.row.name, None, Some(skill.row.version))),
    )
}

/// Tests the version that is shown, and shows the page with what came of it.
async fn test(visit: Visit, fields: Fields) -> Response {
    let wanted = Query::of(&fields);
    // Only a principal's own versions have numbers.
    let shown = async |version| {
        let (console, viewer) = (&visit.console, &visit.viewer);
        let of = wanted.principal();
        let skill = console.skill(viewer, of, &wanted.name, version).await?;
        let request = VersionRequest { version };
        let tested = console
            .test_skill(viewer, of, &wanted.name, request)
            .await?;
        Ok::<_, ConsoleError>(content(&visit, &wanted, &skill, Some(&tested)))
    };
    let content = match shown(wanted.version).await {
        Err(ConsoleError::NotFound(_)) => shown(None).await,
        shown => shown,
    };
    visit.show(Section::Skills, content)
}

async fn approve(visit: Visit, fields: Fields) -> Response {
    let wanted = Query::of(&fields);
    let Some(version) = wanted.version else {
        let problem = ConsoleError::Invalid("name the version that was shown".to_owned());
        return visit.problem(Section::Skills, &problem);
    };
    let shown = ApproveRequest { version };
    let (console, viewer) = (&visit.console, &visit.viewer);
    let approved = console
        .approve_skill(viewer, wanted.principal(), &wanted.name, shown)
        .await;
    visit.go(
        Section::Skills,
        approved.map(|_| address(&wanted.name, wanted.principal(), None)),
    )
}

async fn roll_back(visit: Visit, fields: Fields) -> Response {
    let wanted = Query::of(&fields);
    let before = VersionRequest { version: None };
    let (console, viewer) = (&visit.console, &visit.viewer);
    let back = console
        .roll_back_skill(viewer, wanted.principal(), &wanted.name, before)
        .await;
    visit.go(
        Section::Skills,
        back.map(|_| address(&wanted.name, wanted.principal(), None)),
    )
}
