//! The account of a server that scripts mean who name none.

use std::sync::Arc;

use ampoule_projection::Tool;
use ampoule_tools::{Binding, BindingError, CallContext, CallError, ToolResult};
use futures::future::BoxFuture;
use serde_json::{Map, Value};

/// A binding that is the default account of its server.
pub(super) struct DefaultAccount(pub(super) Arc<dyn Binding>);

impl Binding for DefaultAccount {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn inner(&self) -> Option<&dyn Binding> {
        Some(&*self.0)
    }

    fn is_default_account(&self) -> bool {
        true
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        self.0.tools()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        self.0.call(tool, arguments, context)
    }
}
