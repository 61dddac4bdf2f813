//! Prints what models pay for tools.

#![expect(clippy::print_stdout, reason = "that is what it is for")]

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    print!("{}", ampoule_economy::measured().await?);
    Ok(())
}
