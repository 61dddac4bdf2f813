//! Functions of JavaScript as tools.

use std::sync::Arc;

use ampoule_foreign::Tools;
use napi_derive::napi;

use crate::desk::Desk;
use crate::thrown;

/// The tools of one server, for any number of runs. Which functions they are is known where their
/// calls are [told](crate::Message).
#[napi]
pub struct NativeTools {
    pub(crate) tools: Tools,
}

#[napi]
impl NativeTools {
    /// Tools as MCP describes them, a JSON array.
    #[napi(constructor)]
    pub fn new(desk: &Desk, server: String, tools: String) -> napi::Result<Self, String> {
        let (desk, name) = (Arc::clone(desk.shared()), server.clone());
        let call = move |call, reply| desk.call(&name, call, reply);
        let tools = Tools::by_callback(&server, &tools, call);
        let tools = tools.map_err(|fault| thrown(&fault))?;
        Ok(Self { tools })
    }
}
