//! A server whose entry in the configuration is faulty: it keeps its place in the catalog, and
//! reports why it can't be used.

use std::collections::BTreeMap;
use std::sync::Arc;

use ampoule_config::ConfigError;
use ampoule_projection::Tool;
use ampoule_tools::{Binding, BindingError, CallContext, CallError, ToolResult};
use futures::FutureExt;
use futures::future::{BoxFuture, ready};
use serde_json::{Map, Value};

pub(super) struct DisabledServer {
    name: String,
    reason: String,
}

impl DisabledServer {
    pub(super) fn new(name: String, problem: &str) -> Self {
        let reason = format!(
            "MCP server `{name}` is disabled, since its entry in the configuration is faulty: {problem}"
        );
        Self { name, reason }
    }

    /// One for each of them.
    pub(super) fn all(disabled: &BTreeMap<String, ConfigError>) -> Vec<Self> {
        let disabled = disabled.iter();
        disabled
            .map(|(name, error)| Self::new(name.clone(), &error.without_file()))
            .collect()
    }
}

impl Binding for DisabledServer {
    fn name(&self) -> &str {
        &self.name
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        let message = self.reason.clone();
        ready(Err(BindingError { message })).boxed()
    }

    fn standing(&self) -> Option<&'static str> {
        Some("disabled")
    }

    fn call<'a>(
        &'a self,
        _: &'a str,
        _: Map<String, Value>,
        _: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        ready(Err(CallError::NotReached(self.reason.clone()))).boxed()
    }
}
