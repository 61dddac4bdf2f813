//! What was measured, for people and programs.
//!
//! - `figures`: all of it, as JSON; `machine`: what it was measured on
//! - `table`: printed; `markdown`, `plot`: files
//! - `documents`: what stands of it in the project's documents

mod documents;
mod figures;
mod machine;
mod markdown;
mod plot;
mod table;

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

pub(crate) use self::figures::Report;
use self::machine::Machine;
use crate::results::Results;

/// The report that the documents are made from.
const KEPT: &str = "benches/compare/report.json";

impl Report {
    pub(crate) fn new(results: &Results, command: &str) -> Self {
        Self::of(results, Machine::this(command))
    }

    /// Writes the report's files into a folder.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        fs::write(folder.join("report.json"), self.json()?)?;
        let mut plots = Vec::new();
        for measure in &self.measures {
            let Some(drawn) = plot::plot(self, measure) else {
                continue;
            };
            let file = format!("{}.svg", measure.id);
            fs::write(folder.join(&file), drawn)?;
            plots.push((measure, file));
        }
        let report = markdown::report(self, &plots);
        Ok(fs::write(folder.join("report.md"), report)?)
    }

    /// What is printed.
    pub(crate) fn table(&self) -> String {
        table::table(self)
    }

    /// Makes it the one that the documents show.
    pub(crate) fn publish(&self, root: &Path) -> Result<()> {
        let brief = self.brief();
        fs::write(root.join(KEPT), brief.json()?)?;
        brief.show(root)
    }

    /// Writes it into the documents.
    pub(crate) fn show(&self, root: &Path) -> Result<()> {
        for (path, text) in documents::rendered(root, self)? {
            fs::write(&path, text).with_context(|| path.display().to_string())?;
        }
        Ok(())
    }

    /// The one that the documents show.
    pub(crate) fn kept(root: &Path) -> Result<Self> {
        let text = fs::read_to_string(root.join(KEPT)).context(KEPT)?;
        let mut report: Self = serde_json::from_str(&text).context(KEPT)?;
        report.compare();
        Ok(report)
    }

    fn json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }
}

/// Few digits, never in powers of ten.
fn figure(value: f64) -> String {
    match value {
        value if value >= 100.0 => format!("{value:.0}"),
        value if value >= 10.0 => format!("{value:.1}"),
        value if value >= 1.0 => format!("{value:.2}"),
        value if value >= 0.1 => format!("{value:.3}"),
        value => format!("{value:.4}"),
    }
}

/// A figure, or the dash that stands for none.
fn figure_or_dash(value: Option<f64>) -> String {
    value.map_or_else(|| "–".to_owned(), figure)
}

fn ratio_or_dash(ratio: Option<f64>) -> String {
    ratio.map_or_else(|| "–".to_owned(), |ratio| format!("{} ×", figure(ratio)))
}
