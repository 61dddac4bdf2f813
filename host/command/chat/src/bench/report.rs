//! What came of all tasks, as a table and as JSON. What was lost has its name.

use std::fmt::Write;

use serde::Serialize;

use super::way::Way;
use crate::endpoint::Usage;

/// One task, tried in one way.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Try {
    /// The task's name.
    pub task: String,
    /// Its kind.
    pub kind: String,
    /// The way.
    pub way: Way,
    /// It was done.
    pub is_done: bool,
    /// Why it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How often the model was asked.
    pub steps: u32,
    /// How many calls the model made.
    pub calls: u32,
    /// Its tokens.
    pub usage: Usage,
    /// What that cost, if prices are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// How long it took.
    pub milliseconds: u64,
}

/// All of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The model.
    pub model: String,
    /// The tries, in the order in which they were made.
    pub tries: Vec<Try>,
    /// Tasks that can't be done in a way, by `task (way)`: only scripts can.
    pub unsuited: Vec<String>,
}

/// What one way took.
#[derive(Debug, Default)]
struct Sum {
    done: usize,
    tries: usize,
    steps: u64,
    usage: Usage,
    cost: Option<f64>,
    milliseconds: u64,
}

impl Report {
    /// The tries of a way.
    fn of(&self, way: Way) -> impl Iterator<Item = &Try> {
        self.tries.iter().filter(move |one| one.way == way)
    }

    fn sum(&self, way: Way) -> Sum {
        let mut sum = Sum::default();
        for one in self.of(way) {
            sum.tries += 1;
            sum.done += usize::from(one.is_done);
            sum.steps += u64::from(one.steps);
            sum.usage.add(one.usage);
            sum.milliseconds = sum.milliseconds.saturating_add(one.milliseconds);
            if let Some(cost) = one.cost {
                sum.cost = Some(sum.cost.unwrap_or_default() + cost);
            }
        }
        sum
    }

    /// As a table in Markdown, and the names of what was lost.
    pub fn table(&self) -> String {
        let mut page = "| way | done | requests | tokens read | of the cache | written | cost | seconds |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n".to_owned();
        for way in Way::ALL {
            let sum = self.sum(way);
            if sum.tries == 0 {
                continue;
            }
            let cost = sum
                .cost
                .map_or_else(|| "unknown".to_owned(), |cost| format!("{cost:.4}"));
            // Writing to a string does not fail.
            let _ = writeln!(
                page,
                "| {} | {} of {} | {} | {} | {} | {} | {cost} | {:.1} |",
                way.name(),
                sum.done,
                sum.tries,
                sum.steps,
                sum.usage.input,
                sum.usage.cached,
                sum.usage.output,
                sum.milliseconds as f64 / 1e3,
            );
        }
        for one in self.tries.iter().filter(|one| !one.is_done) {
            let why = one.why.as_deref().unwrap_or_default();
            let _ = writeln!(page, "lost: {} ({}): {why}", one.task, one.way.name());
        }
        if !self.unsuited.is_empty() {
            let _ = writeln!(
                page,
                "not tried, as only scripts can do them: {}",
                self.unsuited.join(", ")
            );
        }
        page
    }
}
