//! The catalog: every tool of every binding, indexed by name.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ampoule_effort::Effort;
use ampoule_projection::Tool;
use ampoule_projection::names::{self, Lookup, Names, Style};
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
    names: Names,
    /// Those that are distinguished by a mark, by what they are called with it.
    marked: HashMap<String, usize>,
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
        let names = Names::new(servers.iter().map(|server| &**server.name()), Style::Camel);
        let mut seen = HashSet::with_capacity(servers.len());
        if let Some(server) = servers.iter().find(|server| !seen.insert(&*server.name)) {
            return Err(DuplicateNameError(server.name.to_string()));
        }
        let marked: HashMap<String, usize> = servers
            .iter()
            .enumerate()
            .filter(|(_, server)| server.is_marked)
            .flat_map(|(place, server)| {
                let ServerIdentifiers {
                    typescript,
                    python,
                    package,
                } = server.called.clone();
                [typescript, python, package].map(|name| (name, place))
            })
            .collect();
        let spellings = names.names().iter().chain(names.identifiers());
        let spellings = spellings.chain(marked.keys());
        Ok(Self {
            shared: Arc::new(Shared {
                longest_name: spellings.map(String::len).max().unwrap_or(0),
                indexes,
                of_runs,
                servers,
                names,
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

    /// The servers that a name may mean: that of this name, or those that differ only in case and
    /// punctuation. A sign that grants are written with is in no server's name: whatever was called so
    /// has another name here, and what is alike may be another server.
    pub fn servers_named(&self, name: &str) -> Vec<&Arc<Server>> {
        let names = &self.shared.names;
        if name.contains(['.', ',', '*']) && !names.has(name) {
            return Vec::new();
        }
        let places = match names.find(name) {
            Lookup::One(index) => vec![index],
            Lookup::Ambiguous(alike) => alike,
            Lookup::Nothing => self.shared.marked.get(name).copied().into_iter().collect(),
        };
        let servers = places.into_iter();
        servers.map(|index| &self.shared.servers[index]).collect()
    }

    /// The servers' names, side by side.
    pub fn names(&self) -> &Names {
        &self.shared.names
    }

    /// The ways to read a name as a server's and a tool's. What is more than twice as long as any
    /// server's name is not one, whatever its punctuation.
    pub fn splits<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a Arc<Server>, &'a str)> {
        let longest = 2 * self.shared.longest_name;
        let at = move |separator: &'static str| {
            let reach = name.floor_char_boundary(longest.saturating_add(separator.len()));
            name[..reach]
                .match_indices(separator)
                .map(move |(index, _)| (&name[..index], &name[index + separator.len()..]))
        };
        let both = at("__").chain(at("."));
        both.flat_map(|(server, tool)| {
            let servers = self.servers_named(server).into_iter();
            servers.map(move |server| (server, tool))
        })
    }

    /// The search indexes that its runs share.
    pub fn indexes(&self) -> &Indexes {
        &self.shared.indexes
    }
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
    /// Where no other server has a name that is alike.
    pub fn alone(name: &str) -> Self {
        Self {
            typescript: names::camel_case(name),
            python: names::snake_case(name),
            package: names::package_case(name),
        }
    }

    /// The same, told apart from others by what marks its name.
    fn marked(&self, name: &str) -> Self {
        let mark = names::mark(name);
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
            if let Some(other) = first.insert(name_in(&server.called), place) {
                alike.extend([other, place]);
            }
        }
    }
    if alike.is_empty() {
        return servers;
    }
    let servers = servers.into_iter().enumerate();
    let apart = servers.map(|(place, server)| {
        let is_exact = in_each
            .iter()
            .any(|name_in| **name_in(&server.called) == *server.name);
        match alike.contains(&place) && !is_exact {
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
