//! The catalog: every tool of every binding, indexed by name.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use ampoule_effort::Effort;
use ampoule_projection::names::{self, Lookup, Names, Style};
use ampoule_projection::{Idiom, Tool};
use parking_lot::{Mutex, MutexGuard};

use super::indexes::Indexes;
use super::listing::{INDEXED_NAME, Listing};
use super::listings::Listings;
use super::meaning::Meaning;
use super::{Binding, BindingError};

/// Every binding, in the operator's order. Cheap to clone; runs share it.
#[derive(Clone)]
pub struct Catalog {
    shared: Arc<Shared>,
}

struct Shared {
    servers: Vec<Arc<Server>>,
    /// The servers' names, without accounts, each once.
    names: Names,
    /// The places of the servers that have each name: several where it has accounts.
    accounts: Vec<Vec<usize>>,
    /// Those that are distinguished by a mark, by what they are called with it.
    marked: HashMap<String, Vec<usize>>,
    /// How long the longest of them is, in bytes.
    longest_name: usize,
    indexes: Arc<Indexes>,
    /// Of the bindings that single runs have.
    of_runs: Arc<Listings>,
}

impl Catalog {
    /// The catalog of these bindings.
    ///
    /// # Errors
    ///
    /// Two bindings of the same name.
    pub fn new(bindings: Vec<Arc<dyn Binding>>) -> Result<Self, DuplicateNameError> {
        Self::with_meaning(bindings, None)
    }

    /// The same, searched by what tools mean, too, if something says so.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with_meaning(
        bindings: Vec<Arc<dyn Binding>>,
        meaning: Option<Arc<dyn Meaning>>,
    ) -> Result<Self, DuplicateNameError> {
        let servers: Vec<_> = bindings
            .into_iter()
            .map(|binding| Arc::new(Server::new(binding)))
            .collect();
        let indexes = Arc::new(Indexes::over_servers(servers.len(), meaning));
        Self::of(servers, indexes, Arc::default())
    }

    /// This catalog, and these bindings after its own, for a run. What was made of their tools for
    /// an earlier run is used again, where they are the same list.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn with(&self, bindings: Vec<Arc<dyn Binding>>) -> Result<Self, DuplicateNameError> {
        let Shared {
            indexes, of_runs, ..
        } = &*self.shared;
        let added = bindings.into_iter().map(|binding| {
            Arc::new(Server {
                of_runs: Some(Arc::clone(of_runs)),
                ..Server::new(binding)
            })
        });
        let servers = self.servers().iter().cloned().chain(added).collect();
        Self::of(servers, Arc::clone(indexes), Arc::clone(of_runs))
    }

    /// The same bindings, each seen through another: by its place among them. What was
    /// made of their tools is used again, where those give the same lists.
    pub fn through(
        &self,
        seen: impl Fn(usize, Arc<dyn Binding>) -> Arc<dyn Binding>,
    ) -> Result<Self, DuplicateNameError> {
        let Shared {
            indexes, of_runs, ..
        } = &*self.shared;
        let servers = self.servers().iter().enumerate().map(|(place, server)| {
            let seen = seen(place, Arc::clone(&server.binding));
            Arc::new(Server {
                listing: Mutex::new(server.last_listing().clone()),
                of_runs: Some(Arc::clone(of_runs)),
                is_hidden: server.is_hidden,
                ..Server::new(seen)
            })
        });
        Self::of(servers.collect(), Arc::clone(indexes), Arc::clone(of_runs))
    }

    /// The same, without these servers, by their places: grants may still name them, and nothing else
    /// finds them.
    pub fn hiding(&self, hidden: impl Fn(usize) -> bool) -> Result<Self, DuplicateNameError> {
        let Shared {
            indexes, of_runs, ..
        } = &*self.shared;
        let servers = self.servers().iter().enumerate();
        let servers = servers.map(|(place, server)| match hidden(place) {
            false => Arc::clone(server),
            true => Arc::new(Server {
                is_hidden: true,
                ..Server::new(Arc::clone(&server.binding))
            }),
        });
        Self::of(servers.collect(), Arc::clone(indexes), Arc::clone(of_runs))
    }

    fn of(
        servers: Vec<Arc<Server>>,
        indexes: Arc<Indexes>,
        of_runs: Arc<Listings>,
    ) -> Result<Self, DuplicateNameError> {
        let servers = told_apart(servers);
        let (names, accounts) = by_name(&servers);
        let mut seen = HashSet::with_capacity(servers.len());
        if let Some(server) = servers.iter().find(|server| !seen.insert(&*server.name)) {
            return Err(DuplicateNameError(server.name.to_string()));
        }
        let mut marked: HashMap<String, Vec<usize>> = HashMap::new();
        let with_marks = servers.iter().enumerate();
        for (place, server) in with_marks.filter(|(_, server)| server.is_marked) {
            let ServerIdentifiers {
                typescript,
                python,
                package,
            } = server.called.clone();
            for name in BTreeSet::from([typescript, python, package]) {
                marked.entry(name).or_default().push(place);
            }
        }
        let full = servers.iter().map(|server| &*server.name);
        let spellings = names.names().iter().chain(names.identifiers());
        let spellings = spellings.chain(marked.keys()).map(String::as_str);
        let spellings = spellings.chain(full);
        Ok(Self {
            shared: Arc::new(Shared {
                longest_name: spellings.map(str::len).max().unwrap_or(0),
                indexes,
                of_runs,
                servers,
                names,
                accounts,
                marked,
            }),
        })
    }

    /// The bindings, in the operator's order.
    pub fn servers(&self) -> &[Arc<Server>] {
        &self.shared.servers
    }

    /// The server of that name, or else of one that differs only in case and punctuation.
    pub fn server(&self, name: &str) -> Option<&Arc<Server>> {
        match self.servers_named(name)[..] {
            [server] => Some(server),
            _ => None,
        }
    }

    /// The name of the one server that a name means, of all its accounts if it names none.
    pub(super) fn name_of(&self, name: &str) -> Option<&str> {
        let named = self.servers_named(name);
        let first = *named.first()?;
        match &named[1..] {
            [] => Some(first.name()),
            others if others.iter().all(|it| it.is_sibling_of(first)) => {
                Some(first.without_account())
            }
            _ => None,
        }
    }

    /// The servers that a name may mean: that of this name, or those that differ only in case and
    /// punctuation. A sign that grants are written with is in no server's name: whatever was called so
    /// has another name here, and what is alike may be another server.
    ///
    /// A name without an account means all accounts of the server, unless a server has just this name.
    pub fn servers_named(&self, name: &str) -> Vec<&Arc<Server>> {
        let shared = &self.shared;
        let (server, account) = names::server_and_account(name);
        // What stands behind the sign of accounts is one, or nothing.
        let has_sign = server.rfind(names::ACCOUNT).is_some_and(|at| at > 0);
        let is_written_so = has_sign || server.contains(['.', ',', '*']);
        if is_written_so && !shared.names.has(server) {
            return Vec::new();
        }
        let families = match shared.names.find(server) {
            Lookup::One(family) => vec![family],
            Lookup::Ambiguous(alike) => alike,
            Lookup::Nothing => Vec::new(),
        };
        let mut places: Vec<usize> = families
            .into_iter()
            .flat_map(|family| self.accounts(family, account))
            .collect();
        if places.is_empty()
            && let Some(marked) = shared.marked.get(server)
        {
            places = self.of_account(marked, account);
        }
        let servers = places.into_iter();
        servers.map(|index| &shared.servers[index]).collect()
    }

    /// The servers that have a name, or the one account of that name.
    fn accounts(&self, family: usize, account: Option<&str>) -> Vec<usize> {
        self.of_account(&self.shared.accounts[family], account)
    }

    /// Those of a server's places that are this account: by its own name, or else by one that differs
    /// only in case and punctuation.
    fn of_account(&self, places: &[usize], account: Option<&str>) -> Vec<usize> {
        let of = |is_it: &dyn Fn(Option<&str>) -> bool| -> Vec<usize> {
            let places = places.iter().copied();
            let is_meant = |place: &usize| is_it(self.shared.servers[*place].account());
            places.filter(is_meant).collect()
        };
        let exact = of(&|its| its == account);
        match account {
            _ if !exact.is_empty() => exact,
            Some(asked) => {
                let asked = names::canonical(asked);
                of(&|its| its.is_some_and(|its| names::canonical(its) == asked))
            }
            None => places.to_vec(),
        }
    }

    /// The ways to read a name as that of a server, or of several, and a tool's. What is more than
    /// twice as long as any server's name is not one, whatever its punctuation.
    pub fn splits<'a>(
        &'a self,
        name: &'a str,
    ) -> impl Iterator<Item = (Vec<&'a Arc<Server>>, &'a str)> {
        let longest = 2 * self.shared.longest_name;
        let at = move |separator: &'static str| {
            let reach = name.floor_char_boundary(longest.saturating_add(separator.len()));
            name[..reach]
                .match_indices(separator)
                .map(move |(index, _)| (&name[..index], &name[index + separator.len()..]))
        };
        let both = at("__").chain(at("."));
        let split = both.map(|(server, tool)| (self.servers_named(server), tool));
        split.filter(|(servers, _)| !servers.is_empty())
    }

    /// The search indexes that its runs share.
    pub fn indexes(&self) -> &Indexes {
        &self.shared.indexes
    }
}

/// The servers' names without accounts, and for each name the places of those who have it.
fn by_name(servers: &[Arc<Server>]) -> (Names, Vec<Vec<usize>>) {
    let (mut names, mut accounts) = (Vec::new(), Vec::<Vec<usize>>::new());
    let mut known = HashMap::with_capacity(servers.len());
    for (place, server) in servers.iter().enumerate() {
        let at = *known.entry(server.without_account()).or_insert_with(|| {
            names.push(server.without_account());
            accounts.push(Vec::new());
            names.len() - 1
        });
        accounts[at].push(place);
    }
    (Names::new(names, Style::Camel), accounts)
}

/// Two bindings of the same name.
#[derive(Debug, Clone, thiserror::Error)]
#[error("two servers are called `{0}`: rename one")]
pub struct DuplicateNameError(String);

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
fn told_apart(servers: Vec<Arc<Server>>) -> Vec<Arc<Server>> {
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
    binding: Arc<dyn Binding>,
    name: Arc<str>,
    called: ServerIdentifiers,
    /// Whether that has a mark, since another's name is alike.
    is_marked: bool,
    listing: Mutex<Option<Arc<Listing>>>,
    /// What it offers besides tools.
    offered: Mutex<Option<Arc<Listing>>>,
    /// Where listings are kept, if it is there for one run.
    of_runs: Option<Arc<Listings>>,
    /// Whether it is there for grants alone.
    is_hidden: bool,
}

impl Server {
    fn new(binding: Arc<dyn Binding>) -> Self {
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
    pub(super) fn of_one_list(
        binding: Arc<dyn Binding>,
        tools: &Arc<[Tool]>,
    ) -> (Arc<Self>, Arc<Listing>) {
        let server = Arc::new(Self::new(binding));
        let listing = server.keep(Listing::new(Arc::clone(tools)));
        (server, listing)
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
    pub(super) fn is_sibling_of(&self, other: &Self) -> bool {
        self.without_account() == other.without_account()
    }

    /// Whether grants alone may know of it.
    pub(super) fn is_hidden(&self) -> bool {
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

    fn last_listing(&self) -> MutexGuard<'_, Option<Arc<Listing>>> {
        self.listing.lock()
    }
}
