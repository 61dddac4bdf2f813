//! The tools as the server has them now: asked for once for all who want them at the same time.

use std::sync::Arc;

use ampoule_projection::Tool;
use ampoule_tools::BindingError;
use futures::FutureExt;
use futures::future::{BoxFuture, Shared};

use super::cache::CacheEntry;
use super::connection::Connection;
use super::freshness::Freshness;
use super::greeting::Offers;
use super::offers;
use super::upstream::Inner;

pub(super) type Asking = Shared<BoxFuture<'static, Result<Arc<[Tool]>, BindingError>>>;

impl Inner {
    /// The tools as the server has them now. The server is started for that, and asked, in a task
    /// of its own: both continue when the last caller has stopped waiting.
    pub(super) async fn list(self: &Arc<Self>) -> Result<Arc<[Tool]>, BindingError> {
        let tools = self.asking().await?;
        match self.listing.current() {
            Some(tools) => Ok(tools),
            // They changed after they were asked for, which may have been before this was wanted.
            None if self.listing.has_changed() => self.asking().await,
            None => Ok(tools),
        }
    }

    /// The answer of the server that is being asked. All who want it at the same time get the same.
    pub(super) fn asking(self: &Arc<Self>) -> Asking {
        let mut asking = self.asking.lock();
        match &*asking {
            Some(asking) if asking.peek().is_none() => return asking.clone(),
            _ => {}
        }
        let inner = Arc::clone(self);
        let task = self.tasks.spawn(async move {
            let asked = inner.stop.run_until_cancelled(inner.ask()).await;
            // Callers who want the list from now on want a later one.
            *inner.asking.lock() = None;
            asked.unwrap_or_else(|| Err(inner.stopped()))
        });
        let inner = Arc::downgrade(self);
        let answer = async move {
            task.await.unwrap_or_else(|_| {
                let message = "the runtime is ending".to_owned();
                Err(inner
                    .upgrade()
                    .map_or(BindingError { message }, |it| it.stopped()))
            })
        };
        asking.insert(answer.boxed().shared()).clone()
    }

    fn stopped(&self) -> BindingError {
        BindingError {
            message: format!("MCP server `{}` was stopped", self.name),
        }
    }

    /// Notes what the server has besides tools. The list stays the same where nothing changed: what
    /// is made of it is kept.
    fn offer(&self, offers: Offers) {
        let tools = offers::tools(offers);
        let mut offered = self.offered.write();
        if *offered != tools {
            *offered = tools;
        }
    }

    /// Asks the server for its tools.
    async fn ask(&self) -> Result<Arc<[Tool]>, BindingError> {
        let keep = |connection: &Connection, tools: &Arc<[Tool]>, freshness: Freshness| {
            let introduction = connection.introduction.clone();
            self.introduction.write().clone_from(&introduction);
            self.offer(connection.offers);
            for problem in self.listing.problems().iter() {
                tracing::warn!(server = %self.name, "{problem}");
            }
            if let Some(cache) = self.cache.clone() {
                let tools = cache.takes(freshness).then(|| Arc::clone(tools));
                let (name, remembered) = (
                    Arc::clone(&self.name),
                    CacheEntry::new(connection.era, introduction, connection.offers, tools),
                );
                self.tasks.spawn_blocking(move || {
                    if let Err(error) = cache.save(&remembered) {
                        tracing::warn!(server = %name, %error, "the list of tools can't be kept");
                    }
                });
            }
        };
        self.listing
            .ask(&self.supervisor, keep)
            .await
            .map_err(|message| BindingError { message })
    }

    pub(super) async fn tools(self: &Arc<Self>) -> Result<Arc<[Tool]>, BindingError> {
        if let Some(tools) = self.listing.current() {
            return Ok(tools);
        }
        // An older list is good enough while the server does not run: that it changed shows when it
        // does.
        if let Some(tools) = self.listing.known()
            && self.supervisor.current().is_none()
        {
            return Ok(tools);
        }
        match (self.list().await, self.listing.known()) {
            (Ok(tools), _) => Ok(tools),
            (Err(error), Some(tools)) => {
                tracing::warn!(server = %self.name, %error, "the server does not list its tools; an older list is used");
                Ok(tools)
            }
            (Err(error), None) => Err(error),
        }
    }
}
