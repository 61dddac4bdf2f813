//! `cargo xtask walks`: follows the pages for beginners from the first command to the last, each in
//! a Debian in which nothing else is installed, with the packages that `dist` made. Says how long
//! each step took.
//!
//! - `place`: the system, and the steps that are taken there; `page`: what a page says to type
//! - `client`: the user of an MCP client, until tokens are saved; `developers`: programs in Python,
//!   Node and Rust, until a script has called a tool; `operator`: a team's server, until a second
//!   user's call is in the audit log

mod client;
mod developers;
mod operator;
mod page;
mod place;

use anyhow::{Result, bail, ensure};
use clap::{Args, ValueEnum};
use rustix::process::geteuid;

use super::check::installed;
use crate::say;
use place::Place;

/// What has to be installed on this machine.
const NEEDED: [&str; 5] = ["chroot", "cp", "debootstrap", "mount", "unshare"];

/// Walks.
#[derive(Debug, Args)]
pub(crate) struct Walks {
    /// Only these. Default: all.
    #[arg(value_enum)]
    only: Vec<Walk>,
}

/// Somebody who begins.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Walk {
    Client,
    Python,
    Node,
    Rust,
    Team,
}

impl Walk {
    const fn who(self) -> &'static str {
        match self {
            Self::Client => "the user of an MCP client, until tokens are saved",
            Self::Python => "a developer in Python, until a script has called a tool",
            Self::Node => "a developer in Node, until a script has called a tool",
            Self::Rust => "a developer in Rust, until a script has called a tool",
            Self::Team => "an operator, until a second user's call is in the audit log",
        }
    }

    fn steps(self, place: &mut Place) -> Result<()> {
        match self {
            Self::Client => client::steps(place),
            Self::Python => developers::python(place),
            Self::Node => developers::node(place),
            Self::Rust => developers::rust(place),
            Self::Team => operator::steps(place),
        }
    }
}

/// Takes them.
///
/// # Errors
///
/// What a page says does not work.
pub(crate) fn take(walks: &Walks) -> Result<()> {
    ensure!(
        geteuid().is_root(),
        "only root has a system in a folder; run this as root"
    );
    for program in NEEDED {
        ensure!(installed(program).is_some(), "`{program}` is not installed");
    }
    let chosen = match &*walks.only {
        [] => Walk::value_variants(),
        chosen => chosen,
    };
    let (mut taken, mut failed) = (Vec::new(), Vec::new());
    for walk in chosen {
        say(&format!("a walk: {}", walk.who()));
        let mut place = Place::new()?;
        match walk.steps(&mut place) {
            Ok(()) => taken.push(format!("{:7.1} s: {}", place.seconds(), walk.who())),
            Err(problem) => {
                say(&format!("the walk ends here: {problem:#}"));
                failed.push(walk.who());
            }
        }
    }
    for line in taken {
        say(&line);
    }
    if !failed.is_empty() {
        bail!("failed: {}", failed.join("; "));
    }
    Ok(())
}
