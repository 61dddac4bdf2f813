//! A request for a page: who looks, the frame around the content, and what is shown when something
//! goes wrong.

use std::convert::Infallible;
use std::time::Instant;

use axum::extract::{FromRequestParts, Query};
use axum::response::{Html, IntoResponse, Redirect, Response};
use http::request::Parts;
use http::{StatusCode, Uri};
use maud::html;
use serde::de::DeserializeOwned;

use super::layout::{Content, Frame, Section};
use super::parts;
use crate::access::{Credential, Visitor};
use crate::model::Viewer;
use crate::{Console, ConsoleError};

/// The header with which a live page asks for itself again. It may be shown what another page of the same
/// viewer was shown, as long as that has the change of which the page was told.
const AGAIN: &str = "x-ampoule-again";

/// A request for a page.
pub(super) struct Visit {
    /// What answers.
    pub(super) console: Console,
    /// Who looks.
    pub(super) viewer: Viewer,
    /// The frame around the content.
    pub(super) frame: Frame,
    /// What let them in.
    pub(super) credential: Credential,
    /// Since when what is shown must say how things stand.
    pub(super) since: Instant,
    uri: Uri,
}

impl FromRequestParts<Console> for Visit {
    type Rejection = StatusCode;

    async fn from_request_parts(parts: &mut Parts, console: &Console) -> Result<Self, StatusCode> {
        let visitor = parts.extensions.get::<Visitor>().cloned();
        // The layer lets nobody in without one.
        let visitor = visitor.ok_or(StatusCode::UNAUTHORIZED)?;
        let since = match parts.headers.contains_key(AGAIN) {
            true => console.fingerprint(&visitor.viewer).await.ok(),
            false => None,
        };
        let since = since.map_or_else(Instant::now, |found| found.since);
        Ok(Self {
            console: console.clone(),
            frame: Frame {
                me: console.me(&visitor.viewer),
                csrf: visitor.csrf,
                waiting: console.waiting_since(&visitor.viewer, since).await,
            },
            viewer: visitor.viewer,
            credential: visitor.credential,
            since,
            uri: parts.uri.clone(),
        })
    }
}

impl Visit {
    /// The page with this content, or with what went wrong.
    pub(super) fn show(
        &self,
        section: Section,
        content: Result<Content, ConsoleError>,
    ) -> Response {
        match content {
            Ok(content) => Html(self.frame.page(&content).into_string()).into_response(),
            Err(problem) => self.problem(section, &problem),
        }
    }

    /// The page that says what went wrong, with its status.
    pub(super) fn problem(&self, section: Section, problem: &ConsoleError) -> Response {
        let status = problem.status();
        let title = match problem {
            ConsoleError::NotFound(_) => "Not found",
            ConsoleError::NotSetUp(_) => "Not set up",
            ConsoleError::OperatorsOnly => "Only for operators",
            ConsoleError::Withheld => "Withheld",
            ConsoleError::Host(_) => "The host failed",
            _ => "This can't be done",
        };
        let body = html! {
            (parts::head(&html! { (title) }, None, &html! {}))
            (parts::notice("bad", &html! { div role="alert" { (parts::lines(&problem.to_string())) } }))
            @if self.uri.path() != section.address() { p { a href=(section.address()) { "Go to “" (section.name()) "”" } } }
        };
        let content = Content {
            section,
            title: title.to_owned(),
            body,
            news: None,
        };
        (status, Html(self.frame.page(&content).into_string())).into_response()
    }

    /// Leads the browser to another page, or says what went wrong.
    pub(super) fn go(&self, section: Section, to: Result<String, ConsoleError>) -> Response {
        match to {
            Ok(address) => Redirect::to(&address).into_response(),
            Err(problem) => self.problem(section, &problem),
        }
    }

    /// The query of the address. What can't be read counts as absent.
    pub(super) fn query<T: DeserializeOwned + Default>(&self) -> T {
        let query = Query::<T>::try_from_uri(&self.uri);
        query.map(|Query(query)| query).unwrap_or_default()
    }
}

/// The fields of a form.
pub(super) struct Fields(Vec<(String, String)>);

impl<S: Send + Sync> axum::extract::FromRequest<S> for Fields {
    type Rejection = Infallible;

    async fn from_request(request: axum::extract::Request, state: &S) -> Result<Self, Infallible> {
        let fields = axum::extract::Form::<Vec<(String, String)>>::from_request(request, state);
        Ok(Self(fields.await.map(|form| form.0).unwrap_or_default()))
    }
}

impl Fields {
    /// These fields.
    #[cfg(test)]
    pub(super) fn of(fields: Vec<(String, String)>) -> Self {
        Self(fields)
    }

    /// A field's text, or nothing where it is absent or empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(key, _)| key == name);
        found
            .map(|(_, value)| value.as_str())
            .filter(|it| !it.is_empty())
    }

    /// A field's text with the ends of lines that scripts have: browsers send `\r\n`.
    pub(super) fn code(&self, name: &str) -> Option<String> {
        self.get(name).map(|code| code.replace("\r\n", "\n"))
    }

    /// The texts of all fields of a name.
    pub(super) fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        let found = self.0.iter().filter(move |(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The fields whose names begin with this: the rest of the name, and the text.
    pub(super) fn beneath<'f>(
        &'f self,
        prefix: &'f str,
    ) -> impl Iterator<Item = (&'f str, &'f str)> {
        let fields = self.0.iter();
        fields.filter_map(move |(key, value)| Some((key.strip_prefix(prefix)?, value.as_str())))
    }
}
