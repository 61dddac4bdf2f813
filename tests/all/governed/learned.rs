//! Tools that the host learned of since the runtime was made.

use ampoule::{Binding, BindingError, CallContext, CallError, Ending, Principal};
use futures::FutureExt;
use futures::future::BoxFuture;

use super::*;

/// A server that nobody asked for its tools when the runtime was made.
#[derive(Clone, Default)]
struct Late(Arc<Mutex<Option<Arc<[Tool]>>>>);

impl Late {
    /// Lists its tools, as a page of the console does, past the runs.
    fn list(&self) -> Arc<[Tool]> {
        let mut listed = self.0.lock().unwrap();
        let made = || Arc::from([tool("read", json!({ "readOnlyHint": true }))]);
        Arc::clone(listed.get_or_insert_with(made))
    }
}

impl Binding for Late {
    fn name(&self) -> &str {
        "late"
    }

    fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
        std::future::ready(Ok(self.list())).boxed()
    }

    fn known_tools(&self) -> Option<Arc<[Tool]>> {
        self.0.lock().unwrap().clone()
    }

    fn call<'a>(
        &'a self,
        _: &'a str,
        _: Map<String, Value>,
        _: CallContext,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        answered(json!("hello")).boxed()
    }
}

const NOT_FOR_BOB: &str = r#"@id("none-of-it")
    forbid(principal == User::"bob", action == Action::"late.read", resource);"#;

/// A runtime whose server has listed its tools since.
fn runtime(world: &World) -> Runtime {
    let late = KnownServer {
        name: "late".into(),
        says_it_is: None,
        tools: None,
        offered: Arc::default(),
    };
    let servers = known().into_iter().chain([late]).collect();
    let governance = policies(NOT_FOR_BOB).servers(servers).build().unwrap();
    let late = Late::default();
    let builder = world.builder(&governance).binding(late.clone());
    let runtime = builder.build().unwrap();
    late.list();
    runtime
}

#[tokio::test]
async fn the_first_run_after_a_server_s_tools_became_known_has_them() {
    let calls = [
        "return await tools.call('late.read', {})",
        "return await tools.late.read({})",
    ];
    for source in calls {
        let (world, ada) = (World::new(), Principal::new("ada"));
        let runtime = runtime(&world);
        let first = typescript(&runtime, source).principal(ada);
        assert_eq!(value(&first.run().await.unwrap()), "hello", "{source}");
    }
}

#[tokio::test]
async fn whom_none_of_them_is_for_calls_none_of_them_from_the_first_run_on() {
    let (world, bob) = (World::new(), Principal::new("bob"));
    let runtime = runtime(&world);
    for _ in 0..2 {
        let source = "return await tools.call('late.read', {})";
        let tried = typescript(&runtime, source).principal(bob.clone());
        let outcome = tried.run().await.unwrap();
        let Ending::Threw(thrown) = outcome.ending else {
            panic!("{:?}", outcome.ending)
        };
        assert!(thrown.message.contains("late"), "{thrown}");
        assert!(!thrown.message.contains("policy"), "{thrown}");
    }
    let tools = runtime.tools_of(Grant::all(), Some(&bob), None).unwrap();
    assert!(tools.servers().all(|server| &**server.name() != "late"));
}
