//! Which tools the runs of each principal use, kept from process to process: the description of a
//! later session lists these first. It is not a record: what is lost of it changes nothing else.

use std::collections::{BTreeSet, HashMap};
use std::io::{self, Read};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use ampoule::{CallEnd, Outcome, Principal};
use ampoule_store::folder::{OTHERS_REACH, PrivateFolder};
use ampoule_store::principal::principal_folder;
use serde::{Deserialize, Serialize};

/// How many tools are remembered of a principal.
const TOOLS: usize = 100;
/// From how many runs of one tool on all counts are halved, so that what was used long ago gives way.
const MOST_RUNS: u32 = 64;
/// How much is read of a file, in bytes. One that is larger is not ours.
const FILE_BYTES: u64 = 256 << 10;
/// Of how many principals something is remembered; of more, those are forgotten whose last run was
/// longest ago.
const PRINCIPALS: usize = 1_000;
/// For how long it is remembered after a principal's last run.
const AGE: Duration = Duration::from_hours(90 * 24);

/// How the names of files end.
const ENDING: &str = ".json";

/// Where it is kept.
#[derive(Debug, Clone)]
pub(crate) struct ToolUsage {
    folder: PathBuf,
}

/// How many runs used a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct UsedTool {
    server: String,
    tool: String,
    runs: u32,
}

/// A tool, by the names of its server and its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ToolName {
    pub(crate) server: String,
    pub(crate) tool: String,
}

impl ToolUsage {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The tools that the principal's runs used, the most used one first.
    pub(crate) fn hot(&self, principal: Option<&Principal>) -> Vec<ToolName> {
        let used = self.folder().and_then(|folder| read(&folder, principal));
        let used = used.unwrap_or_else(|error| {
            tracing::debug!(%error, "it is unknown which tools were used before");
            Vec::new()
        });
        let named = used.into_iter();
        named
            .map(|UsedTool { server, tool, .. }| ToolName { server, tool })
            .collect()
    }

    /// Counts the tools that a run used and its principal sees, each once. Of a run that had read what
    /// policies care about, nothing is counted: which tools it used may tell that.
    pub(crate) fn count(
        &self,
        principal: Option<&Principal>,
        outcome: &Outcome,
        is_visible: impl Fn(&str, &str) -> bool,
    ) {
        if outcome.carried.is_some() || outcome.withheld.is_some() {
            return;
        }
        let calls = outcome.usage.calls.iter();
        let calls = calls.filter(|call| call.end == CallEnd::Returned);
        let mut used: BTreeSet<_> = calls
            .map(|call| ToolName {
                server: call.server.to_string(),
                tool: call.tool.to_string(),
            })
            .collect();
        used.retain(|it| is_visible(&it.server, &it.tool));
        if used.is_empty() {
            return;
        }
        let (this, principal) = (self.clone(), principal.cloned());
        tokio::task::spawn_blocking(move || {
            if let Err(error) = this.add(principal.as_ref(), used) {
                tracing::debug!(%error, "the tools that a run used are not remembered");
            }
        });
    }

    fn add(&self, principal: Option<&Principal>, used: BTreeSet<ToolName>) -> io::Result<()> {
        let folder = self.folder()?;
        let name = name_of(principal);
        let draft = folder.draft(&name, || {})?;
        // One that can't be read is begun anew.
        let before = read(&folder, principal).unwrap_or_default();
        if before.is_empty() {
            give_way(&folder, PRINCIPALS, SystemTime::now())?;
        }
        let content = written(added(before, used))?;
        draft.keep_unsynced(&name, &content).map(drop)
    }

    fn folder(&self) -> io::Result<PrivateFolder> {
        PrivateFolder::open(&self.folder, OTHERS_REACH)
    }
}

/// Forgets those who had no run for long, and of more than so many principals those whose last run
/// was longest ago: there is room for one more then.
fn give_way(folder: &PrivateFolder, principals: usize, now: SystemTime) -> io::Result<()> {
    let mut files: Vec<(SystemTime, String)> = Vec::new();
    for name in folder.names()? {
        if name.starts_with('.') || !name.ends_with(ENDING) {
            continue;
        }
        let last = folder.metadata(&name).and_then(|it| it.modified());
        // What can't be looked at is not one of these, or useless.
        files.push((last.unwrap_or(SystemTime::UNIX_EPOCH), name));
    }
    files.sort();
    let too_many = (files.len() + 1).saturating_sub(principals);
    for (place, (last, name)) in files.iter().enumerate() {
        let is_old = now.duration_since(*last).is_ok_and(|since| since > AGE);
        if place < too_many || is_old {
            folder.clear(name)?;
        }
    }
    Ok(())
}

/// The counts as they are kept: as many as can be read again.
fn written(mut counts: Vec<UsedTool>) -> io::Result<Vec<u8>> {
    loop {
        let content = serde_json::to_vec(&counts)?;
        if (content.len() as u64) < FILE_BYTES {
            return Ok(content);
        }
        counts.truncate(counts.len() / 2);
    }
}

/// The counts with those of one more run, the largest first.
fn added(before: Vec<UsedTool>, used: BTreeSet<ToolName>) -> Vec<UsedTool> {
    let known = |UsedTool { server, tool, runs }| (ToolName { server, tool }, runs);
    let mut counts: HashMap<ToolName, u32> = before.into_iter().map(known).collect();
    for tool in used {
        let runs = counts.entry(tool).or_default();
        *runs = runs.saturating_add(1);
    }
    if counts.values().any(|runs| *runs >= MOST_RUNS) {
        counts
            .values_mut()
            .for_each(|runs| *runs = runs.div_ceil(2));
    }
    let mut all: Vec<_> = counts
        .into_iter()
        .map(|(ToolName { server, tool }, runs)| UsedTool { server, tool, runs })
        .collect();
    all.sort_by(|a, b| {
        let names = |it: &UsedTool| (it.server.clone(), it.tool.clone());
        b.runs.cmp(&a.runs).then_with(|| names(a).cmp(&names(b)))
    });
    all.truncate(TOOLS);
    all
}

fn read(folder: &PrivateFolder, principal: Option<&Principal>) -> io::Result<Vec<UsedTool>> {
    let file = match folder.file(&name_of(principal)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        file => file?,
    };
    let mut content = Vec::new();
    file.take(FILE_BYTES).read_to_end(&mut content)?;
    Ok(serde_json::from_slice(&content)?)
}

fn name_of(principal: Option<&Principal>) -> String {
    let principal = principal.map(|principal| &**principal.name());
    format!("{}{ENDING}", principal_folder(principal))
}

#[cfg(test)]
mod tests;
