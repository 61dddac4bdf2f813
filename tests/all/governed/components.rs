//! Components that are tools: their calls are calls of the run that calls them.

use ampoule::{Component, ComponentTool};
use ampoule_tests::lowered::typed_calling;

use super::*;

/// A component that makes one call.
fn calling(server: &str, name: &str, arguments: &Value) -> ComponentTool {
    let wasm = typed_calling(server, &tool(name, json!({})), arguments).unwrap();
    let component = Component::from_bytes(wasm).unwrap();
    ComponentTool::new(name, component).grant(server.parse().unwrap())
}

/// A company whose mails get nothing of customers, with components that look one up, and send a mail.
fn runtime(world: &World) -> Runtime {
    let refuses = json!({ "mail.send": { "labels": "customers", "then": "deny", "reason": "customers stay here" } });
    let governance = labelled(refuses).build().unwrap();
    let tools = vec![
        calling("crm", "get", &json!({})),
        calling("mail", "send", &json!({ "to": "eve" })),
    ];
    let builder = world.builder(&governance).component_tools(tools);
    builder.build().unwrap()
}

#[tokio::test]
async fn what_a_component_reads_labels_the_run_that_calls_it() {
    let world = World::new();
    let source = "
        await tools.components.get({ who: 'me' });
        return await tools.mail.send({ to: 'eve' }).then(() => 'sent', error => String(error))";
    let told = value(&typescript(&runtime(&world), source).run().await.unwrap());
    assert!(told.to_string().contains("customers stay here"), "{told}");
    assert_eq!(world.sent(), []);
}

#[tokio::test]
async fn a_component_may_do_what_the_run_may_with_what_it_has_read() {
    let world = World::new();
    let runtime = runtime(&world);
    let sends =
        "await tools.components.send({ who: 'me' }).then(() => 'sent', error => String(error))";
    let source = format!("await tools.crm.get(); return {sends}");
    let told = value(&typescript(&runtime, &source).run().await.unwrap());
    assert!(told.to_string().contains("customers stay here"), "{told}");
    assert_eq!(world.sent(), []);
    // Each call is one of its own, also at the same time.
    let source = "
        const send = () => tools.components.send({ who: 'me' });
        return await Promise.all([send(), send(), send()])";
    let told = value(&typescript(&runtime, source).run().await.unwrap());
    assert_eq!(told, json!(["null", "null", "null"]));
    assert_eq!(world.sent().len(), 3);
}
