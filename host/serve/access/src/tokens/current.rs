//! The list of tokens as it is now: read anew when it changes, and kept where the new one is wrong.

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use ampoule_tools::Principal;
use parking_lot::RwLock;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::Instant;

use super::list::{List, TokenLookup};
use super::source::{Source, SourceContent, Stamp};
use crate::AccessError;

/// The tokens that the operator gave out. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Tokens(Arc<Inner>);

struct Inner {
    source: Source,
    list: RwLock<Arc<List>>,
    turn: Arc<Mutex<Turn>>,
}

/// Who has it looks whether the list has changed; the others continue with the one that is there.
struct Turn {
    next: Instant,
    seen: Option<Stamp>,
    /// What was last said to be wrong: it is said once.
    wrong: Option<String>,
}

impl Tokens {
    /// # Errors
    ///
    /// The list can't be read, or is wrong.
    pub(crate) async fn open(source: Source) -> Result<Self, AccessError> {
        let wrong = |why: String| AccessError::new(format!("{}: {why}", source.shown()));
        let (list, seen) = match source.read(None).await.map_err(wrong)? {
            SourceContent::Text(text, seen) => (List::read(&text).map_err(wrong)?, seen),
            SourceContent::Same => return Err(wrong("it can't be read".to_owned())),
        };
        if list.len() == 0 {
            tracing::warn!(
                source = source.shown(),
                "there are no tokens, so nobody has one; `ampoule auth token add NAME` makes one"
            );
        }
        let turn = Turn {
            next: Instant::now() + source.pause(),
            seen,
            wrong: None,
        };
        Ok(Self(Arc::new(Inner {
            source,
            list: RwLock::new(Arc::new(list)),
            turn: Arc::new(Mutex::new(turn)),
        })))
    }

    /// Whose token this is.
    pub(crate) async fn find(&self, token: &str) -> TokenLookup {
        self.look().await;
        let list = Arc::clone(&self.0.list.read());
        list.find(token, SystemTime::now())
    }

    /// Whether somebody has a token, be it one that has ended, who is called that.
    pub(crate) fn has_owner(&self, principal: &Principal) -> bool {
        self.0.list.read().has_owner(principal)
    }

    /// Looks whether the list has changed, if that is due. A file is waited for; a command, which
    /// may take its time, is not. Whoever asks may go away meanwhile.
    async fn look(&self) {
        let Ok(mut turn) = Arc::clone(&self.0.turn).try_lock_owned() else {
            return;
        };
        if Instant::now() < turn.next {
            return;
        }
        turn.next = Instant::now() + self.0.source.pause();
        let looking = tokio::spawn(self.clone().look_now(turn));
        if matches!(self.0.source, Source::File(_)) {
            // It fails where the host stops, and then nobody is admitted anyway.
            let _ = looking.await;
        }
    }

    async fn look_now(self, mut turn: OwnedMutexGuard<Turn>) {
        let read = match self.0.source.read(turn.seen).await {
            Ok(SourceContent::Same) => return,
            Ok(SourceContent::Text(text, seen)) => {
                turn.seen = seen;
                // A long list takes milliseconds, which others need not wait for.
                let reading = tokio::task::spawn_blocking(move || List::read(&text));
                reading.await.unwrap_or_else(|error| Err(error.to_string()))
            }
            Err(why) => {
                turn.seen = None;
                Err(why)
            }
        };
        // From when it ended: a command that takes long is not run all the time.
        turn.next = Instant::now() + self.0.source.pause();
        match read {
            Ok(list) => {
                *self.0.list.write() = Arc::new(list);
                turn.wrong = None;
            }
            Err(why) if turn.wrong.as_ref() == Some(&why) => {}
            Err(why) => {
                tracing::warn!(
                    source = self.0.source.shown(),
                    why,
                    "the list of tokens can't be used; the one that was read before stays in use. An empty list takes all tokens back"
                );
                turn.wrong = Some(why);
            }
        }
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens")
            .field("count", &self.0.list.read().len())
            .finish_non_exhaustive()
    }
}
