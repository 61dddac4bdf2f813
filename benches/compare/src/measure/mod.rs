//! Rounds: in each, every peer in turn is given each workload, so that a slow moment of the machine
//! meets all of them.
//!
//! - `runner`: one peer; `checks`: whether it did what it should; `order`: of what is mixed
//! - `estimate`: how long it will take

mod checks;
mod estimate;
mod order;
mod runner;

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;

use self::estimate::Estimate;
use self::runner::Runner;
use crate::data;
use crate::peers::Peer;
use crate::results::{Measure, Results};
use crate::say;
use crate::setup::SetupFolder;
use crate::workloads::Workload;

/// How much is measured.
pub(crate) struct Extent {
    pub(crate) rounds: usize,
    /// What a peer may spend on the runs of one workload in one round, in ms.
    pub(crate) budget_ms: u64,
    pub(crate) window_ms: u64,
    pub(crate) cores: usize,
}

/// What all of them share.
struct Bench<'a> {
    place: &'a SetupFolder,
    extent: &'a Extent,
    scripts: PathBuf,
    data: PathBuf,
    /// The command of the real MCP server, or why it is missing.
    server: Result<Vec<String>, String>,
}

/// Measures all of these.
pub(crate) fn measure(
    place: &SetupFolder,
    peers: &[&'static Peer],
    workloads: &[&'static Workload],
    extent: &Extent,
) -> Result<Results> {
    let began = Instant::now();
    let bench = Bench {
        place,
        extent,
        scripts: place.peers.with_file_name("workloads"),
        data: place.folder.join("data"),
        server: match workloads.iter().any(|workload| workload.calls_server()) {
            true => place.server().map_err(|error| format!("{error:#}")),
            false => Err("nothing calls it".to_owned()),
        },
    };
    data::write(&bench.data)?;
    let (mut runners, mut missing) = (Vec::new(), Vec::new());
    for peer in peers {
        say(&format!("setting up {}", peer.title));
        match place
            .prepare(peer)
            .and_then(|ready| Runner::start(peer, ready, &bench))
        {
            Ok(runner) => runners.push(runner),
            Err(error) => {
                // The report is for others, whose folder is elsewhere.
                let why = format!("{error:#}").replace(&*place.folder.to_string_lossy(), "…");
                let why = checks::one_line(&why);
                say(&format!("without {}: {why}", peer.title));
                missing.push((*peer, why));
            }
        }
    }
    rounds(&mut runners, workloads, extent);
    say(&format!(
        "done after {}",
        estimate::minutes(began.elapsed())
    ));
    let measures = workloads
        .iter()
        .flat_map(|workload| Measure::of(workload))
        .collect();
    Ok(Results {
        measures,
        parts: runners.into_iter().map(Runner::part).collect(),
        missing,
        rounds: extent.rounds,
    })
}

fn rounds(runners: &mut [Runner<'_>], workloads: &[&'static Workload], extent: &Extent) {
    let mut estimate = Estimate::new(runners.len(), workloads, extent);
    for round in 0..extent.rounds {
        for workload in workloads {
            if round >= workload.rounds(extent.rounds) {
                continue;
            }
            say(&format!(
                "round {}/{}, {}: {}; {} left",
                round + 1,
                extent.rounds,
                workload.id,
                workload.title,
                estimate::minutes(estimate.left())
            ));
            // Not always the same one after the same one.
            let from = round % runners.len().max(1);
            let (late, early) = runners.split_at_mut(from);
            for runner in early.iter_mut().chain(late) {
                let began = Instant::now();
                runner.round(workload, round);
                estimate.took(workload, runner.peer.id, began.elapsed());
                let title = runner.peer.title;
                say(&format!("  {title}: {}", runner.reached(workload)));
            }
        }
    }
}
