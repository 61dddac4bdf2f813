//! Accounts of servers that have several: which one a name means, and which have the same tools.

use std::borrow::{Borrow, Cow};
use std::sync::Arc;

use ampoule_projection::{Idiom, SchemaText, Tool, names};

use super::{GrantedTools, Part};
use crate::catalog::Server;
use crate::unknown::UnknownNameError;

impl GrantedTools {
    /// The granted servers that a name may mean: all accounts of one server, where it names none.
    pub(super) fn granted_named(&self, name: &str) -> Vec<&Arc<Server>> {
        let named = self.catalog.servers_named(name).into_iter();
        named.filter(|server| self.is_granted(server)).collect()
    }

    /// The one of these granted servers that is meant by a name: of accounts of one server the only
    /// one, or else the default.
    ///
    /// # Errors
    ///
    /// There is none, or it is not clear which is meant.
    pub(super) fn chosen<'a>(
        &self,
        name: &str,
        granted: &[&'a Arc<Server>],
    ) -> Result<&'a Arc<Server>, UnknownNameError> {
        let (first, others) = match granted {
            [] => return Err(self.unknown_server(name)),
            [one] => return Ok(one),
            [first, others @ ..] => (first, others),
        };
        let full = || Server::names(granted.iter().copied());
        if others.iter().any(|other| !other.is_sibling_of(first)) {
            return Err(UnknownNameError::of_servers(name, full()));
        }
        let is_default = |server: &&&Arc<Server>| server.binding().is_default_account();
        match granted.iter().find(is_default) {
            Some(default) => Ok(default),
            None => {
                let server = first.without_account();
                let accounts = granted.iter().filter_map(|it| it.account());
                Err(UnknownNameError::of_accounts(server, accounts, self.idiom))
            }
        }
    }

    /// The name that a script's name of a server stands for. That of a server with several accounts,
    /// of which none is the default, is the server's own: scripts ask it for an account.
    ///
    /// # Errors
    ///
    /// As for [`server`](Self::server).
    pub fn name_of_server(&self, name: &str) -> Result<String, UnknownNameError> {
        let granted = self.granted_named(name);
        let chosen = self.chosen(name, &granted);
        match (chosen, &granted[..]) {
            (Ok(server), _) => Ok(server.name().to_string()),
            (Err(_), [first, others @ ..])
                if others.iter().all(|other| other.is_sibling_of(first)) =>
            {
                Ok(first.without_account().to_owned())
            }
            (Err(unknown), _) => Err(unknown),
        }
    }

    /// What is said where a name has the account of a server that is granted with others.
    pub(super) fn unknown_account(&self, name: &str) -> Option<UnknownNameError> {
        let (server, account) = names::server_and_account(name);
        let granted = self.granted_named(server);
        let same = granted.first()?.without_account();
        let is_one = granted.iter().all(|it| it.without_account() == same);
        let accounts: Vec<&str> = granted.iter().filter_map(|it| it.account()).collect();
        is_one.then(|| UnknownNameError::account(same, account.unwrap_or_default(), &accounts))
    }

    /// The granted servers, but of several accounts with the same tools the first alone: the default,
    /// if it is among them. As far as their tools are known without waiting; what is not known may be
    /// the same.
    pub fn servers_without_twins(&self) -> Vec<&Arc<Server>> {
        let with_tools = self.servers().map(|server| {
            let known = server.known_listing();
            let part = known.map(|listing| Part::granted(&self.grant, server, listing));
            GrantedServer { server, part }
        });
        let all: Vec<_> = with_tools.collect();
        without_twins(&all)
    }

    /// The accounts of a server's, where several are granted.
    pub fn accounts_of(&self, server: &Server) -> Vec<String> {
        let siblings = self.servers().filter(|other| other.is_sibling_of(server));
        let accounts: Vec<_> = siblings.filter_map(|it| it.account()).collect();
        match accounts.len() {
            0 | 1 => Vec::new(),
            _ => accounts.into_iter().map(str::to_owned).collect(),
        }
    }

    /// Whether it is the one of a server's granted accounts that declarations show: the default, or
    /// else the first.
    pub fn stands_for_accounts(&self, server: &Arc<Server>) -> bool {
        let siblings: Vec<_> = (self.servers())
            .filter(|other| other.is_sibling_of(server))
            .collect();
        let default = siblings.iter().find(|it| it.binding().is_default_account());
        let shown = default.or_else(|| siblings.first());
        shown.is_some_and(|shown| Arc::ptr_eq(shown, server))
    }

    /// A line for each of these servers of which several accounts are granted: how scripts name one.
    pub fn accounts_in_lines<'a>(
        &self,
        servers: impl IntoIterator<Item = &'a Arc<Server>>,
    ) -> Vec<String> {
        let mut told: Vec<&str> = Vec::new();
        let mut lines = Vec::new();
        for server in servers.into_iter().filter(|it| it.account().is_some()) {
            let name = server.without_account();
            if told.contains(&name) {
                continue;
            }
            told.push(name);
            let siblings = self.servers().filter(|other| other.is_sibling_of(server));
            lines.extend(self.accounts_in_a_line(name, &siblings.collect::<Vec<_>>()));
        }
        lines
    }

    fn accounts_in_a_line(&self, server: &str, siblings: &[&Arc<Server>]) -> Option<String> {
        let named = siblings.iter().filter_map(|it| it.account());
        let named: Vec<String> = named.map(|it| format!("\"{it}\"")).collect();
        if siblings.len() < 2 || named.is_empty() {
            return None;
        }
        let server = names::identifier(server, self.idiom.style());
        let call = match self.idiom {
            Idiom::TypeScript => format!("{server}.as({})", named.join("|")),
            Idiom::Python => format!("{server}.as_({})", named.join("|")),
        };
        let python = match self.idiom {
            Idiom::TypeScript => " (Python: `as_`)",
            Idiom::Python => "",
        };
        let is_default = |it: &&&Arc<Server>| it.binding().is_default_account();
        let without = match siblings.iter().find(is_default).and_then(|it| it.account()) {
            Some(default) => format!("without it, \"{default}\""),
            None => "none is the default".to_owned(),
        };
        Some(format!("{call}{python} is an account; {without}"))
    }
}

/// The parts, but of several accounts with the same tools the first alone.
pub(super) fn parts_without_twins(parts: Vec<Part>) -> Vec<Part> {
    let kept: Vec<Arc<str>> = {
        let all: Vec<_> = parts
            .iter()
            .map(|part| GrantedServer {
                server: &part.server,
                part: Some(part),
            })
            .collect();
        let kept = without_twins(&all).into_iter();
        kept.map(|server| Arc::clone(server.name())).collect()
    };
    let mut parts = parts;
    parts.retain(|part| kept.contains(part.server.name()));
    parts
}

/// A server, and what is granted of it, where that is known.
struct GrantedServer<'a, P> {
    server: &'a Arc<Server>,
    part: Option<P>,
}

/// These servers without accounts that have the same tools as one that is kept. Their order stays.
fn without_twins<'a, P: Borrow<Part>>(all: &[GrantedServer<'a, P>]) -> Vec<&'a Arc<Server>> {
    let has_account = all.iter().any(|it| it.server.account().is_some());
    if !has_account {
        return all.iter().map(|it| it.server).collect();
    }
    let mut kept: Vec<usize> = Vec::with_capacity(all.len());
    // A default is kept rather than its twins.
    let is_default = |place: &usize| all[*place].server.binding().is_default_account();
    let (defaults, others): (Vec<_>, Vec<_>) = (0..all.len()).partition(is_default);
    for place in defaults.into_iter().chain(others) {
        let GrantedServer { server, part } = &all[place];
        let is_twin = |kept: &usize| {
            let other = &all[*kept];
            let same = match (part, &other.part) {
                (Some(part), Some(its)) => part.borrow().has_the_tools_of(its.borrow()),
                _ => true,
            };
            server.is_sibling_of(other.server) && same
        };
        if !kept.iter().any(is_twin) {
            kept.push(place);
        }
    }
    kept.sort_unstable();
    kept.into_iter().map(|place| all[place].server).collect()
}

impl Part {
    /// Whether its tools are defined as those of another.
    fn has_the_tools_of(&self, other: &Self) -> bool {
        let is_same = |(one, two): (&usize, &usize)| {
            is_defined_as(self.listing.tool(*one), other.listing.tool(*two))
        };
        Arc::ptr_eq(&self.listing, &other.listing) && self.places == other.places
            || self.places.len() == other.places.len()
                && self.places.iter().zip(&other.places).all(is_same)
    }
}

/// Whether a tool is defined to the letter as another, whatever their results looked like.
fn is_defined_as(one: &Tool, other: &Tool) -> bool {
    fn output(tool: &Tool) -> Option<Cow<'_, str>> {
        tool.output_schema.as_ref().map(SchemaText::as_str)
    }
    one.name == other.name
        && one.description == other.description
        && one.annotations == other.annotations
        && one.input_schema.as_str() == other.input_schema.as_str()
        && output(one).as_deref() == output(other).as_deref()
}
