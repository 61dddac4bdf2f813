//! Which forms of an answer a client takes. MCP asks clients to take both forms; many send `*/*`,
//! one form alone, or nothing. Each gets the answer in a form that it takes.

use axum::body::{Body, to_bytes};
use axum::response::{IntoResponse, Response};
use http::header::{self, HeaderMap, HeaderValue};
use http::{Request, StatusCode};

use super::refusal::HttpRefusal;

/// What Ampoule asks of `rmcp`, which answers in the form that suits the request.
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";

/// The forms that a client takes; at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AcceptedForms {
    json: bool,
    events: bool,
}

impl AcceptedForms {
    /// Those that MCP asks for.
    pub(super) const BOTH: Self = Self {
        json: true,
        events: true,
    };

    /// Reads the client's headers, and changes them to accept both forms.
    pub(super) fn asked<B>(request: &mut Request<B>) -> Result<Self, HttpRefusal> {
        let takes = Self::of(request.headers()).ok_or_else(|| {
            let said = "answers are `application/json` or `text/event-stream`; name at least one of them in `Accept`";
            HttpRefusal::plain(StatusCode::NOT_ACCEPTABLE, said)
        })?;
        request.headers_mut().insert(header::ACCEPT, BOTH);
        Ok(takes)
    }

    fn of(headers: &HeaderMap) -> Option<Self> {
        let values = headers.get_all(header::ACCEPT).iter();
        let ranges: Vec<&str> = values
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .filter_map(taken)
            .collect();
        let is_blank = |value: &HeaderValue| value.as_bytes().trim_ascii().is_empty();
        if headers.get_all(header::ACCEPT).iter().all(is_blank) {
            return Some(Self::BOTH);
        }
        let any = |form: &str, family: &str| {
            let mut ranges = ranges.iter();
            ranges.any(|range| {
                [form, family, "*/*"]
                    .iter()
                    .any(|it| range.eq_ignore_ascii_case(it))
            })
        };
        let takes = Self {
            json: any(JSON, "application/*"),
            events: any(EVENTS, "text/*"),
        };
        (takes.json || takes.events).then_some(takes)
    }

    /// Whether the client takes a stream of events.
    pub(super) fn takes_events(self) -> bool {
        self.events
    }

    /// An answer in a form that the client takes. A client that takes no events gets the last
    /// message of the answer; earlier messages are dropped.
    pub(super) async fn fitted(self, response: Response) -> Response {
        let kind = response.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let is = |form: &str| kind.starts_with(form);
        match (is(JSON), is(EVENTS)) {
            (_, true) if !self.events => last_of(response).await,
            (true, _) if !self.json => as_event(response).await,
            _ => response,
        }
    }
}

/// A range of `Accept`, unless its weight excludes it.
fn taken(range: &str) -> Option<&str> {
    let mut parts = range.split(';').map(str::trim);
    let form = parts.next().filter(|form| !form.is_empty())?;
    let excluded = parts.any(|part| {
        let weight = part.strip_prefix("q=").or(part.strip_prefix("Q="));
        weight.and_then(|it| it.trim().parse::<f64>().ok()) == Some(0.0)
    });
    (!excluded).then_some(form)
}

/// The whole body. How long it is, is bounded by what made it.
async fn whole(body: Body) -> Result<String, Response> {
    let bytes = to_bytes(body, usize::MAX).await;
    let text = bytes.ok().and_then(|it| String::from_utf8(it.into()).ok());
    text.ok_or_else(|| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

async fn last_of(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let text = match whole(body).await {
        Ok(text) => text,
        Err(failed) => return failed,
    };
    let data = text.lines().filter_map(|line| line.strip_prefix("data:"));
    let last = data.map(str::trim).rfind(|data| !data.is_empty());
    let last = last.unwrap_or_default().to_owned();
    if last.is_empty() {
        // The client cancelled the request, so the request has no answer.
        parts.status = StatusCode::NO_CONTENT;
    }
    parts
        .headers
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(last))
}

async fn as_event(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    let text = match whole(body).await {
        Ok(text) => text,
        Err(failed) => return failed,
    };
    parts
        .headers
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(EVENTS));
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(format!("data: {text}\n\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(accept: &[&str]) -> Option<(bool, bool)> {
        let mut headers = HeaderMap::new();
        for value in accept {
            headers.append(header::ACCEPT, value.parse().unwrap());
        }
        AcceptedForms::of(&headers).map(|takes| (takes.json, takes.events))
    }

    #[test]
    fn clients_say_in_many_ways_what_they_take() {
        for (accept, expected) in [
            (&[][..], Some((true, true))),
            (&["*/*"], Some((true, true))),
            (&["application/json"], Some((true, false))),
            (&["text/event-stream"], Some((false, true))),
            (&["application/*, text/*"], Some((true, true))),
            (&["Application/JSON; charset=utf-8"], Some((true, false))),
            (
                &["application/json", "text/event-stream"],
                Some((true, true)),
            ),
            (
                &["text/event-stream;q=0.5, application/json;q=0.9, */*;q=0.1"],
                Some((true, true)),
            ),
            (
                &["application/json, text/event-stream;q=0"],
                Some((true, false)),
            ),
            (&["text/html"], None),
            (&["application/json;q=0.0"], None),
            (&[""], Some((true, true))),
        ] {
            assert_eq!(takes(accept), expected, "{accept:?}");
        }
    }
}
