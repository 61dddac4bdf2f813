//! A sandbox in a program of your own: two Rust functions as tools, and a script that calls them.

#![expect(clippy::print_stdout, reason = "an example shows what it got")]

use ampoule::{Functions, Grant, Runtime, Script};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Lookup {
    city: String,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Weather {
    celsius: f64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let weather = Functions::new("weather").tool(
        "current",
        "The weather in a city, now.",
        async |lookup: Lookup| match lookup.city.as_str() {
            "Oslo" => Ok(Weather { celsius: 4.5 }),
            "Rome" => Ok(Weather { celsius: 21.0 }),
            other => Err(format!("there is no station in {other}")),
        },
    );
    let runtime = Runtime::builder().binding(weather).build()?;
    let script = Script::typescript(
        "const [a, b] = await Promise.all(['Oslo', 'Rome'].map((city) => weather.current({ city }))); return b.celsius - a.celsius",
    );
    let outcome = runtime.isolate(script).grant(Grant::all()).run().await?;
    assert_eq!(outcome.value::<f64>()?, 16.5);
    println!(
        "{} calls, {:?}",
        outcome.usage.calls.len(),
        outcome.usage.wall_time
    );
    Ok(())
}
