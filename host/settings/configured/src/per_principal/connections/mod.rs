//! The connections of principals to one server: one each, used by nobody else.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use ampoule_sign_in::SignIn;
use ampoule_tools::Binding;
use parking_lot::Mutex;

/// How many principals are connected to one server at once.
const MOST: usize = 256;
/// How long a connection is kept that nobody uses.
const KEPT: Duration = Duration::from_mins(30);

/// See the module.
#[derive(Default)]
pub(super) struct Connections(Mutex<HashMap<Arc<str>, Entry>>);

struct Entry {
    connection: Arc<Connection>,
    used: Instant,
}

/// One principal's connection to the server, and what signs its requests.
pub(super) struct Connection {
    pub(super) principal: Arc<str>,
    pub(super) binding: Arc<dyn Binding>,
    pub(super) sign_in: SignIn,
    /// Whether a call was answered: the server takes whoever asks.
    pub(super) has_served: AtomicBool,
    /// Which sign-in it was made with. With another one, or none, it is useless: a server may
    /// know its session as that of another account.
    made: Option<String>,
}

/// There are as many principals as there may be, and all of them use the server.
#[derive(Debug)]
pub(super) struct Full;

impl Connection {
    pub(super) async fn new(
        principal: &Arc<str>,
        binding: Arc<dyn Binding>,
        sign_in: SignIn,
    ) -> Self {
        Self {
            principal: Arc::clone(principal),
            binding,
            made: sign_in.made().await,
            sign_in,
            has_served: AtomicBool::new(false),
        }
    }

    async fn is_outdated(&self) -> bool {
        self.sign_in.made().await != self.made
    }
}

impl Connections {
    /// The connection of a principal, if there is one that is of use.
    pub(super) async fn get(&self, principal: &Arc<str>) -> Option<Arc<Connection>> {
        let found = {
            let mut entries = self.0.lock();
            let entry = entries.get_mut(principal)?;
            entry.used = Instant::now();
            Arc::clone(&entry.connection)
        };
        if !found.is_outdated().await {
            return Some(found);
        }
        let mut entries = self.0.lock();
        let is_it = |entry: &Entry| Arc::ptr_eq(&entry.connection, &found);
        if entries.get(principal).is_some_and(is_it) {
            entries.remove(principal);
        }
        None
    }

    /// The connection of a principal: this one, unless another task made one meanwhile. What nobody
    /// uses goes.
    ///
    /// # Errors
    ///
    /// [`Full`].
    pub(super) fn put(&self, made: Connection) -> Result<Arc<Connection>, Full> {
        let mut entries = self.0.lock();
        if let Some(entry) = entries.get(&made.principal)
            && entry.connection.made == made.made
        {
            return Ok(Arc::clone(&entry.connection));
        }
        let is_idle = |entry: &Entry| Arc::strong_count(&entry.connection) == 1;
        entries.retain(|_, entry| entry.used.elapsed() < KEPT || !is_idle(entry));
        if entries.len() >= MOST && !entries.contains_key(&made.principal) {
            let idle = entries.iter().filter(|(_, entry)| is_idle(entry));
            let longest = idle.min_by_key(|(_, entry)| entry.used);
            let longest = longest.map(|(principal, _)| Arc::clone(principal));
            entries.remove(&longest.ok_or(Full)?);
        }
        let connection = Arc::new(made);
        let entry = Entry {
            connection: Arc::clone(&connection),
            used: Instant::now(),
        };
        entries.insert(Arc::clone(&connection.principal), entry);
        Ok(connection)
    }

    /// All of them.
    pub(super) fn all(&self) -> Vec<Arc<Connection>> {
        let entries = self.0.lock();
        let all = entries.values();
        all.map(|entry| Arc::clone(&entry.connection)).collect()
    }

    /// All of them, which are no longer here then.
    pub(super) fn take(&self) -> Vec<Arc<Connection>> {
        let entries = std::mem::take(&mut *self.0.lock());
        let all = entries.into_values();
        all.map(|entry| entry.connection).collect()
    }
}

#[cfg(test)]
mod tests;
