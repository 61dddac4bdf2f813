//! The user of an MCP client: from the package to the first saved tokens.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::page::lines;
use super::place::Place;
use crate::dist::check::install_page::commands;
use crate::say;

/// The client's file before the walk: it starts a server itself.
const FILE: &str = r#"{
  "theme": "dark",
  "mcpServers": { "shop": { "command": "ampoule", "args": ["demo-server"] } }
}
"#;

pub(super) fn steps(place: &mut Place) -> Result<()> {
    place.brings("ampoule_", ".deb")?;
    place.writes(".claude.json", FILE)?;
    let said = place.step("install, and run a first script", &commands("deb")?)?;
    ensure!(said.ends_with("\n42\n"), "the first script gives:\n{said}");
    for line in lines("docs/start/mcp-client.md", "sh client")? {
        place.step(&line, &line)?;
    }
    let file: Value = serde_json::from_slice(&fs::read(place.path("root/.claude.json"))?)?;
    let servers = file["mcpServers"].as_object().context("servers")?;
    ensure!(
        servers.keys().eq(["ampoule"]) && file["theme"] == "dark",
        "the client's file is now {file}"
    );
    let cost: Value = serde_json::from_str(&place.prints("ampoule tools cost --json")?)?;
    let [before, after] = ["directly", "throughAmpoule"].map(|key| cost["all"][key].as_u64());
    let (before, after) = (before.context("a number")?, after.context("a number")?);
    ensure!(
        after < before,
        "a conversation has {after} tokens of tools, and had {before}"
    );
    say(&format!(
        "in each conversation, tools take {after} tokens; they took {before}"
    ));
    Ok(())
}
