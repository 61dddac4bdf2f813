//! What the page shows. All text goes through the template, which escapes it; what is not seen in it
//! was made visible before. There are no scripts, and nothing is loaded.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::arguments::{Form, ShownArgument, name};
use crate::dialogue::offered;
use crate::question::{Kind, ProposedCall, Question, QuestionView};
use crate::text::{because, done, summary};
use crate::time;

const STYLE: &str = include_str!("style.css");

/// The content security policy: this style, forms to here, and nothing else.
pub(super) fn policy() -> &'static str {
    static POLICY: LazyLock<String> = LazyLock::new(|| {
        let style = STANDARD.encode(ring::digest::digest(
            &ring::digest::SHA256,
            STYLE.as_bytes(),
        ));
        format!(
            "default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'"
        )
    });
    &POLICY
}

fn page(title: &str, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex, nofollow";
                title { (title) " – Ampoule" }
                style { (PreEscaped(STYLE)) }
            }
            body { main { h1 { (title) } (content) } }
        }
    }
}

/// A sentence.
pub(super) fn said(title: &str, sentence: &str) -> Markup {
    page(title, &html! { p role="status" { (sentence) } })
}

/// Before it is known who looks: nothing of the question.
pub(super) fn closed() -> Markup {
    page(
        "A script waits for an answer",
        &html! {
            p { "The first browser that shows the question is the only one that can answer it here." }
            form method="post" { button name="open" value="1" { "Show the question" } }
        },
    )
}

/// A question, with the form to answer it.
pub(super) fn question(question: &Question, seen: &QuestionView, form: &str) -> Markup {
    let title = match (question.kind, question.calls.len()) {
        (Kind::Plan, _) => "Allow this plan?",
        (Kind::Calls, 1) => "Allow this call?",
        (Kind::Calls, _) => "Allow these calls?",
    };
    page(
        title,
        &html! {
            (about(question))
            form method="post" {
                input type="hidden" name="form" value=(form);
                input type="hidden" name="seen-calls" value=(seen.calls);
                input type="hidden" name="seen-digest" value=(seen.digest);
                @for call in &question.calls { (one_call(call, question.kind)) }
                fieldset {
                    legend { "Your answer" }
                    @for (name, said) in offered(question) {
                        label { input type="radio" name="answer" value=(name) required; (said) }
                    }
                    label for="reason" { "Reason, if denied (the script sees it)" }
                    textarea id="reason" name="reason" rows="2" maxlength="2000" {}
                }
                @if question.kind == Kind::Calls && question.calls.len() > 1 {
                    p { "Calls that are not chosen above are denied." }
                }
                button { "Answer" }
            }
        },
    )
}

fn about(question: &Question) -> Markup {
    let caller = &question.caller;
    let whose = [
        ("For", &caller.principal),
        ("Client", &caller.client),
        ("Toolkit", &caller.toolkit),
        ("Session", &caller.session),
    ];
    html! {
        p { @match question.kind {
            Kind::Calls => { "A script waits with " strong { (summary(question)) } "." },
            Kind::Plan => { "A script was tried, and would make, in this order: " strong { (summary(question)) } "." },
        } }
        dl {
            dt { "Run" } dd { bdi { (name(&caller.run)) } }
            @for (what, who) in whose {
                @if let Some(who) = who { dt { (what) } dd { bdi { (name(who)) } } }
            }
            dt { "Done so far" }
            dd { @if question.done.is_empty() { "nothing" } @else { (done(question)) } }
            dt { "To be answered before" }
            dd { time { (time::shown(question.expires_at)) } }
        }
    }
}

fn one_call(call: &ProposedCall, kind: Kind) -> Markup {
    let id = format!("call-{}", call.number);
    html! {
        article aria-labelledby=(id) {
            h2 id=(id) { @match kind {
                Kind::Calls => {
                    label { input type="checkbox" name="call" value=(call.number) checked; bdi { (call.full_name()) } }
                },
                Kind::Plan => {
                    input type="hidden" name="call" value=(call.number);
                    (call.number + 1) ". " bdi { (call.full_name()) }
                },
            } }
            p { (because(call)) }
            dl { @for argument in &call.arguments { (one_argument(argument)) } }
            @if call.more_arguments > 0 {
                p.cut { (call.more_arguments) " more arguments are not shown." }
            }
        }
    }
}

fn one_argument(argument: &ShownArgument) -> Markup {
    html! {
        dt { bdi { (argument.name) } }
        dd {
            @match argument.form {
                Form::Hidden => { span.hidden { (argument.text) } },
                Form::Text | Form::Json => { pre tabindex="0" { (argument.text) } },
            }
            @if argument.left_out > 0 {
                p.cut { (argument.left_out) " more bytes are not shown." }
            }
        }
    }
}
