//! A run that one can hold: what happens in it, and its end before its time.

#![expect(clippy::print_stdout, reason = "an example shows what it got")]

use ampoule::{Ending, Event, Runtime, Script};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = Runtime::builder().build()?;
    let script = Script::python(
        "import asyncio\nfor step in range(1_000_000):\n    print('step', step)\n    await asyncio.sleep(0.01)",
    );
    let run = runtime.isolate(script).start().await?;
    let mut events = run.events();
    while let Some(happened) = events.next().await {
        println!("{}", serde_json::to_string(&*happened)?);
        if let Event::Output(line) = &happened.event
            && line.text == "step 3"
        {
            run.cancel();
        }
    }
    let outcome = run.outcome().await?;
    assert!(matches!(outcome.ending, Ending::Cancelled));
    assert!(outcome.output.to_string().starts_with("step 0\nstep 1\n"));
    assert!(outcome.usage.fuel > 0);
    Ok(())
}
