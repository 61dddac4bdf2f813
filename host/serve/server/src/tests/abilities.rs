//! What servers learn of their clients before they start.

use ampoule::Abilities;
use ampoule_tools::{Binding, BindingError};
use futures::future::BoxFuture;
use parking_lot::Mutex;

use super::*;

/// A server that has nothing, and learns what can be answered.
#[derive(Clone, Default)]
struct Learning(Arc<Mutex<Abilities>>);

impl Binding for Learning {
    fn name(&self) -> &str {
        "learning"
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        Box::pin(async { Ok([].into()) })
    }

    fn offered(&self) -> Arc<[Tool]> {
        ["$prompts", "$resources", "$templates"]
            .map(tool)
            .into_iter()
            .collect()
    }

    fn can_be_answered(&self, abilities: Abilities) {
        *self.0.lock() = abilities;
    }

    fn call<'a>(
        &'a self,
        _: &'a str,
        _: Map<String, Value>,
        _: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        Box::pin(async { ToolResult::returned(&json!([])) })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_starts_for_a_list_knows_what_the_client_can_answer() {
    for method in [
        "tools/list",
        "prompts/list",
        "resources/list",
        "resources/templates/list",
    ] {
        let learning = Learning::default();
        let runtime = Runtime::builder()
            .binding(learning.clone())
            .build()
            .unwrap();
        let server = Server::new(runtime, Grant::all(), &ClientComponents::default()).unwrap();
        let mut client = Client::of(&server).with_session().await;
        assert!(learning.0.lock().is_none());
        let listed = client.ask(method, json!({})).await;
        assert!(listed["result"].is_object(), "{listed}");
        assert!(learning.0.lock().form, "{method}");
    }
}
