//! The catalog: every tool of every binding, indexed by name.

mod server;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use ampoule_projection::names::{self, Lookup, Names, Style};
use parking_lot::Mutex;

use self::server::told_apart;
use crate::Binding;
use crate::indexes::Indexes;
use crate::listings::Listings;
use crate::meaning::Meaning;

pub use self::server::{Server, ServerIdentifiers};

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
    pub(crate) fn name_of(&self, name: &str) -> Option<&str> {
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
