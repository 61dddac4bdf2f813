//! Says when a list has changed, as server-sent events: the page then asks for itself again. The
//! events have no content: the page itself has the news.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use futures::stream::{Stream, unfold};

use super::layout::Section;
use super::visit::Visit;
use crate::Console;
use crate::model::Viewer;

/// How often is looked.
const EVERY: Duration = Duration::from_secs(2);

/// The stream of one page.
pub(super) async fn events(visit: Visit) -> Response {
    let place = match visit.console.streams().open(&visit.viewer) {
        Ok(place) => place,
        Err(problem) => return visit.problem(Section::Runs, &problem),
    };
    let (console, viewer) = (visit.console.clone(), visit.viewer.clone());
    let credential = visit.credential;
    let over = async move { console.browsers().until_over(credential, viewer).await };
    let watch = Watch {
        console: visit.console,
        viewer: visit.viewer,
        seen: None,
        _place: place,
    };
    let alive = KeepAlive::new().interval(Duration::from_secs(20));
    let changes = changes(watch).take_until(Box::pin(over));
    Sse::new(changes).keep_alive(alive).into_response()
}

/// What is watched for one page.
struct Watch<P> {
    console: Console,
    viewer: Viewer,
    /// The fingerprint of what was there last.
    seen: Option<u64>,
    /// One of so many streams, as long as this lives.
    _place: P,
}

fn changes<P: Send>(watch: Watch<P>) -> impl Stream<Item = Result<Event, Infallible>> {
    unfold(watch, async |mut watch| {
        loop {
            // One that can't be looked at is looked at again.
            if let Ok(found) = watch.console.fingerprint(&watch.viewer).await {
                let now = found.hash;
                let before = watch.seen.replace(now);
                if before.is_some_and(|before| before != now) {
                    return Some((Ok(Event::default().event("changed").data("1")), watch));
                }
            }
            tokio::time::sleep(EVERY).await;
        }
    })
}
