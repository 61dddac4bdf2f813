//! What is said about names that no granted tool or server has.

use super::*;

impl GrantedTools {
    pub(super) fn unknown_server(&self, name: &str) -> UnknownNameError {
        if let Some(unknown) = self.unknown_account(name) {
            return unknown;
        }
        let (servers, effort) = (Server::names(self.servers()), self.effort());
        // Broken off or not, this is what is said.
        let _ = effort.spend(spelling::price(name, servers.len()));
        UnknownNameError::server(name, &self.known(&servers, &effort))
    }

    pub(in super::super) async fn unknown_tool(
        &self,
        server: &Arc<Server>,
        name: &str,
    ) -> UnknownNameError {
        let part = match self.listed(server, self.patience.begin()).await {
            Ok(part) => part,
            Err(error) => return error.into(),
        };
        if let Some(why) = self.left_out(server, name) {
            return why;
        }
        let (server, parts) = (server.name().to_string(), vec![part, self.offered(server)]);
        let identifier = |tool: ResolvedTool| tool.identifier().to_owned();
        self.unknown(name, parts, identifier, move |name, granted| {
            UnknownNameError::tool_of(&server, name, granted)
        })
        .await
    }

    /// Why a granted tool that the server lists is not there.
    fn left_out(&self, server: &Server, name: &str) -> Option<UnknownNameError> {
        let problems = server.binding().problems();
        let is_granted = |problem: &&String| {
            unknown::named(problem).is_some_and(|it| self.grant.allows(server.name(), it))
        };
        let problems: Vec<_> = problems.iter().filter(is_granted).cloned().collect();
        UnknownNameError::left_out(server.name(), name, &problems)
    }

    pub(super) async fn unknown_anywhere(
        &self,
        name: &str,
        until: patience::Until,
    ) -> UnknownNameError {
        let parts = join_all(self.servers().map(|server| self.listed(server, until))).await;
        let parts = parts.into_iter().flatten().collect();
        let qualified = |tool: ResolvedTool| tool.qualified_name();
        self.unknown(name, parts, qualified, UnknownNameError::tool)
            .await
    }

    /// What is said about a name that none of these tools has.
    async fn unknown(
        &self,
        name: &str,
        parts: Vec<Part>,
        spelt: impl Fn(ResolvedTool) -> String + Send + 'static,
        said: impl FnOnce(&str, &KnownNames<'_>) -> UnknownNameError + Send + 'static,
    ) -> UnknownNameError {
        let count = parts.iter().map(|part| part.places.len()).sum();
        let (price, name, idiom) = (spelling::price(name, count), name.to_owned(), self.idiom);
        let effort = self.effort();
        let unknown = effort.work(price, move |effort| {
            let tools = parts.iter().flat_map(|part| part.all(idiom));
            let names: Vec<String> = tools.map(spelt).collect();
            let known = KnownNames {
                names: &names,
                idiom,
                effort,
            };
            Ok(said(&name, &known))
        });
        unknown.await.unwrap_or_else(UnknownNameError::from)
    }

    pub(super) fn known<'a>(&self, names: &'a [String], effort: &'a Effort) -> KnownNames<'a> {
        KnownNames {
            names,
            idiom: self.idiom,
            effort,
        }
    }
}
