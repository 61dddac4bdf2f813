//! `ampoule console` as a process, with the demo shop and a browser that it let in.

use std::path::PathBuf;

use ampoule_tests::command::Workplace;
use ampoule_tests::{binary, installed, prepared};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;
use tokio::time::timeout;

use super::tab::Tab;
use crate::serving::PATIENCE;

/// All that a console can have.
pub(super) const EVERYTHING: &str = "
[records]
keep = \"all\"
[skills]
[workspace]
[audit]
[approvals]
ask = \"destructive\"
[toolkits.shop]
tools = [\"demo.list_*\"]
description = \"Reads the shop\"
[schedules.nightly]
cron = \"0 6 * * *\"
time-zone = \"Europe/Berlin\"
script = \"report.ts\"
tools = [\"demo.list_*\"]
";

/// What the tests need beside the program.
pub(super) struct Programs {
    pub(super) chromium: PathBuf,
    pub(super) driver: PathBuf,
}

impl Programs {
    pub(super) fn find(test: &str) -> Option<Self> {
        Some(Self {
            chromium: installed(test, "chromium")?,
            driver: installed(test, "chromedriver")?,
        })
    }

    pub(super) async fn tab(&self) -> Tab {
        Tab::start(&self.driver, &self.chromium).await
    }
}

/// axe-core, as a script.
pub(super) fn axe(test: &str) -> Option<String> {
    let folder = prepared(test, "AMPOULE_TEST_NODE")?;
    let script = folder.join("node_modules/axe-core/axe.min.js");
    Some(std::fs::read_to_string(script).expect("axe-core"))
}

/// A console, until it is dropped.
pub(super) struct Desk {
    pub(super) workplace: Workplace,
    _process: Child,
    /// The one-time address that lets a browser in.
    pub(super) opening: String,
}

impl Desk {
    /// A console with the demo shop and these lines of configuration.
    pub(super) async fn start(lines: &str) -> Self {
        let workplace = Workplace::default();
        let demo = format!(
            "[servers.demo]\ncommand = {:?}\nargs = [\"demo-server\"]\n",
            binary()
        );
        Self::at(workplace, &format!("{demo}{lines}")).await
    }

    /// A console at a workplace, with this configuration.
    pub(super) async fn at(workplace: Workplace, config: &str) -> Self {
        Self::with(workplace, config, &[]).await
    }

    /// The same, with these arguments of the command.
    pub(super) async fn with(workplace: Workplace, config: &str, arguments: &[&str]) -> Self {
        workplace.file("ampoule.toml", config);
        let mut command = workplace.command(binary(), &["console", "--no-browser"]);
        command.args(arguments);
        workplace.at_home(&mut command);
        // What is logged would fill a pipe that nobody reads.
        command.stderr(std::process::Stdio::inherit());
        let mut process = command.spawn().expect("a console");
        let mut lines = BufReader::new(process.stdout.take().expect("a pipe")).lines();
        let opening = async {
            loop {
                let line = lines
                    .next_line()
                    .await
                    .expect("a line")
                    .expect("an address");
                if line.contains("/console/open") {
                    return line.trim().to_owned();
                }
            }
        };
        let opening = timeout(PATIENCE, opening)
            .await
            .expect("an address in time");
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Self {
            workplace,
            _process: process,
            opening,
        }
    }

    /// The address of a page.
    pub(super) fn page(&self, path: &str) -> String {
        let at = self
            .opening
            .split("/console/open")
            .next()
            .expect("an address");
        format!("{at}{path}")
    }
}
