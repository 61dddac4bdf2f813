//! The server as a binding: what belongs to a principal is asked of the principal's connection, the rest
//! of the connection whose list of tools is shown.

use std::sync::Arc;

use ampoule_projection::Tool;
use ampoule_tools::{
    Abilities, Binding, BindingError, CallContext, CallError, ListVersions, Principal,
    Subscription, ToolResult,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Map, Value};
use tokio::sync::watch::Receiver;

use super::{NEEDS_SIGN_IN, PrincipalServer};

impl Binding for PrincipalServer {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> Option<String> {
        self.lister().description()
    }

    fn says_it_is(&self) -> Option<String> {
        self.lister().says_it_is()
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        self.listed().boxed()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        self.lister().known_tools()
    }

    fn offered(&self) -> Arc<[Tool]> {
        self.lister().offered()
    }

    fn starting(&self) -> Option<String> {
        self.lister().starting()
    }

    fn trouble(&self) -> Option<String> {
        let lister = self.lister();
        match (lister.standing(), lister.known_tools()) {
            // It says nothing of who calls.
            (Some(NEEDS_SIGN_IN), Some(_)) => None,
            (Some(NEEDS_SIGN_IN), None) => Some(self.nobody()),
            _ => lister.trouble(),
        }
    }

    fn standing(&self) -> Option<&'static str> {
        self.lister().standing()
    }

    fn problems(&self) -> Arc<[String]> {
        self.lister().problems()
    }

    fn secrets(&self) -> Vec<String> {
        let all = self.connections.all().into_iter();
        let theirs = all.flat_map(|connection| connection.binding.secrets());
        theirs.chain(self.host.secrets()).collect()
    }

    fn refresh(&self) -> BoxFuture<'_, Result<(), BindingError>> {
        async move { self.lister().refresh().await }.boxed()
    }

    fn prepare<'a>(&'a self, context: &'a CallContext) -> BoxFuture<'a, Result<bool, CallError>> {
        self.prepared(context).boxed()
    }

    fn can_be_answered(&self, abilities: Abilities) {
        *self.abilities.lock() = Some(abilities);
        self.host.can_be_answered(abilities);
        for connection in self.connections.all() {
            connection.binding.can_be_answered(abilities);
        }
    }

    fn list_changes(&self, principal: Option<&Principal>) -> Option<Receiver<ListVersions>> {
        let Some(principal) = principal else {
            return self.host.list_changes(None);
        };
        let all = self.connections.all();
        let theirs = all.iter().find(|it| it.principal == *principal.name())?;
        theirs.binding.list_changes(None)
    }

    fn subscribe<'a>(
        &'a self,
        address: &'a str,
        principal: Option<&'a Principal>,
    ) -> BoxFuture<'a, Result<Subscription, CallError>> {
        let Some(principal) = principal else {
            return self.host.subscribe(address, None);
        };
        async move {
            let connection = self.connection(principal).await?;
            let subscribed = connection.binding.subscribe(address, None).await?;
            Ok(subscribed.holding(connection))
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        match context.call().principal.clone() {
            None => self.host.call(tool, arguments, context),
            Some(principal) => {
                async move { self.call_for(&principal, tool, arguments, context).await }.boxed()
            }
        }
    }

    fn restart(&self) -> bool {
        let all = self.connections.all();
        for connection in &all {
            connection.binding.restart();
        }
        self.host.restart() || !all.is_empty()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        async move {
            let all = self.connections.take();
            let closing = all.iter().map(|connection| connection.binding.close());
            futures::future::join_all(closing).await;
            self.host.close().await;
        }
        .boxed()
    }
}
