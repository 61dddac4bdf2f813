//! Since 2026-07-28, servers only report changes to those who asked, for as long as that request is
//! not answered.

use std::collections::HashSet;
use std::future::pending;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ampoule_mcp::envelope::RequestId;
use ampoule_tools::Abilities;
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep, timeout};

use super::backoff::Backoff;
use super::greeting::Tells;
use super::handshake::Era;
use super::pending::{Answer, Fault};
use super::watch::{Acknowledgment, List};
use super::wire::{Request, Wire};

/// A subscription that lasted this long was a good one.
const LASTING: Duration = Duration::from_secs(10);

/// How long a server may take to say what it will tell. One that says nothing tells what it was
/// asked to, until it says otherwise.
const ACKNOWLEDGED: Duration = Duration::from_secs(5);

/// How large the answer may be, in bytes: what it says is only of interest where the server refuses.
const ANSWER_BYTES: u64 = 64 << 10;

/// What is asked for: the lists that the server tells of, and the resources that somebody wants to
/// hear of.
struct Filter {
    lists: Tells,
    resources: Vec<Arc<str>>,
}

/// Why a request for changes is over.
enum Step {
    /// Other resources are wanted.
    Other,
    Answered(Result<Answer, Fault>),
}

impl Filter {
    fn of(wire: &Wire, lists: Tells) -> Self {
        let resources = match lists.updates {
            true => wire.watch.addresses(),
            false => Vec::new(),
        };
        Self { lists, resources }
    }

    fn is_empty(&self) -> bool {
        let Tells {
            tools,
            prompts,
            resources,
            ..
        } = self.lists;
        !(tools || prompts || resources) && self.resources.is_empty()
    }

    fn params(&self, wire: &Wire) -> Map<String, Value> {
        let lists = [
            ("toolsListChanged", self.lists.tools),
            ("promptsListChanged", self.lists.prompts),
            ("resourcesListChanged", self.lists.resources),
        ];
        let lists = lists.into_iter().filter(|(_, told)| *told);
        let mut filter: Map<_, _> = lists
            .map(|(name, _)| (name.to_owned(), json!(true)))
            .collect();
        if !self.resources.is_empty() {
            let addresses = self.resources.iter().map(|address| json!(**address));
            filter.insert("resourceSubscriptions".to_owned(), addresses.collect());
        }
        let mut params = Map::from_iter([("notifications".to_owned(), filter.into())]);
        let capabilities = || wire.client.capabilities_of(Abilities::default());
        let meta: Option<Value> = Era::Stateless.meta(capabilities);
        params.extend(meta.map(|meta| ("_meta".to_owned(), meta)));
        params
    }

    /// Notes what the server says that it will tell. Where it did not report anything for a while,
    /// resources may have changed meanwhile.
    async fn acknowledged(&self, wire: &Wire, request: RequestId, after_a_while: bool) {
        let mut said = wire.acknowledged.subscribe();
        let is_it = |said: &Option<Acknowledgment>| {
            let said = said.as_ref();
            said.is_some_and(|said| said.request == request)
        };
        let said = timeout(ACKNOWLEDGED, said.wait_for(is_it)).await;
        let told: Option<HashSet<String>> = match said {
            Ok(Ok(said)) => said
                .as_ref()
                .map(|said| said.resources.iter().cloned().collect()),
            _ => None,
        };
        let does_not = format!("MCP server `{}` does not report changes to it", wire.server);
        for address in &self.resources {
            match &told {
                Some(told) if !told.contains(&**address) => {
                    wire.watch.is_refused(address, &does_not);
                }
                _ if after_a_while => wire.watch.is_told_again(address),
                _ => wire.watch.is_told(address),
            }
        }
    }

    /// The server refuses to report anything.
    fn refused(&self, wire: &Wire, why: &str) {
        let server = &wire.server;
        tracing::debug!(%server, why, "the server does not report changes");
        let why = format!("MCP server `{server}` does not report changes to it: {why}");
        for address in &self.resources {
            wire.watch.is_refused(address, &why);
        }
    }

    /// What changes until the next request is not told.
    fn missed(&self, wire: &Wire) {
        wire.changes.fetch_add(1, Ordering::Release);
        for (list, is_told) in [
            (List::Tools, self.lists.tools),
            (List::Prompts, self.lists.prompts),
            (List::Resources, self.lists.resources),
        ] {
            if is_told {
                wire.watch.changed(list);
            }
        }
    }
}

/// Listens for changes for as long as the connection lasts. A server may end a subscription in
/// between: it is asked again, less and less often. Where other resources are wanted, the server is
/// asked for those, and the earlier request ends once the server has answered the later one, so that
/// nothing is missed in between.
pub(super) async fn listen(wire: Arc<Wire>, lists: Tells) {
    let mut wanted = wire.watch.wanted();
    let mut backoff = Backoff::default();
    let mut earlier: Option<Request<'_>> = None;
    loop {
        wanted.borrow_and_update();
        let filter = Filter::of(&wire, lists);
        if filter.is_empty() {
            drop(earlier.take());
            tokio::select! {
                _ = wanted.changed() => continue,
                () = wire.ended() => return,
            }
        }
        let began = Instant::now();
        let Ok(mut sent) =
            wire.request("subscriptions/listen", &filter.params(&wire), ANSWER_BYTES)
        else {
            return;
        };
        let step = {
            let (id, after_a_while) = (sent.id(), earlier.is_none());
            let mut said = pin!(filter.acknowledged(&wire, id, after_a_while));
            let mut has_said = false;
            loop {
                tokio::select! {
                    answer = sent.answer() => break Step::Answered(answer),
                    () = &mut said, if !has_said => {
                        has_said = true;
                        drop(earlier.take());
                    }
                    _ = wanted.changed(), if has_said && lists.updates => break Step::Other,
                }
            }
        };
        let pause = match step {
            Step::Other => {
                earlier = Some(sent);
                continue;
            }
            Step::Answered(Err(_)) => return,
            Step::Answered(Ok(Answer::Refused(refusal))) => {
                filter.refused(&wire, &refusal.text);
                None
            }
            Step::Answered(Ok(_)) => {
                filter.missed(&wire);
                if began.elapsed() >= LASTING {
                    backoff.reset();
                }
                Some(backoff.fail())
            }
        };
        drop((sent, earlier.take()));
        let paused = async {
            match pause {
                Some(pause) => sleep(pause).await,
                None => pending().await,
            }
        };
        tokio::select! {
            () = paused => {}
            _ = wanted.changed(), if lists.updates && pause.is_none() => {}
            () = wire.ended() => return,
        }
    }
}
