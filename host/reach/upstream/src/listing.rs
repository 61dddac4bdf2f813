//! A server's list of tools: asked for page by page, kept, and asked for again when the server says
//! that it changed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ampoule_projection::{ObservedShape, Tool};
use parking_lot::RwLock;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::attempt::Retry;
use super::connection::Connection;
use super::freshness::Freshness;
use super::mirrored::{self, Argument, MirroredArguments};
use super::offload;
use super::page::{LIST_MIB, ToolList};
use super::supervise::Supervisor;
use super::wire::ListChanges;

/// Servers report several changes at once, and right after starting: they are asked again at most
/// this often.
const BETWEEN: Duration = Duration::from_millis(200);

/// The tools of one server, as far as they are known.
#[derive(Debug)]
pub(super) struct Listing {
    known: RwLock<State>,
    /// When the server was last asked. Whoever asks holds the lock.
    asked: Mutex<Option<Instant>>,
    changes: ListChanges,
    timeout: Duration,
}

#[derive(Debug, Default)]
struct State {
    tools: Option<Arc<[Tool]>>,
    problems: Arc<[String]>,
    /// Those that may be called again where it is not known whether a call was carried out.
    repeatable: Arc<HashSet<String>>,
    mirrored: Arc<MirroredArguments>,
    /// How many changes the server had told of when it was asked.
    as_of: Option<u64>,
    /// Until when they hold, if not until it reports a change.
    until: Option<Instant>,
}

/// What a call needs to know.
#[derive(Debug)]
pub(super) struct CallTerms {
    pub(super) is_current: bool,
    /// Whether that tool may be called again.
    pub(super) retry: Retry,
    /// Those of its arguments that HTTP's headers repeat.
    pub(super) mirrored: Option<Arc<[Argument]>>,
}

impl CallTerms {
    pub(super) fn mirrored(&self) -> &[Argument] {
        self.mirrored.as_deref().unwrap_or_default()
    }

    /// The same for what is not a tool: nothing is done by these.
    pub(super) fn of_inquiry(known: Self) -> Self {
        Self {
            retry: Retry::Yes,
            mirrored: None,
            ..known
        }
    }
}

impl Listing {
    /// `remembered` are the tools of an earlier process.
    pub(super) fn new(
        remembered: Option<Arc<[Tool]>>,
        changes: ListChanges,
        timeout: Duration,
    ) -> Self {
        let known = State {
            repeatable: remembered.as_deref().map(repeatable).unwrap_or_default(),
            mirrored: Arc::new(remembered.as_deref().map(mirrored::of).unwrap_or_default()),
            tools: remembered,
            ..State::default()
        };
        Self {
            known: RwLock::new(known),
            asked: Mutex::new(None),
            changes,
            timeout,
        }
    }

    /// The tools, if they are known, however old.
    pub(super) fn known(&self) -> Option<Arc<[Tool]>> {
        self.known.read().tools.clone()
    }

    /// The tools, if nothing that is newer can be known.
    pub(super) fn current(&self) -> Option<Arc<[Tool]>> {
        let known = self.known.read();
        let tools = known.tools.as_ref();
        tools.filter(|_| self.is_current(&known)).cloned()
    }

    fn is_current(&self, known: &State) -> bool {
        known.as_of == Some(self.changes.load(Ordering::Acquire))
            && known.until.is_none_or(|until| Instant::now() < until)
    }

    /// What a call of that tool needs to know.
    pub(super) fn call_terms(&self, tool: &str) -> CallTerms {
        let known = self.known.read();
        let retry = match known.repeatable.contains(tool) {
            true => Retry::Yes,
            false => Retry::No,
        };
        CallTerms {
            is_current: known.tools.is_some() && self.is_current(&known),
            retry,
            mirrored: known.mirrored.get(tool).cloned(),
        }
    }

    /// Whether the server has told of changes since it was last asked.
    pub(super) fn has_changed(&self) -> bool {
        self.known.read().as_of != Some(self.changes.load(Ordering::Acquire))
    }

    /// Notes that the list may be an old one, whatever the server told of.
    pub(super) fn doubt(&self) {
        self.known.write().as_of = None;
    }

    /// What was wrong with the list.
    pub(super) fn problems(&self) -> Arc<[String]> {
        Arc::clone(&self.known.read().problems)
    }

    /// Asks the server, unless someone else just did. Tells `keep` of the new tools.
    pub(super) async fn ask(
        &self,
        supervisor: &Arc<Supervisor>,
        keep: impl FnOnce(&Connection, &Arc<[Tool]>, Freshness),
    ) -> Result<Arc<[Tool]>, String> {
        let mut asked = self.asked.lock().await;
        if let Some(tools) = self.current() {
            return Ok(tools);
        }
        if let Some(at) = *asked {
            tokio::time::sleep_until(at + BETWEEN).await;
        }
        let connection = supervisor
            .connection()
            .await
            .map_err(|error| error.to_string())?;
        *asked = Some(Instant::now());
        let as_of = Some(self.changes.load(Ordering::Acquire));
        let listed = tokio::time::timeout(self.timeout, list(&connection))
            .await
            .unwrap_or_else(|_| {
                Err(format!(
                    "MCP server `{}` did not list its tools within {}",
                    supervisor.name(),
                    humantime::format_duration(self.timeout)
                ))
            });
        let listed = match listed {
            Ok(found) => Ok(self.prepared(found, connection.repeats_arguments()).await),
            Err(error) => Err(error),
        };
        let mut known = self.known.write();
        // A server that fails to list its tools keeps those that it had, and is not asked again
        // before something changes.
        known.as_of = as_of;
        known.until = None;
        let Preparation {
            tools,
            repeatable,
            mirrored,
            problems,
            freshness,
        } = listed?;
        let lasts = freshness.lasts(connection.tells.tools);
        *known = State {
            tools: Some(Arc::clone(&tools)),
            problems,
            repeatable,
            mirrored,
            as_of,
            until: lasts.map(|lasts| Instant::now() + lasts),
        };
        drop(known);
        keep(&connection, &tools, freshness);
        Ok(tools)
    }

    /// What is kept of a list that was read. Where it says the same as before, it stays the one that
    /// it was, with all that was made of it.
    async fn prepared(&self, mut found: ToolList, repeats_arguments: bool) -> Preparation {
        let before = self.known();
        offload::read(found.bytes(), move || {
            let mirrored = match repeats_arguments {
                true => found.keep_mirrored(),
                false => MirroredArguments::default(),
            };
            let mut tools = found.tools;
            let tools = match before {
                Some(before) if *before == *tools => before,
                before => {
                    carry_over(before.as_deref().unwrap_or_default(), &mut tools);
                    tools.into()
                }
            };
            Preparation {
                repeatable: repeatable(&tools),
                mirrored: Arc::new(mirrored),
                tools,
                problems: found.problems.into(),
                freshness: found.freshness,
            }
        })
        .await
    }
}

/// A list as it is kept.
struct Preparation {
    tools: Arc<[Tool]>,
    repeatable: Arc<HashSet<String>>,
    mirrored: Arc<MirroredArguments>,
    problems: Arc<[String]>,
    freshness: Freshness,
}

/// Gives tools what was seen of their results when they were on the list before.
fn carry_over(before: &[Tool], tools: &mut [Tool]) {
    let seen: HashMap<&str, &ObservedShape> = before
        .iter()
        .map(|tool| (tool.name.as_str(), &tool.seen))
        .collect();
    for tool in tools {
        if let Some(&seen) = seen.get(tool.name.as_str()) {
            tool.seen = seen.clone();
        }
    }
}

/// The names of tools that change nothing, or nothing more when they are called again, as their
/// server says.
fn repeatable(tools: &[Tool]) -> Arc<HashSet<String>> {
    let repeatable = tools.iter().filter(|tool| {
        let hints = &tool.annotations;
        hints.read_only == Some(true) || hints.idempotent == Some(true)
    });
    Arc::new(repeatable.map(|tool| tool.name.clone()).collect())
}

/// Reads all pages.
async fn list(connection: &Connection) -> Result<ToolList, String> {
    let mut found = ToolList::default();
    let mut cursors = HashSet::new();
    let mut cursor = None;
    for number in 1.. {
        let page = match connection.page(cursor.take()).await {
            Ok(Some(page)) => page,
            Ok(None) => return Ok(found),
            Err(error) if number == 1 => return Err(error),
            Err(error) => {
                found.problem(format!("page {number} of the list of tools: {error}"));
                return Ok(found);
            }
        };
        if !found.has_room_for_page(page.get().len()) {
            found.problem(format!(
                "the list of tools is larger than {LIST_MIB} MiB; page {number} and the rest is left out"
            ));
            return Ok(found);
        }
        let next;
        (found, next) = offload::read(page.get().len(), move || {
            let next = found.read(&page);
            (found, next)
        })
        .await;
        match next {
            Err(why) if number == 1 => return Err(connection.sentence(&why)),
            Err(why) => found.problem(connection.sentence(&format!("on page {number} {why}"))),
            Ok(_) if found.is_full() => {}
            Ok(Some(next)) if cursors.insert(next.clone()) => {
                cursor = Some(next);
                continue;
            }
            Ok(Some(_)) => found.problem(format!(
                "page {number} of the list of tools leads back to an earlier page"
            )),
            Ok(None) => {}
        }
        break;
    }
    Ok(found)
}
