//! Equal calls of one run, counted: what a loop that does not end did, where a limit ended it.

use std::hash::{BuildHasher as _, RandomState};

use ampoule_tools::ResolvedTool;
use ampoule_untrusted::text::one_line;
use rustc_hash::FxHashMap;

/// From how many equal calls on they are reported.
const TOLD: u64 = 10;
/// How much of a call's arguments is shown, in bytes.
const SHOWN_BYTES: usize = 100;
/// Arguments that say which part of all rows is asked for, without case and punctuation.
const PAGING: [&str; 12] = [
    "after",
    "continuation",
    "continuationtoken",
    "cursor",
    "nextcursor",
    "nextpagetoken",
    "nexttoken",
    "offset",
    "page",
    "pagetoken",
    "skip",
    "startcursor",
];

/// How often a run made which call.
#[derive(Default)]
pub(crate) struct Repeats {
    hasher: RandomState,
    /// By hashes that no guest can foresee, so a quick hash of those does.
    counts: FxHashMap<u64, u64>,
    most: Option<RepeatedCall>,
}

/// The call that was made most often.
struct RepeatedCall {
    hash: u64,
    count: u64,
    tool: ResolvedTool,
    /// The beginning of its arguments.
    arguments: String,
}

impl Repeats {
    /// Counts a call with these arguments, as JSON.
    pub(crate) fn count(&mut self, tool: &ResolvedTool, arguments: &str) {
        let hash = self
            .hasher
            .hash_one((tool.server(), tool.name(), arguments));
        let count = self.counts.entry(hash).or_default();
        *count += 1;
        let count = *count;
        match &mut self.most {
            Some(most) if most.hash == hash => most.count = count,
            Some(most) if most.count >= count => {}
            _ => {
                let shown = arguments.floor_char_boundary(SHOWN_BYTES);
                let cut = if shown < arguments.len() { "…" } else { "" };
                self.most = Some(RepeatedCall {
                    hash,
                    count,
                    tool: tool.clone(),
                    arguments: format!("{}{cut}", &arguments[..shown]),
                });
            }
        }
    }

    /// What is said of equal calls, if there are many.
    pub(crate) fn told(&self) -> Option<String> {
        let most = self.most.as_ref().filter(|most| most.count >= TOLD)?;
        let RepeatedCall {
            count,
            tool,
            arguments,
            ..
        } = most;
        let instead = match paging(tool, arguments) {
            Some(name) => format!("pass `{name}`, as the answers give it, and end the loop when there are no more"),
            None => "an equal call gives an equal answer unless something else changes it, so end the loop".to_owned(),
        };
        let (server, name) = (one_line(tool.server()), one_line(tool.identifier()));
        Some(format!(
            "{count} equal calls of {server}.{name}({}): {instead}",
            one_line(arguments)
        ))
    }
}

/// The argument of a tool that asks for another part, if these don't have it.
fn paging(tool: &ResolvedTool, arguments: &str) -> Option<String> {
    let folded = |name: &str| name.replace(['_', '-', '$'], "").to_lowercase();
    let mut names = tool.parameters().into_iter();
    names.find(|name| {
        PAGING.contains(&&*folded(name)) && !arguments.contains(&format!("\"{name}\""))
    })
}
