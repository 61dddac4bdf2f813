//! A binding of one's own: tools that come from wherever, and are carried out however.

use std::future::ready;
use std::sync::Arc;

use ampoule::{
    Binding, BindingError, CallContext, CallError, Grant, Runtime, Script, Tool, ToolResult,
};
use futures::future::{BoxFuture, FutureExt};
use serde_json::{Map, Value, json};

/// A shelf that scripts put things on.
struct Shelf {
    tools: Arc<[Tool]>,
    things: tokio::sync::Mutex<Vec<Value>>,
}

impl Shelf {
    fn new() -> serde_json::Result<Self> {
        let tools = json!([{
            "name": "put",
            "description": "Puts something on the shelf, and says how much is there.",
            "inputSchema": { "type": "object", "properties": { "thing": {} }, "required": ["thing"] },
            "outputSchema": { "type": "integer" },
        }]);
        let tools: Vec<Tool> = serde_json::from_value(tools)?;
        Ok(Self {
            tools: tools.into(),
            things: tokio::sync::Mutex::default(),
        })
    }
}

impl Binding for Shelf {
    fn name(&self) -> &str {
        "shelf"
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        ready(Ok(Arc::clone(&self.tools))).boxed()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        Some(Arc::clone(&self.tools))
    }

    fn call<'a>(
        &'a self,
        tool: &'a str,
        mut arguments: Map<String, Value>,
        _: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        async move {
            let Some(thing) = arguments.remove("thing").filter(|_| tool == "put") else {
                return Err(CallError::NotReached(format!("there is no {tool}")));
            };
            let mut things = self.things.lock().await;
            things.push(thing);
            ToolResult::returned(&things.len())
        }
        .boxed()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shelf = Arc::new(Shelf::new()?);
    let runtime = Runtime::builder().binding(Arc::clone(&shelf)).build()?;
    let script =
        Script::javascript("await shelf.put({ thing: 'a' }); return await shelf.put({ thing: 2 })");
    let outcome = runtime.isolate(script).grant(Grant::all()).run().await?;
    assert_eq!(outcome.value::<u32>()?, 2);
    assert_eq!(*shelf.things.lock().await, ["a".into(), Value::from(2)]);
    // What there is can be asked, too.
    let tools = runtime.tools(Grant::all())?;
    let found = tools.search("put something on a shelf", 5, None).await?;
    assert_eq!(found.hits[0].name(), &"put".into());
    Ok(())
}
