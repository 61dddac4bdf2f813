//! The frame of every page: head, navigation, and where the content stands.

use maud::{DOCTYPE, Markup, html};

use super::assets::assets;
use super::parts::text;
use crate::model::Me;

/// Where the events of lists come from.
pub(super) const EVENTS: &str = "/console/events";

/// A page of the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Playground,
    Runs,
    Approvals,
    Schedules,
    Servers,
    Tools,
    Toolkits,
    Sessions,
    Files,
    Skills,
    Policies,
    Audit,
    Statistics,
    People,
    Configuration,
}

/// The navigation, in groups.
const GROUPS: [(&str, &[Section]); 4] = [
    (
        "Runs",
        &[
            Section::Playground,
            Section::Runs,
            Section::Approvals,
            Section::Schedules,
        ],
    ),
    (
        "Tools",
        &[Section::Servers, Section::Tools, Section::Toolkits],
    ),
    (
        "Stored",
        &[Section::Sessions, Section::Files, Section::Skills],
    ),
    (
        "Operation",
        &[
            Section::Statistics,
            Section::Policies,
            Section::Audit,
            Section::People,
            Section::Configuration,
        ],
    ),
];

impl Section {
    /// Its name, as people read it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Playground => "Playground",
            Self::Runs => "Runs",
            Self::Approvals => "Approvals",
            Self::Schedules => "Schedules and hooks",
            Self::Servers => "Servers",
            Self::Tools => "Tools",
            Self::Toolkits => "Toolkits",
            Self::Sessions => "Sessions",
            Self::Files => "Files",
            Self::Skills => "Skills",
            Self::Policies => "Policies",
            Self::Audit => "Audit",
            Self::Statistics => "Statistics",
            Self::People => "People",
            Self::Configuration => "Configuration",
        }
    }

    /// Its address.
    pub(super) fn address(self) -> &'static str {
        match self {
            Self::Playground => "/console",
            Self::Runs => "/console/runs",
            Self::Approvals => "/console/approvals",
            Self::Schedules => "/console/schedules",
            Self::Servers => "/console/servers",
            Self::Tools => "/console/tools",
            Self::Toolkits => "/console/toolkits",
            Self::Sessions => "/console/sessions",
            Self::Files => "/console/files",
            Self::Skills => "/console/skills",
            Self::Policies => "/console/policies",
            Self::Audit => "/console/audit",
            Self::Statistics => "/console/statistics",
            Self::People => "/console/people",
            Self::Configuration => "/console/configuration",
        }
    }

    /// Whether only operators have it.
    fn is_for_operators(self) -> bool {
        matches!(self, Self::People | Self::Configuration)
    }
}

/// What all pages of one request share.
pub(super) struct Frame {
    /// Who looks.
    pub(super) me: Me,
    /// What proves that a form was sent from a page of this browser.
    pub(super) csrf: String,
    /// How many approvals wait for the viewer.
    pub(super) waiting: usize,
}

/// A page's content.
pub(super) struct Content {
    /// Where it is in the navigation.
    pub(super) section: Section,
    /// Its title, which may be text from elsewhere.
    pub(super) title: String,
    /// The main part.
    pub(super) body: Markup,
    /// A sentence for screen readers, when it is another one than before.
    pub(super) news: Option<String>,
}

impl Frame {
    /// The whole page.
    pub(super) fn page(&self, content: &Content) -> Markup {
        let assets = assets();
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="robots" content="noindex, nofollow";
                    meta name="color-scheme" content="light dark";
                    title { (ampoule_untrusted::text::one_line(&content.title)) " – Ampoule" }
                    link rel="icon" href=(assets.icon.address) type="image/svg+xml";
                    link rel="stylesheet" href=(assets.style.address);
                    script src=(assets.script.address) type="module" {}
                }
                body {
                    a.skip href="#main" { "Skip to the content" }
                    (self.bar())
                    (self.places(content.section))
                    main #main tabindex="-1" { (content.body) }
                    p.unseen #news role="status" { @if let Some(news) = &content.news { (news) } }
                }
            }
        }
    }

    fn is_local(&self) -> bool {
        self.me.principal == "local"
    }

    fn bar(&self) -> Markup {
        let who = match self.is_local() {
            true => "This machine's user",
            false => self.me.principal.as_str(),
        };
        html! {
            header.bar {
                button.menu type="button" popovertarget="places" { "Menu" }
                a.brand href="/console" { (mark()) "Ampoule" }
                span.who { (text(who)) @if self.me.operator && !self.is_local() { br; "operator" } }
            }
        }
    }

    fn places(&self, here: Section) -> Markup {
        html! {
            nav.places #places popover aria-label="Pages" {
                @for (group, sections) in GROUPS {
                    @let sections: Vec<_> = sections.iter().filter(|it| self.me.operator || !it.is_for_operators()).collect();
                    p.group { (group) }
                    ul {
                        @for &&section in &sections {
                            li {
                                a href=(section.address()) aria-current=[(section == here).then_some("page")] {
                                    (section.name())
                                    @if section == Section::Approvals && self.waiting > 0 {
                                        span.count { (self.waiting) span.unseen { " waiting" } }
                                    }
                                }
                            }
                        }
                    }
                }
                // Who comes by a one-time address has nothing to come back with.
                @if !self.is_local() { div.leave { (self.deed("/console/sign-out", "Sign out", "")) } }
            }
        }
    }

    /// The hidden field of every form that changes something.
    pub(super) fn proof(&self) -> Markup {
        html! { input type="hidden" name="csrf" value=(self.csrf); }
    }

    /// A form of one button.
    pub(super) fn deed(&self, action: &str, label: &str, class: &str) -> Markup {
        html! {
            form method="post" action=(action) { (self.proof()) button class=(class) { (label) } }
        }
    }
}

/// The mark beside the name.
fn mark() -> Markup {
    html! {
        svg width="20" height="20" viewBox="0 0 24 24" aria-hidden="true" {
            path fill="currentColor" d="M10 2h4l-.6 4.200c-.1.9.2 1.700.8 2.400l1.600 1.800c.8.9 1.200 2 1.200 3.200V19a3 3 0 0 1-3 3h-4a3 3 0 0 1-3-3v-5.400c0-1.200.4-2.300 1.200-3.200l1.600-1.800c.6-.7.9-1.500.8-2.400z" {}
        }
    }
}
