//! What stands between a run and its tools: a layer that counts, and one that asks somebody first.

#![expect(clippy::print_stdout, reason = "an example shows what it got")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use ampoule::{
    CallContext, CallError, Functions, Grant, Layer, Limits, Next, Runtime, Script, ToolResult,
};
use futures::future::BoxFuture;
use serde_json::{Map, Value};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Order {
    id: u64,
}

/// Counts the calls that got an answer.
#[derive(Clone, Default)]
struct Count(Arc<AtomicU64>);

impl Layer for Count {
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        Box::pin(async move {
            let answer = next.call(arguments, context).await?;
            self.0.fetch_add(1, Relaxed);
            Ok(answer)
        })
    }
}

/// Lets somebody decide, whose time is not the run's.
struct Ask;

impl Ask {
    async fn may(arguments: &Map<String, Value>) -> bool {
        // A person would be shown the call here.
        tokio::time::sleep(Duration::from_millis(300)).await;
        arguments["id"] != 2
    }
}

impl Layer for Ask {
    fn call<'a>(
        &'a self,
        arguments: Map<String, Value>,
        context: CallContext,
        next: Next<'a>,
    ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
        Box::pin(async move {
            let paused = context.deadline().pause();
            let may = Self::may(&arguments).await;
            drop(paused);
            if !may {
                let why = format!("{} was not allowed", context.call().tool);
                return Err(CallError::Denied(why));
            }
            next.call(arguments, context).await
        })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let cancelling = async |order: Order| Ok::<_, String>(format!("order {} is off", order.id));
    let shop = Functions::new("shop").tool("cancel", "Cancels an order.", cancelling);
    let count = Count::default();
    let runtime = Runtime::builder()
        .binding(shop)
        .layer(count.clone())
        .layer(Ask)
        .build()?;
    let script = Script::typescript(
        "const ended = await Promise.allSettled([1, 2].map((id) => shop.cancel({ id })));
        return ended.map((each) => each.value ?? each.reason.message)",
    );
    // Less than the answers take.
    let limits = Limits {
        wall_time: Duration::from_millis(250),
        ..Limits::default()
    };
    let isolate = runtime.isolate(script).grant(Grant::all()).limits(limits)?;
    let outcome = isolate.run().await?;
    assert_eq!(
        outcome.value::<[String; 2]>()?,
        ["order 1 is off", "cancel was not allowed"]
    );
    assert_eq!(count.0.load(Relaxed), 1);
    println!("{:?}", outcome.usage.wall_time);
    Ok(())
}
