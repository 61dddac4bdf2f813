//! The same in each language.

use ampoule::{Functions, Grant, Language, Runtime, Script};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Two {
    a: i64,
    b: i64,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let adding = |two: Two| two.a.checked_add(two.b).ok_or("that is too much");
    let calculator = Functions::new("calculator").sync("add", "Adds two numbers.", adding);
    let runtime = Runtime::builder().binding(calculator).build()?;
    for (language, source) in [
        (
            Language::TypeScript,
            "const sum: number = await calculator.add({ a: 40, b: 2 }); return sum",
        ),
        (
            Language::JavaScript,
            "return await calculator.add({ a: 40, b: 2 })",
        ),
        (Language::Python, "return await calculator.add(a=40, b=2)"),
    ] {
        let isolate = runtime.isolate(Script::new(language, source));
        let outcome = isolate.grant(Grant::all()).run().await?;
        assert_eq!(outcome.value::<i64>()?, 42);
    }
    Ok(())
}
