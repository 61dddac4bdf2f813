//! An operator: from the package to the first line of a second user in the audit log.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::page::{blocks, lines};
use super::place::Place;
use crate::dist::check::install_page::commands;

const PAGE: &str = "docs/start/team.md";
/// Where the page's server is; a walk takes a port that is free.
const ADDRESS: &str = "http://127.0.0.1:8080/mcp";

/// A server, which ends with this.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(super) fn steps(place: &mut Place) -> Result<()> {
    let files = blocks(PAGE, "toml")?;
    let [config, of_bob] = &*files else {
        bail!("{PAGE} should have the configurations of a server and of a client");
    };
    place.brings("ampoule_", ".deb")?;
    place.step("install, and run a first script", &commands("deb")?)?;
    place.writes("ampoule.toml", config)?;
    let (mut tokens, mut serve) = (Vec::new(), None);
    for line in lines(PAGE, "sh team")? {
        match line.starts_with("ampoule serve") {
            true => serve = Some(line),
            false => tokens.push(place.step(&line, &line)?.trim().to_owned()),
        }
    }
    let serve = serve.context("the page starts no server")?;
    let started = Instant::now();
    let (_server, address) = served(place, &serve.replace(" 8080", " 0"))?;
    place.took(&serve, started);
    let token = tokens.get(1).context("the page gives Bob no token")?;
    let of_bob = of_bob.replace("TOKEN", token).replace(ADDRESS, &address);
    place.writes("bob.toml", &of_bob)?;
    for line in lines(PAGE, "sh bob")? {
        let said = place.step("the second user's first call", &line)?;
        ensure!(said.trim() == "40", "the second user gets {said}");
    }
    let log = place.step("read the audit log", "ampoule audit ls --json --all")?;
    let is_bobs = |line: &str| {
        let event: Value = serde_json::from_str(line).unwrap_or_default();
        let tool = event["tool"].as_str().unwrap_or_default();
        event["principal"] == "bob" && tool.contains("list_products")
    };
    ensure!(
        log.lines().any(is_bobs),
        "the audit log has no call of the second user:\n{log}"
    );
    Ok(())
}

/// Starts the server, which says where it is.
fn served(place: &Place, line: &str) -> Result<(Server, String)> {
    let mut command = place.command(line);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut server = Server(command.spawn()?);
    let said = server.0.stderr.take().context("a pipe")?;
    let mut lines = BufReader::new(said).lines().map_while(Result::ok);
    let mut before = String::new();
    let address = lines.find_map(|line| {
        let address = line.split_once("serving MCP at ");
        before += &format!("{line}\n");
        Some(address?.1.trim().to_owned())
    });
    let address = address.with_context(|| format!("the server ended:\n{before}"))?;
    // What the server prints later is read, too: a full pipe would stop it.
    std::thread::spawn(move || lines.for_each(drop));
    Ok((server, address))
}
