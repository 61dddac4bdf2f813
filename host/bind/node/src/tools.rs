//! Functions of JavaScript as tools.

use std::sync::Arc;

use ampoule_foreign::{Caller, ToolCall, Tools};
use futures::FutureExt;
use futures::future::BoxFuture;
use napi_derive::napi;

use crate::desk::{Desk, Shared};
use crate::thrown;

/// The tools of one server, for any number of runs. The receiver of their calls knows their
/// functions.
#[napi]
pub struct NativeTools {
    pub(crate) tools: Tools,
}

#[napi]
impl NativeTools {
    /// Tools as MCP describes them, a JSON array.
    #[napi(constructor)]
    pub fn new(desk: &Desk, server: String, tools: String) -> napi::Result<Self, String> {
        let told = NodeTools {
            desk: Arc::clone(desk.shared()),
            server: server.clone(),
        };
        Ok(Self {
            tools: thrown(|| Tools::new(&server, &tools, told))?,
        })
    }
}

/// Has calls carried out by Node's thread.
struct NodeTools {
    desk: Arc<Shared>,
    server: String,
}

impl Caller for NodeTools {
    fn call(&self, call: ToolCall) -> BoxFuture<'static, Result<String, String>> {
        self.desk.call(&self.server, call).boxed()
    }

    fn only_awaits_answers(&self) -> bool {
        true
    }
}
