//! What calls pass on their way.

use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::sync::oneshot;

use super::*;

/// Lets a call pass as a function says.
struct FunctionLayer<F>(F);

impl<F, A> Interceptor for FunctionLayer<F>
where
    F: Fn(PassingCall) -> A + Send + Sync + 'static,
    A: Future<Output = Result<String, String>> + Send + 'static,
{
    fn pass(&self, call: PassingCall) -> BoxFuture<'static, Result<String, String>> {
        (self.0)(call).boxed()
    }
}

/// Sends a call on, and waits for what it comes to.
async fn sent(call: PassingCall, arguments: &str) -> Option<String> {
    let (tell, told) = oneshot::channel();
    call.onward
        .send(arguments.to_owned(), |came_to| drop(tell.send(came_to)));
    told.await.expect("it is always told")
}

fn answered<A>(
    pass: impl Fn(PassingCall) -> A + Send + Sync + 'static,
    call: &str,
) -> serde_json::Value
where
    A: Future<Output = Result<String, String>> + Send + 'static,
{
    let source =
        format!("try {{ return await host.{call} }} catch (e) {{ return [e.kind, e.message] }}");
    let outcome = runtime().run_here(
        code(&source),
        &[tools().0],
        &[Layer::new(FunctionLayer(pass))],
        || true,
    );
    read(&outcome.expect("an outcome"))["value"].clone()
}

#[test]
fn a_call_passes_a_layer_with_other_arguments_and_comes_back_as_mcp_has_it() {
    let pass = |call: PassingCall| async move {
        assert_eq!(&*call.call.tool, "double");
        assert_eq!(call.arguments, r#"{"n":1}"#);
        let came_to = sent(call, r#"{"n":21}"#).await.expect("a result");
        assert_eq!(
            read(&came_to),
            json!({ "content": [], "structuredContent": 42, "isError": false })
        );
        Ok(came_to)
    };
    assert_eq!(answered(pass, "double({ n: 1 })"), 42);
}

#[test]
fn a_layer_answers_in_the_place_of_the_tool_or_says_why_not() {
    for (answer, value) in [
        (r#"{"structuredContent":"mine"}"#, json!("mine")),
        (
            r#"{"kind":"denied","message":"no"}"#,
            json!(["denied", "no"]),
        ),
        (
            r#"{"kind":"failed","message":"no"}"#,
            json!(["failed", "no"]),
        ),
        (r#"{"kind":"lost","message":"no"}"#, json!(["lost", "no"])),
    ] {
        let pass = move |_| async move { Ok(answer.to_owned()) };
        assert_eq!(answered(pass, "double({ n: 1 })"), value);
    }
    let failed = |_| async { Err("it raised".to_owned()) };
    assert_eq!(answered(failed, "never()"), json!(["failed", "it raised"]));
}

#[test]
fn what_a_layer_can_t_mean_fails_the_call_alone() {
    for answer in [
        "[",
        "[]",
        "7",
        r#"{"kind":"nonsense","message":"no"}"#,
        r#"{"kind":1}"#,
        r#"{"content":"a text"}"#,
    ] {
        let unreadable = move |_| async move { Ok(answer.to_owned()) };
        let said = answered(unreadable, "double({ n: 1 })");
        assert_eq!(said[0], "protocol", "{answer}: {said}");
    }
    let arguments = |call| async move {
        let came_to = sent(call, "[1]").await.expect("a failure");
        assert_eq!(read(&came_to)["kind"], "refused", "{came_to}");
        Ok(came_to)
    };
    let said = answered(arguments, "double({ n: 1 })");
    assert_eq!(said[0], "refused", "{said}");
}

#[test]
fn a_layer_hears_when_nobody_waits_for_its_call_any_more() {
    let (tell, told) = mpsc::channel();
    let pass = move |call: PassingCall| {
        let tell = tell.clone();
        async move {
            call.onward.send("{}".to_owned(), move |came_to| {
                let _ = tell.send(came_to);
            });
            std::future::pending().await
        }
    };
    let options = RunOptions {
        limits: json!({ "wall-time": 100 })
            .as_object()
            .cloned()
            .unwrap_or_default(),
        ..code("await host.never()")
    };
    let layers = [Layer::new(FunctionLayer(pass))];
    let runtime = runtime();
    let outcome = runtime.run_here(options, &[tools().0], &layers, || true);
    assert_eq!(read(&outcome.expect("an outcome"))["limit"], "wall-time");
    assert_eq!(told.recv_timeout(Duration::from_secs(10)), Ok(None));
}
