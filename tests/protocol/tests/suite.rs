//! MCP's conformance suite, npm's `@modelcontextprotocol/conformance`: every scenario of both of
//! the protocol's lifecycles, for clients with `conformance-client` as the client, for servers with
//! `conformance-server` before `conformance-upstream`, which speak the version that is tested; and
//! `ampoule serve --http` before the same, whose tools are direct tools there. `conformance-renamer`
//! gives them the names by which the suite calls them.
//!
//! `scenarios.json`, `server-scenarios.json` and `serve-scenarios.json` have what is expected:
//! which scenarios pass, which checks of the others fail, and what is not played, by the reason. A
//! check that fails and is not there fails here, and so does one that passes and is. Warnings count
//! as failures, and so does what is skipped where nothing else is checked.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};
use futures::{StreamExt, TryStreamExt};
use serde::Deserialize;
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// How many scenarios for clients are played at once. All at once, as the suite itself would, the
/// client has to share the processor with a hundred others, and takes slow servers for old ones.
const AT_ONCE: usize = 2;

/// The server with the suite's tools, as `ampoule serve` knows it.
const SUITE: &str = "suite";

/// What is expected of a version's scenarios.
#[derive(Deserialize)]
struct Expected {
    passed: BTreeSet<String>,
    /// By the reason, the checks that fail, by scenario.
    failed: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
    /// By the reason, the scenarios that are about what the party does not have.
    #[serde(default)]
    not_played: BTreeMap<String, BTreeSet<String>>,
}

/// Where the suite is, and what it runs on.
struct Suite {
    folder: PathBuf,
    node: PathBuf,
}

/// Whom scenarios are for.
#[derive(Clone, Copy)]
enum Party<'a> {
    /// Started by the suite, anew for each.
    Client,
    Server(&'a Server),
}

/// A server that is there already.
struct Server {
    url: String,
    _processes: Vec<Process>,
    _home: TempDir,
}

/// A process that listens.
struct Process {
    url: String,
    _child: Child,
    /// As long as somebody may read it, it can print.
    _said: Box<dyn AsyncBufRead + Unpin>,
}

#[tokio::test]
async fn every_scenario_of_2025_11_25() -> Result<()> {
    let Some(suite) = Suite::find("every_scenario_of_2025_11_25").await else {
        return Ok(());
    };
    let expected = include_str!("scenarios.json");
    suite
        .comes_out_as(expected, Party::Client, "2025-11-25")
        .await
}

#[tokio::test]
async fn every_scenario_of_2026_07_28() -> Result<()> {
    let Some(suite) = Suite::find("every_scenario_of_2026_07_28").await else {
        return Ok(());
    };
    let expected = include_str!("scenarios.json");
    suite
        .comes_out_as(expected, Party::Client, "2026-07-28")
        .await
}

#[tokio::test]
async fn every_scenario_for_servers_of_2025_11_25() -> Result<()> {
    let Some(suite) = Suite::find("every_scenario_for_servers_of_2025_11_25").await else {
        return Ok(());
    };
    let expected = include_str!("server-scenarios.json");
    let server = Server::before_one_of("2025-11-25").await?;
    suite
        .comes_out_as(expected, Party::Server(&server), "2025-11-25")
        .await
}

#[tokio::test]
async fn every_scenario_for_servers_of_2026_07_28() -> Result<()> {
    let Some(suite) = Suite::find("every_scenario_for_servers_of_2026_07_28").await else {
        return Ok(());
    };
    let expected = include_str!("server-scenarios.json");
    let server = Server::before_one_of("2026-07-28").await?;
    suite
        .comes_out_as(expected, Party::Server(&server), "2026-07-28")
        .await
}

#[tokio::test]
async fn every_scenario_for_ampoule_serve_of_2025_11_25() -> Result<()> {
    let Some(suite) = Suite::find("every_scenario_for_ampoule_serve_of_2025_11_25").await else {
        return Ok(());
    };
    let expected = include_str!("serve-scenarios.json");
    let server = Server::ampoule("2025-11-25").await?;
    suite
        .comes_out_as(expected, Party::Server(&server), "2025-11-25")
        .await
}

#[tokio::test]
async fn every_scenario_for_ampoule_serve_of_2026_07_28() -> Result<()> {
    let Some(suite) = Suite::find("every_scenario_for_ampoule_serve_of_2026_07_28").await else {
        return Ok(());
    };
    let expected = include_str!("serve-scenarios.json");
    let server = Server::ampoule("2026-07-28").await?;
    suite
        .comes_out_as(expected, Party::Server(&server), "2026-07-28")
        .await
}

impl Server {
    /// What passes requests on to a server of that version.
    async fn before_one_of(version: &str) -> Result<Self> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_conformance-server"));
        command.args([env!("CARGO_BIN_EXE_conformance-upstream"), version]);
        let home = tempfile::tempdir()?;
        let process = Process::start(command.stdout(Stdio::piped()), "", home.path()).await?;
        Ok(Self::of(vec![process], home))
    }

    /// `ampoule serve --http` before a server of that version, whose tools are direct, and whose
    /// prompts and resources it offers; and what gives the tools other names.
    async fn ampoule(version: &str) -> Result<Self> {
        let home = tempfile::tempdir()?;
        let upstream = env!("CARGO_BIN_EXE_conformance-upstream");
        let config = format!(
            "[servers.{SUITE}]\ncommand = {upstream:?}\nargs = [{version:?}]\n\n[exposure]\ndirect = [\"{SUITE}\"]\n"
        );
        std::fs::write(home.path().join("ampoule.toml"), config)?;
        let renamer = Path::new(env!("CARGO_BIN_EXE_conformance-renamer"));
        let mut command = Command::new(renamer.with_file_name("ampoule"));
        command.args(["serve", "--http", "0"]);
        let piped = command.stderr(Stdio::piped());
        let serve = Process::start(piped, "serving MCP at ", home.path()).await?;
        let mut command = Command::new(renamer);
        command.args([&serve.url, SUITE]);
        let piped = command.stdout(Stdio::piped());
        let renamer = Process::start(piped, "", home.path()).await?;
        Ok(Self::of(vec![serve, renamer], home))
    }

    /// The last of these, which needs the others.
    fn of(processes: Vec<Process>, home: TempDir) -> Self {
        Self {
            url: processes
                .last()
                .map_or_else(String::new, |it| it.url.clone()),
            _processes: processes,
            _home: home,
        }
    }
}

impl Process {
    /// One that says its address once it listens, after these words.
    async fn start(command: &mut Command, words: &str, home: &Path) -> Result<Self> {
        let in_it = command
            .current_dir(home)
            .env("XDG_CONFIG_HOME", home)
            .env("XDG_RUNTIME_DIR", home)
            .kill_on_drop(true);
        let mut child = in_it.spawn().context("build all programs first")?;
        let mut said: Box<dyn AsyncBufRead + Unpin> = match child.stdout.take() {
            Some(printed) => Box::new(BufReader::new(printed)),
            None => Box::new(BufReader::new(child.stderr.take().context("a pipe")?)),
        };
        let url = loop {
            let mut line = String::new();
            ensure!(said.read_line(&mut line).await? > 0, "the server ended");
            if let Some((_, url)) = line.split_once(words) {
                break url.trim().to_owned();
            }
        };
        Ok(Self {
            url,
            _child: child,
            _said: said,
        })
    }
}

impl Suite {
    /// The suite as `cargo xtask test` installs it, with the Node.js that it needs.
    async fn find(test: &str) -> Option<Self> {
        let folder = std::env::var_os("AMPOULE_TEST_NODE").map(PathBuf::from);
        let modules = folder.unwrap_or_default().join("node_modules");
        let suite = Self {
            folder: modules.join("@modelcontextprotocol/conformance"),
            node: modules.join("node/bin/node"),
        };
        let runs = suite.run(&["--version"]).output().await;
        if runs.is_ok_and(|ran| ran.status.success()) {
            return Some(suite);
        }
        let reason = "AMPOULE_TEST_NODE names no folder with MCP's conformance suite, and a Node.js for it; `cargo xtask test` installs both where it can";
        assert!(
            std::env::var_os("CI").is_none(),
            "{test} can't run: {reason}"
        );
        if let Some(folder) = std::env::var_os("AMPOULE_SKIPPED") {
            std::fs::write(Path::new(&folder).join(test), reason)
                .expect("a note of what was skipped");
        }
        None
    }

    fn run(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.node);
        command
            .arg(self.folder.join("dist/index.js"))
            .args(arguments)
            .kill_on_drop(true);
        command
    }

    /// Plays all scenarios for a party, and compares.
    async fn comes_out_as(&self, expected: &str, party: Party<'_>, version: &str) -> Result<()> {
        let mut expected: BTreeMap<String, Expected> = serde_json::from_str(expected)?;
        let expected = expected.remove(version).context("a version of the table")?;
        let mut checks: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        checks.extend(expected.passed.into_iter().map(|it| (it, BTreeSet::new())));
        checks.extend(expected.failed.into_values().flatten());
        let mut listed = self.scenarios(party, version).await?;
        let not_played: BTreeSet<String> = expected.not_played.into_values().flatten().collect();
        let known: BTreeSet<String> = checks.keys().chain(&not_played).cloned().collect();
        assert_eq!(known, listed, "the table's scenarios, and the suite's");
        listed.retain(|scenario| !not_played.contains(scenario));

        let played = match party {
            Party::Client => self.play_client(version, &listed).await?,
            Party::Server(server) => self.play_server(server, version, &listed).await?,
        };
        let mut differences = Vec::new();
        for Played {
            scenario,
            failed,
            said,
        } in played
        {
            let expected = &checks[&scenario];
            if failed != *expected {
                differences.push(format!(
                    "{scenario}: {failed:?} fail, and {expected:?} were expected to:\n{said}"
                ));
            }
        }
        assert!(differences.is_empty(), "{}", differences.join("\n"));
        Ok(())
    }

    /// A party's scenarios of a version: those that it requires, and those that the suite plays
    /// besides.
    async fn scenarios(&self, party: Party<'_>, version: &str) -> Result<BTreeSet<String>> {
        let mut list = self.run(&["list", "--requirements", version]);
        let listed = list.output().await?;
        let listed = String::from_utf8(listed.stdout)?;
        let (heading, mark) = match party {
            Party::Client => ("Client scenarios", "[client]"),
            Party::Server(_) => ("Server scenarios", "[server]"),
        };
        let (_, theirs) = listed.split_once(heading).context("a list")?;
        let (required, besides) = theirs.split_once("\n\n").unwrap_or((theirs, ""));
        let besides = besides.lines().filter(|line| line.ends_with(mark));
        let named = |line: &str| {
            Some(
                line.trim()
                    .strip_prefix("- ")?
                    .split(' ')
                    .next()?
                    .to_owned(),
            )
        };
        Ok(required.lines().chain(besides).filter_map(named).collect())
    }

    /// Plays scenarios for a client, each in a process of its own.
    async fn play_client(
        &self,
        version: &str,
        scenarios: &BTreeSet<String>,
    ) -> Result<Vec<Played>> {
        let played = futures::stream::iter(scenarios).map(|scenario| async move {
            let results = tempfile::tempdir()?;
            let mut played = self.run(&["client", "--spec-version", version, "--force"]);
            played
                .args(["--scenario", scenario])
                .args(["--command", env!("CARGO_BIN_EXE_conformance-client")])
                .arg("--output-dir")
                .arg(results.path());
            let played = played.output().await?;
            let checks = checks_in(results.path()).with_context(|| {
                let said = String::from_utf8_lossy(&played.stderr);
                format!("{scenario}: the suite writes no results: {said}")
            })?;
            let said = std::fs::read_to_string(checks.with_file_name("stderr.txt"))?;
            Played::read(scenario, &checks, said)
        });
        played.buffer_unordered(AT_ONCE).try_collect().await
    }

    /// Plays a version's scenarios for a server, one after the other: of the questions of the
    /// server's upstream nobody could tell which of several calls they are about.
    async fn play_server(
        &self,
        server: &Server,
        version: &str,
        scenarios: &BTreeSet<String>,
    ) -> Result<Vec<Played>> {
        let results = tempfile::tempdir()?;
        let mut played = self.run(&["server", "--requirements", version, "--url", &server.url]);
        let played = played.arg("--output-dir").arg(results.path());
        let played = played.output().await?;
        let folders: Vec<PathBuf> = std::fs::read_dir(results.path())?
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<_>>()?;
        let read = scenarios.iter().map(|scenario| {
            let checks = folders.iter().find(|folder| is_of(folder, scenario));
            let checks = checks
                .and_then(|folder| checks_in(folder))
                .with_context(|| {
                    let said = String::from_utf8_lossy(&played.stderr);
                    format!("{scenario}: the suite writes no results: {said}")
                })?;
            let said = std::fs::read_to_string(&checks)?;
            Played::read(scenario, &checks, said)
        });
        read.collect()
    }
}

/// What became of a scenario.
struct Played {
    scenario: String,
    /// The checks that failed.
    failed: BTreeSet<String>,
    /// What the client said, or else what was checked.
    said: String,
}

impl Played {
    /// Reads a scenario's results.
    fn read(scenario: &str, checks: &Path, said: String) -> Result<Self> {
        let checks: Vec<Value> = serde_json::from_slice(&std::fs::read(checks)?)?;
        let ended = |how: &[&str]| {
            let of = checks.iter().filter(|check| {
                let status = check["status"].as_str();
                status.is_some_and(|status| how.contains(&status))
            });
            of.filter_map(|check| check["id"].as_str().map(str::to_owned))
                .collect()
        };
        let (passed, mut failed): (BTreeSet<String>, BTreeSet<String>) =
            (ended(&["SUCCESS"]), ended(&["FAILURE", "WARNING"]));
        if passed.is_empty() && failed.is_empty() {
            failed = ended(&["SKIPPED"]);
        }
        ensure!(
            !passed.is_empty() || !failed.is_empty(),
            "{scenario}: nothing was checked"
        );
        Ok(Self {
            scenario: scenario.to_owned(),
            failed,
            said,
        })
    }
}

/// Whether a folder has results of a server's scenario: it is named by the scenario and the time.
fn is_of(folder: &Path, scenario: &str) -> bool {
    let name = folder.file_name().and_then(|name| name.to_str());
    let time = name
        .and_then(|name| name.strip_prefix("server-"))
        .and_then(|name| name.strip_prefix(scenario));
    time.is_some_and(|time| time.starts_with("-20"))
}

/// The file of results, which is in a folder named by the scenario and the time.
fn checks_in(folder: &Path) -> Option<PathBuf> {
    let mut entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    entries.find_map(|entry| match entry.path() {
        path if path.is_dir() => checks_in(&path),
        path => path.ends_with("checks.json").then_some(path),
    })
}
