//! Tools by the names that scripts and clients use.

use super::*;

impl GrantedTools {
    /// The tool of that name on that server, which is waited for: a call needs it.
    pub async fn resolve_on(
        &self,
        server: &str,
        name: &str,
    ) -> Result<ResolvedTool, UnknownNameError> {
        let server = self.server(server)?;
        match self.find_on(server, name).await {
            Ok(Some(tool)) => Ok(tool),
            Ok(None) => Err(self.unknown_tool(server, name).await),
            Err(error) => Ok(unlisted::tool(self, server, name, error)?),
        }
    }

    /// The tool that a single name means: `tool` where only one server has it, `server.tool`,
    /// `server__tool`, `mcp__server__tool`. For the sake of a name without a server, none is waited
    /// for very long.
    pub async fn resolve(&self, name: &str) -> Result<ResolvedTool, UnknownNameError> {
        if let Some(found) = self.resolve_split(name).await {
            return found;
        }
        let until = self.patience.begin();
        let (mut tools, mut failed) = self.find_anywhere(name, until).await;
        if tools.is_empty() {
            let refreshed = join_all(self.servers().map(|server| server.binding().refresh()));
            until.wait(refreshed).await;
            (tools, failed) = self.find_anywhere(name, until).await;
        }
        match (tools.len(), failed.is_empty()) {
            (1, _) => Ok(tools.remove(0)),
            (0, false) => Err(UnknownNameError::unasked(name, &failed)),
            (0, true) => Err(self.unknown_anywhere(name, until).await),
            _ => {
                let meant = tools.iter().map(ResolvedTool::qualified_name).collect();
                Err(UnknownNameError::of_several(name, meant))
            }
        }
    }

    /// The tool that a name means which begins with a server's; none if it begins with none. What is
    /// joined may be parted in several ways: where several of them mean a tool, it is said which.
    async fn resolve_split(&self, name: &str) -> Option<Result<ResolvedTool, UnknownNameError>> {
        let (splits, unclear) = self.splits(name);
        let Some((first, first_tool)) = splits.first().copied() else {
            return unclear.map(Err);
        };
        if splits.len() == 1 && unclear.is_none() {
            return Some(self.resolve_on(first.name(), first_tool).await);
        }
        let mut found: Vec<ResolvedTool> = Vec::new();
        for (server, tool) in splits {
            // A server that can't be asked has no tool that would make the name unclear.
            let is_exact = [&**server.name(), server.without_account()]
                .iter()
                .any(|server| name == format!("{server}.{tool}"));
            match self.find_on(server, tool).await {
                // A dot after a server's own name parts it in one way alone.
                Ok(Some(tool)) if is_exact => return Some(Ok(tool)),
                Ok(Some(tool))
                    if !found
                        .iter()
                        .any(|known| known.qualified_name() == tool.qualified_name()) =>
                {
                    found.push(tool);
                }
                _ => {}
            }
        }
        Some(match (found.len(), unclear) {
            (_, Some(unclear)) => Err(unclear),
            (0, None) => self.resolve_on(first.name(), first_tool).await,
            (1, None) => Ok(found.remove(0)),
            _ => {
                let meant = found.iter().map(ResolvedTool::qualified_name).collect();
                Err(UnknownNameError::of_joined(name, meant))
            }
        })
    }

    /// The ways to read a name as a granted server's and a tool's, and what is said where it is not
    /// clear which account of a server is meant.
    fn splits<'a>(
        &'a self,
        name: &'a str,
    ) -> (Vec<(&'a Arc<Server>, &'a str)>, Option<UnknownNameError>) {
        let unprefixed = name.strip_prefix("mcp__");
        let all = unprefixed.into_iter().chain([name]);
        let (mut splits, mut unclear) = (Vec::new(), None);
        for (servers, tool) in all.flat_map(|name| self.catalog.splits(name)) {
            let servers: Vec<_> = (servers.into_iter())
                .filter(|server| self.is_granted(server))
                .collect();
            let is_one = |of: &[&Arc<Server>]| {
                of.first()
                    .is_some_and(|first| of.iter().all(|server| server.is_sibling_of(first)))
            };
            if !is_one(&servers) {
                splits.extend(servers.into_iter().map(|server| (server, tool)));
                continue;
            }
            match self.chosen(name, &servers) {
                Ok(server) => splits.push((server, tool)),
                Err(unknown) => unclear = unclear.or(Some(unknown)),
            }
        }
        (splits, unclear)
    }

    /// Of tools that are one tool of several accounts of a server, that of the default.
    fn without_other_accounts(&self, tools: &mut Vec<ResolvedTool>) {
        let [first, others @ ..] = &tools[..] else {
            return;
        };
        let is_sibling = |other: &ResolvedTool| other.server.is_sibling_of(&first.server);
        if others.is_empty() || !others.iter().all(is_sibling) {
            return;
        }
        let is_default = |tool: &ResolvedTool| tool.binding().is_default_account();
        if let Some(default) = tools.iter().position(is_default) {
            tools.swap(0, default);
            tools.truncate(1);
        }
    }

    /// The tool of that name on each server that has one, and why some of the others could not be
    /// asked.
    async fn find_anywhere(
        &self,
        name: &str,
        until: patience::Until,
    ) -> (Vec<ResolvedTool>, Vec<BindingError>) {
        let found = self.servers().map(async |server| {
            let listing = until.listing(server).await?;
            Ok(self.find_in(server, listing, name))
        });
        let (mut tools, mut failed) = (Vec::new(), Vec::new());
        for found in join_all(found).await {
            match found {
                Ok(tool) => tools.extend(tool),
                Err(error) => failed.push(error),
            }
        }
        self.without_other_accounts(&mut tools);
        (tools, failed)
    }

    /// The tool of that name. A list that lacks it is brought up to date before it is trusted.
    pub(in super::super) async fn find_on(
        &self,
        server: &Arc<Server>,
        name: &str,
    ) -> Result<Option<ResolvedTool>, BindingError> {
        if let Some(tool) = self.find_in(server, server.listing().await?, name) {
            return Ok(Some(tool));
        }
        match server.binding().refresh().await {
            Ok(()) => Ok(self.find_in(server, server.listing().await?, name)),
            Err(error) => {
                tracing::debug!(server = %server.name(), %error, "the server's tools can't be listed again; the last known list stays in use");
                Ok(None)
            }
        }
    }

    /// From here on, servers are waited for as long as a search waits.
    pub(in super::super) fn begin_to_wait(&self) -> Until {
        self.patience.begin()
    }

    /// The tool of that name on that server, as far as it is known without waiting.
    pub(in super::super) fn known_tool_on(&self, server: &str, name: &str) -> Option<ResolvedTool> {
        let server = self.server(server).ok()?;
        self.find_in(server, server.known_listing()?, name)
    }

    /// The tool that a single name means, as far as it is known without waiting, and is the only one.
    pub(in super::super) fn known_tool(&self, name: &str) -> Option<ResolvedTool> {
        let (splits, unclear) = self.splits(name);
        match splits[..] {
            _ if unclear.is_some() => None,
            [(server, tool)] => self.known_tool_on(server.name(), tool),
            [_, ..] => None,
            [] => {
                let listings: Option<Vec<_>> = (self.servers())
                    .map(|server| Some((server, server.known_listing()?)))
                    .collect();
                let found = listings?.into_iter();
                let found =
                    found.filter_map(|(server, listing)| self.find_in(server, listing, name));
                let mut found: Vec<_> = found.collect();
                self.without_other_accounts(&mut found);
                let only = found.pop();
                only.filter(|_| found.is_empty())
            }
        }
    }

    fn find_in(
        &self,
        server: &Arc<Server>,
        listing: Arc<Listing>,
        name: &str,
    ) -> Option<ResolvedTool> {
        if let Some(offered) = self.find_offered(server, &listing, name) {
            return Some(offered);
        }
        let granted = |&index: &usize| self.allows(server, &listing, index);
        let found = match listing.find(name, self.idiom) {
            Lookup::One(index) => Some(index).filter(granted),
            // The grant may have made it clear.
            Lookup::Ambiguous(alike) => {
                match alike.into_iter().filter(granted).collect::<Vec<_>>()[..] {
                    [index] => Some(index),
                    _ => None,
                }
            }
            Lookup::Nothing => None,
        };
        found.map(|index| ResolvedTool {
            server: Arc::clone(server),
            listing,
            index,
            idiom: self.idiom,
            unlisted: None,
        })
    }
}
