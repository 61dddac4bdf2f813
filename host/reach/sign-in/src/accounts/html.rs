//! What the page shows. All text goes through the template, which escapes it. There are no scripts,
//! and nothing is loaded.

use std::sync::LazyLock;

use ampoule_untrusted::text::one_line;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use url::Url;

use crate::sign_in::{SignIn, SignInStatus};

const STYLE: &str = include_str!("style.css");

/// The content security policy: this style, forms to here, and nothing else.
pub(super) fn policy() -> &'static str {
    static POLICY: LazyLock<String> = LazyLock::new(|| {
        let digest = ring::digest::digest(&ring::digest::SHA256, STYLE.as_bytes());
        let style = STANDARD.encode(digest);
        format!(
            "default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'"
        )
    });
    &POLICY
}

fn page(title: &str, onward: Option<&Url>, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex, nofollow";
                @if let Some(address) = onward {
                    meta http-equiv="refresh" content={ "0;url=" (address) };
                }
                title { (title) " – Ampoule" }
                style { (PreEscaped(STYLE)) }
            }
            body { main { h1 { (title) } (content) } }
        }
    }
}

/// A sentence.
pub(super) fn said(title: &str, sentence: &str) -> Markup {
    page(title, None, &html! { p role="status" { (sentence) } })
}

/// Whom the sign-in is for, and the button that begins it.
pub(super) fn begin(principal: &str, sign_in: &SignIn, form: &str) -> Markup {
    let (principal, server) = (one_line(principal), one_line(sign_in.server()));
    page(
        &format!("Sign in to {server}"),
        None,
        &html! {
            dl {
                dt { "For" } dd { strong { bdi { (principal) } } }
                dt { "To" } dd { bdi { (server) } ", " bdi { (sign_in.resource().origin().ascii_serialization()) } }
            }
            p {
                "Scripts of " strong { bdi { (principal) } }
                " will use the account that you sign in with. "
                "If you are not " strong { bdi { (principal) } }
                ", close this page: you would give somebody else your account."
            }
            form method="post" {
                input type="hidden" name="form" value=(form);
                button { "I am " bdi { (principal) } ", sign in" }
            }
        },
    )
}

/// The way to the authorization server: the browser takes it by itself.
pub(super) fn onward(address: &Url) -> Markup {
    let origin = address.origin().ascii_serialization();
    page(
        "Sign in",
        Some(address),
        &html! { p { a href=(address) rel="noreferrer" { "Continue to " (origin) } } },
    )
}

/// Who is signed in now, where, and as whom.
pub(super) fn done(principal: &str, server: &str, status: &SignInStatus) -> Markup {
    let account = status.who.as_deref().map(one_line);
    page(
        "Signed in",
        None,
        &html! {
            dl {
                dt { "For" } dd { strong { bdi { (one_line(principal)) } } }
                dt { "To" } dd { bdi { (one_line(server)) } }
                @if let Some(account) = account { dt { "Account" } dd { bdi { (account) } } }
                dt { "By" } dd { bdi { (one_line(&status.issuer)) } }
            }
            p role="status" { "This page can be closed. What waited for the sign-in continues by itself." }
        },
    )
}
