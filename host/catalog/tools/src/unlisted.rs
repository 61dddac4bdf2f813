//! A tool of a server that can't say which tools it has: calling it tells why, as calls of tools
//! do.

use std::sync::Arc;

use ampoule_projection::{Hints, Tool};
use futures::future::{BoxFuture, FutureExt, ready};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};

use super::catalog::Server;
use super::granted::GrantedTools;
use super::resolved::ResolvedTool;
use super::{Binding, BindingError, CallContext, CallError, ToolResult};

/// What languages ask of any object. Of a server whose tools are not known, these are none.
const OF_ANY_OBJECT: [&str; 13] = [
    "catch",
    "constructor",
    "finally",
    "hasOwnProperty",
    "isPrototypeOf",
    "length",
    "name",
    "propertyIsEnumerable",
    "then",
    "toJSON",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// The server as it is for one tool, as long as its list is not known.
pub(super) struct UnlistedServer {
    granted: GrantedTools,
    server: Arc<Server>,
    tools: Arc<[Tool]>,
    /// Why the tool was not found; told once. After that, the server is asked again.
    why: Mutex<Option<BindingError>>,
}

/// The tool that is meant by the name, if it is one.
///
/// # Errors
///
/// Why the server's tools can't be listed, where the name is one that languages ask of any object.
pub(super) fn tool(
    granted: &GrantedTools,
    server: &Arc<Server>,
    name: &str,
    why: BindingError,
) -> Result<ResolvedTool, BindingError> {
    if OF_ANY_OBJECT.contains(&name) {
        return Err(why);
    }
    let tools = [Tool {
        name: name.to_owned(),
        title: None,
        description: None,
        input_schema: json!({ "type": "object" }).into(),
        output_schema: None,
        annotations: Hints::default(),
        ui: None,
        seen: Default::default(),
    }];
    let unlisted = Arc::new(UnlistedServer {
        granted: granted.clone(),
        server: Arc::clone(server),
        tools: tools.into(),
        why: Mutex::new(Some(why)),
    });
    let (server, listing) = Server::of_one_list(unlisted.clone(), &unlisted.tools);
    Ok(ResolvedTool {
        server,
        listing,
        index: 0,
        idiom: granted.idiom,
        unlisted: Some(unlisted),
    })
}

impl UnlistedServer {
    /// The tool as its server lists it by now.
    ///
    /// # Errors
    ///
    /// Why there is none, as its caller reads it.
    pub(super) async fn listed(&self, name: &str) -> Result<ResolvedTool, String> {
        let why = self.why.lock().take();
        if let Some(why) = why {
            return Err(why.message);
        }
        match self.granted.find_on(&self.server, name).await {
            Ok(Some(found)) => Ok(found),
            Ok(None) => Err(self.granted.unknown_tool(&self.server, name).await.message),
            Err(why) => Err(why.message),
        }
    }
}

impl Binding for UnlistedServer {
    fn name(&self) -> &str {
        self.server.name()
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        ready(Ok(Arc::clone(&self.tools))).boxed()
    }

    fn learn<'a>(
        &'a self,
        tool: &'a str,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<Option<Arc<str>>, CallError>> {
        async move {
            let is_prepared = self.server.binding().prepare(context).await?;
            let why = self.why.lock().clone();
            if let Some(why) = why.filter(|_| !is_prepared) {
                return Err(CallError::NotReached(why.message));
            }
            let found = self.granted.find_on(&self.server, tool).await;
            let found = found.map_err(|why| CallError::NotReached(why.message))?;
            if found.as_ref().is_some_and(ResolvedTool::is_repeatable) {
                context.may_be_repeated();
            }
            Ok(found.map(|found| Arc::clone(found.name())))
        }
        .boxed()
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        arguments: Map<String, Value>,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        async move {
            let finding = async {
                if self.server.binding().prepare(&context).await? {
                    // What was told before may be over.
                    self.why.lock().take();
                }
                let found = self.listed(tool).await.map_err(CallError::NotReached)?;
                if found.is_repeatable() {
                    context.may_be_repeated();
                }
                Ok(found)
            };
            let found = context.held_back(finding).await?;
            let effort = self.granted.effort();
            found.call_checked(arguments, context, &effort).await
        }
        .boxed()
    }
}
