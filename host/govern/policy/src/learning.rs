//! Servers whose tools are not known: who may have one of them asked for its tools, as themselves.
//!
//! What policies say of a tool is found out with the tool: its name, what it says of itself, its
//! arguments. Before that, all that can be told is whether a call of that name might be permitted. Who
//! might call it may have the server asked, and then what the policies say of the tool itself holds.

use ampoule_projection::names::{Names, Style};
use ampoule_tools::Grant;

use crate::actions::{Action, HINTED};
use crate::caller::Caller;
use crate::evaluate::CallFacts;
use crate::policies::Policies;
use crate::roles::Role;
use crate::rule::Author;

impl Policies {
    /// Whether a caller may have a server asked for its tools whose tools are not known, for the sake
    /// of a tool of this name: some role or policy might permit a call of it, and none forbids all of
    /// them. This permits no call.
    pub fn may_learn(&self, caller: &Caller, server: &str, tool: &str) -> bool {
        if self.are_none() || !self.actions.is_unlisted(server) {
            return false;
        }
        // What it would say of itself is not known: so it may be what a permit wants, and need not be
        // what a forbid is about.
        let may_be = self.actions.unlisted(server, tool, &HINTED);
        let must_be = self.actions.unlisted(server, tool, &[]);
        let possible = |action: &Action| {
            self.possible(&CallFacts {
                caller,
                // It is not one of those that there are.
                action: Some((usize::MAX, action)),
                arguments: None,
                labels: None,
                is_undo: false,
            })
        };
        if !possible(&must_be).forbidding.is_empty() {
            return false;
        }
        let roles = self.roles.of(caller);
        let servers = Names::new(self.actions.servers(), Style::Camel);
        let mut roles = roles.filter_map(|name| self.roles.0.get(name));
        // Roles are asked as they are written: what they name is not an action yet.
        let permits = |number: &usize| self.rules[*number].maker != Author::Role;
        roles.any(|role| might_allow(role, &servers, server, tool))
            || possible(&may_be).permitting.iter().any(permits)
    }
}

/// Whether a role allows a tool of this name, as scripts or as servers write names.
fn might_allow(role: &Role, servers: &Names, server: &str, tool: &str) -> bool {
    let written = Names::new([tool], Style::Snake);
    let names = [tool, &*written.identifiers()[0]];
    let allows = |pattern: &str| {
        // What can't be read is an error at the start.
        let grant = Grant::of([pattern]).map(|grant| grant.among(servers));
        grant.is_ok_and(|grant| names.iter().any(|name| grant.allows(server, name)))
    };
    let mut excepted = role.tools.iter().filter_map(|it| it.strip_prefix('!'));
    let mut allowed = role.tools.iter().filter(|it| !it.starts_with('!'));
    allowed.any(|pattern| allows(pattern)) && !excepted.any(allows)
}
