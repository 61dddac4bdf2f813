//! Says when a list has changed, as server-sent events: the page then asks for itself again. The
//! events have no content, so nothing is told here that the page would not tell.

use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::stream::{Stream, unfold};

use super::layout::Section;
use super::visit::Visit;
use crate::model::{PageQuery, RunFilter, Viewer};
use crate::{Console, ConsoleError};

/// How often is looked.
const EVERY: Duration = Duration::from_secs(2);
/// How many of the newest runs are looked at.
const NEWEST: usize = 50;

/// The stream of one page.
pub(super) async fn events(visit: Visit) -> Response {
    let place = match visit.console.streams().open(&visit.viewer) {
        Ok(place) => place,
        Err(problem) => return visit.problem(Section::Runs, &problem),
    };
    let watch = Watch {
        console: visit.console,
        viewer: visit.viewer,
        seen: None,
        _place: place,
    };
    let alive = KeepAlive::new().interval(Duration::from_secs(20));
    Sse::new(changes(watch)).keep_alive(alive).into_response()
}

/// What is watched for one page.
struct Watch<P> {
    console: Console,
    viewer: Viewer,
    /// A hash of what was seen last.
    seen: Option<u64>,
    /// One of so many streams, as long as this lives.
    _place: P,
}

fn changes<P: Send>(watch: Watch<P>) -> impl Stream<Item = Result<Event, Infallible>> {
    unfold(watch, async |mut watch| {
        loop {
            // One that can't be looked at is looked at again.
            if let Ok(now) = look(&watch.console, &watch.viewer).await {
                let before = watch.seen.replace(now);
                if before.is_some_and(|before| before != now) {
                    return Some((Ok(Event::default().event("changed").data("1")), watch));
                }
            }
            tokio::time::sleep(EVERY).await;
        }
    })
}

/// A hash of the newest runs, the approvals and the servers.
async fn look(console: &Console, viewer: &Viewer) -> Result<u64, ConsoleError> {
    let part = PageQuery {
        cursor: None,
        limit: Some(NEWEST),
    };
    let runs = console.runs(viewer, &RunFilter::default(), &part).await?;
    let mut hasher = DefaultHasher::new();
    for run in &runs.items {
        (&run.run, &run.state, run.calls, &run.asks).hash(&mut hasher);
    }
    if let Ok(waiting) = console.approvals(viewer, false, &part).await {
        for row in &waiting.items {
            (&row.id, row.state as u8).hash(&mut hasher);
        }
    }
    if let Ok(servers) = console.servers(viewer, &part).await {
        for server in &servers.items {
            (&server.name, &server.state, server.tools).hash(&mut hasher);
        }
    }
    Ok(hasher.finish())
}
