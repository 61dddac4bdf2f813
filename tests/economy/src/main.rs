//! Prints what models pay for tools.

#![expect(clippy::print_stdout, reason = "that is what it is for")]

use std::env;
use std::path::PathBuf;

use ampoule_economy::tasks::{self, Installed};
use anyhow::Context;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    print!("{}", ampoule_economy::measured().await?);
    // `cargo xtask agent-economy` installs the servers.
    let folder = |variable| env::var_os(variable).map(PathBuf::from).context(variable);
    let installed = Installed {
        node: folder("AMPOULE_TEST_NODE")?,
        python: folder("AMPOULE_TEST_PYTHON")?,
        ampoule: env::current_exe()?.with_file_name("ampoule"),
    };
    print!("\n{}", tasks::measured(&installed).await?);
    Ok(())
}
