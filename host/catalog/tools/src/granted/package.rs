//! Granted tools as the functions of a package, for components that import them.

use std::collections::HashMap;
use std::sync::Arc;

use ampoule_projection::names::{Names, Style};
use ampoule_projection::{Idiom, wit};

use super::{GrantedTools, ResolvedTool};
use crate::BindingError;
use crate::catalog::Server;
use crate::listing::Listing;
use crate::unknown::UnknownNameError;

/// How many unknown functions are reported at once: each is compared with all tools.
const TOLD: usize = 5;

/// The tools of one server that a component imports, as they are now.
pub struct ImportedTools {
    listing: Arc<Listing>,
    /// Their places in the listing, in the order in which they were asked for.
    places: Vec<usize>,
    /// The package of these tools alone.
    pub package: Arc<wit::Package>,
}

impl GrantedTools {
    /// The server whose package is called `mcp:<name>`.
    #[doc(hidden)]
    pub fn server_of_package(&self, name: &str) -> Result<&Arc<Server>, UnknownNameError> {
        let is_it = |server: &&Arc<Server>| server.called().package == name;
        if let Some(found) = self.servers().find(is_it) {
            return Ok(found);
        }
        self.server(name).map_err(|unknown| {
            let named = self.granted_named(name).into_iter();
            let accounts = named.filter(|server| server.account().is_some());
            let packages: Vec<_> = accounts.map(|it| &*it.called().package).collect();
            match packages.len() {
                0 | 1 => unknown,
                _ => UnknownNameError::of_packages(name, &packages),
            }
        })
    }

    /// The tools behind some of a server's functions.
    ///
    /// # Errors
    ///
    /// The functions that belong to no granted tool, or why the tools can't be listed.
    #[doc(hidden)]
    pub async fn imported<'a>(
        &self,
        server: &Arc<Server>,
        functions: impl IntoIterator<Item = &'a str>,
    ) -> Result<ImportedTools, UnknownNameError> {
        let listing = server.listing().await?;
        let names = listing.names_in(Style::Kebab);
        let granted = |&index: &usize| self.allows(server, &listing, index);
        let known = names.identifiers().iter().enumerate();
        let known: HashMap<&str, usize> = known.map(|(place, name)| (&**name, place)).collect();
        let place_of = |function: &str| {
            let place = known.get(function).copied().filter(granted);
            place.ok_or_else(|| self.unknown_function(server, &listing, &names, function))
        };
        let mut places = Vec::new();
        let mut unknown: Vec<UnknownNameError> = Vec::new();
        for function in functions {
            match place_of(function) {
                Ok(place) => places.push(place),
                Err(name) => unknown.push(name),
            }
            if unknown.len() == TOLD {
                break;
            }
        }
        if !unknown.is_empty() {
            return Err(UnknownNameError::several(unknown));
        }
        let package = listing.package(&server.called().package, places.iter().copied());
        Ok(ImportedTools {
            listing,
            places,
            package: Arc::new(package),
        })
    }

    fn unknown_function(
        &self,
        server: &Server,
        listing: &Listing,
        names: &Names,
        function: &str,
    ) -> UnknownNameError {
        let granted = names.identifiers().iter().enumerate();
        let granted = granted.filter(|(index, _)| self.allows(server, listing, *index));
        let granted: Vec<String> = granted.map(|(_, name)| name.clone()).collect();
        UnknownNameError::tool_of(
            server.name(),
            function,
            &self.known(&granted, &self.effort()),
        )
    }

    /// Whether the server still has the list of tools that these are of, and all of them are
    /// granted.
    ///
    /// # Errors
    ///
    /// Why the tools can't be listed.
    #[doc(hidden)]
    pub async fn still_imported(
        &self,
        server: &Arc<Server>,
        imported: &ImportedTools,
    ) -> Result<bool, BindingError> {
        let listing = server.listing().await?;
        let granted = |&place: &usize| self.allows(server, &listing, place);
        Ok(Arc::ptr_eq(&listing, &imported.listing) && imported.places.iter().all(granted))
    }
}

impl ImportedTools {
    /// The tools, as those of this server.
    pub fn of<'a>(&'a self, server: &'a Arc<Server>) -> impl Iterator<Item = ResolvedTool> + 'a {
        self.places.iter().map(|&index| ResolvedTool {
            server: Arc::clone(server),
            listing: Arc::clone(&self.listing),
            index,
            idiom: Idiom::default(),
            unlisted: None,
        })
    }
}
