//! A binding in the catalog: what it is called, and its tools as they were last listed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ampoule_effort::Effort;
use ampoule_projection::{Idiom, Tool, names};
use parking_lot::{Mutex, MutexGuard};

use crate::listing::{INDEXED_NAME, Listing};
use crate::listings::Listings;
use crate::{Binding, BindingError};

/// What a server is called in other languages, beside the others of its catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerIdentifiers {
    /// In TypeScript: `myServer`.
    pub typescript: String,
    /// In Python: `my_server`.
    pub python: String,
    /// Its package in WIT is `mcp:<package>`: `my-server`.
    pub package: String,
}

impl ServerIdentifiers {
    /// Where no other server has a name that is alike. An account has the name of its server, and a
    /// package of its own.
    pub fn alone(name: &str) -> Self {
        let (server, _) = names::server_and_account(name);
        Self {
            typescript: names::camel_case(server),
            python: names::snake_case(server),
            package: match names::server_and_account(name) {
                (server, None) => names::package_case(server),
                (server, Some(account)) => names::package_case(&format!("{server} at {account}")),
            },
        }
    }

    /// The same, told apart from others by what marks its name.
    fn marked(&self, name: &str) -> Self {
        let (server, _) = names::server_and_account(name);
        let mark = names::mark(server);
        Self {
            typescript: format!("{}_{mark}", self.typescript),
            python: format!("{}_{mark}", self.python),
            package: format!("{}-{mark}", self.package),
        }
    }
}

/// Servers of which no two are called the same in any language. A server with a similar name has a
/// mark in all of them, unless it is called exactly so: whichever comes first.
pub(super) fn told_apart(servers: Vec<Arc<Server>>) -> Vec<Arc<Server>> {
    let in_each: [fn(&ServerIdentifiers) -> &String; 3] =
        [|it| &it.typescript, |it| &it.python, |it| &it.package];
    let mut alike: HashSet<usize> = HashSet::new();
    for name_in in in_each {
        let mut first: HashMap<&str, usize> = HashMap::with_capacity(servers.len());
        for (place, server) in servers.iter().enumerate() {
            let called = name_in(&server.called);
            if let Some(other) = first.insert(called, place)
                // Accounts differ in their packages alone.
                && (!servers[other].is_sibling_of(server) || *called == server.called.package)
            {
                alike.extend([other, place]);
            }
        }
    }
    if alike.is_empty() {
        return servers;
    }
    // All accounts of a server are called the same.
    let marked: HashSet<String> = (alike.iter())
        .map(|place| servers[*place].without_account().to_owned())
        .collect();
    let apart = servers.into_iter().map(|server| {
        let is_exact = in_each
            .iter()
            .any(|name_in| name_in(&server.called) == server.without_account());
        match marked.contains(server.without_account()) && !is_exact {
            false => server,
            true => Arc::new(Server {
                called: ServerIdentifiers::alone(&server.name).marked(&server.name),
                is_marked: true,
                listing: Mutex::new(server.last_listing().clone()),
                of_runs: server.of_runs.clone(),
                is_hidden: server.is_hidden,
                ..Server::new(Arc::clone(&server.binding))
            }),
        }
    });
    apart.collect()
}

/// A binding in the catalog.
pub struct Server {
    pub(super) binding: Arc<dyn Binding>,
    pub(super) name: Arc<str>,
    pub(super) called: ServerIdentifiers,
    /// Whether that has a mark, since another's name is alike.
    pub(super) is_marked: bool,
    pub(super) listing: Mutex<Option<Arc<Listing>>>,
    /// What it offers besides tools.
    pub(super) offered: Mutex<Option<Arc<Listing>>>,
    /// Where listings are kept, if it is there for one run.
    pub(super) of_runs: Option<Arc<Listings>>,
    /// Whether it is there for grants alone.
    pub(super) is_hidden: bool,
}

impl Server {
    pub(super) fn new(binding: Arc<dyn Binding>) -> Self {
        let name: Arc<str> = binding.name().into();
        Self {
            called: ServerIdentifiers::alone(&name),
            is_marked: false,
            name,
            binding,
            listing: Mutex::default(),
            offered: Mutex::default(),
            of_runs: None,
            is_hidden: false,
        }
    }

    /// A server outside of the catalog, and its one list of tools.
    pub(crate) fn of_one_list(
        binding: Arc<dyn Binding>,
        tools: &Arc<[Tool]>,
    ) -> (Arc<Self>, Arc<Listing>) {
        let server = Arc::new(Self::new(binding));
        let listing = server.keep(Listing::new(Arc::clone(tools)));
        (server, listing)
    }

    /// The names of servers.
    pub(crate) fn names<'a>(servers: impl IntoIterator<Item = &'a Arc<Self>>) -> Vec<String> {
        let names = servers.into_iter();
        names.map(|server| server.name().to_string()).collect()
    }

    /// The name that scripts use, as the operator configured it.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Its name, without the account that it is.
    pub fn without_account(&self) -> &str {
        names::server_and_account(&self.name).0
    }

    /// The account that it is, of a server that has several.
    pub fn account(&self) -> Option<&str> {
        names::server_and_account(&self.name).1
    }

    /// What scripts call it, below `tools`: `jira`, or `jira.as("home")` if it is an account, and not the
    /// default.
    pub fn called_in(&self, idiom: Idiom) -> String {
        let server = names::identifier(self.without_account(), idiom.style());
        match self.account() {
            Some(account) if !self.is_called_by_its_name() => idiom.account(&server, account),
            _ => server,
        }
    }

    /// Whether scripts need not name an account: it is none, or the default.
    pub fn is_called_by_its_name(&self) -> bool {
        self.account().is_none() || self.binding.is_default_account()
    }

    /// Whether it and another are accounts of one server.
    pub(crate) fn is_sibling_of(&self, other: &Self) -> bool {
        self.without_account() == other.without_account()
    }

    /// Whether grants alone may know of it.
    pub(crate) fn is_hidden(&self) -> bool {
        self.is_hidden
    }

    /// What it is called in other languages.
    pub fn called(&self) -> &ServerIdentifiers {
        &self.called
    }

    /// What it is.
    pub fn binding(&self) -> &Arc<dyn Binding> {
        &self.binding
    }

    /// Its tools, indexed. The index is made once for each list that the binding gives.
    pub async fn listing(&self) -> Result<Arc<Listing>, BindingError> {
        let tools = self.binding.tools().await?;
        if let Some(kept) = self.kept(&tools) {
            return Ok(kept);
        }
        // It is made for all runs, so none of them pays.
        let (effort, price) = (Effort::default(), INDEXED_NAME * tools.len() as u64);
        let made = effort.work(price, move |_| Ok(Listing::new(tools)));
        Ok(self.keep(made.await?))
    }

    /// Its tools as far as they are known without waiting, indexed.
    pub fn known_listing(&self) -> Option<Arc<Listing>> {
        let tools = self.binding.known_tools()?;
        let kept = self.kept(&tools);
        Some(kept.unwrap_or_else(|| self.keep(Listing::new(tools))))
    }

    /// What it offers besides its tools, by names that begin with `$`, as far as that is known
    /// without waiting.
    pub fn offered(&self) -> Arc<Listing> {
        let tools = self.binding.offered();
        let mut offered = self.offered.lock();
        match &*offered {
            Some(kept) if kept.is_of(&tools) => Arc::clone(kept),
            _ => Arc::clone(offered.insert(Arc::new(Listing::offered(tools)))),
        }
    }

    /// The listing of these tools, if it is the last that was made.
    fn kept(&self, tools: &Arc<[Tool]>) -> Option<Arc<Listing>> {
        let last = self.last_listing().clone();
        last.filter(|listing| listing.is_of(tools))
            .or_else(|| self.of_runs.as_ref()?.of(tools))
    }

    /// Keeps a listing, unless somebody else has made the same meanwhile.
    fn keep(&self, made: Listing) -> Arc<Listing> {
        let mut listing = self.last_listing();
        match &*listing {
            Some(listing) if listing.is_of(&made.tools) => Arc::clone(listing),
            _ => {
                let made = listing.insert(Arc::new(made));
                if let Some(of_runs) = &self.of_runs {
                    of_runs.keep(made);
                }
                Arc::clone(made)
            }
        }
    }

    pub(super) fn last_listing(&self) -> MutexGuard<'_, Option<Arc<Listing>>> {
        self.listing.lock()
    }
}
