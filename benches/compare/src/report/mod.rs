//! What was measured, for people and programs.
//!
//! - `machine`: what it was measured on
//! - `table`: one line for each peer and measure
//! - `markdown`, `json`, `plot`: files

mod json;
mod machine;
mod markdown;
mod plot;
mod table;

use std::fs;
use std::path::Path;

use anyhow::Result;

use self::machine::Machine;
use crate::results::Results;

/// Writes the report's files into a folder, and gives the table.
pub(crate) fn write(results: &Results, folder: &Path, command: &str) -> Result<String> {
    fs::create_dir_all(folder)?;
    let machine = Machine::this(command);
    fs::write(folder.join("report.json"), json::report(results, &machine)?)?;
    let mut plots = Vec::new();
    for measure in &results.measures {
        let Some(drawn) = plot::plot(results, measure)? else {
            continue;
        };
        let file = format!("{}.svg", measure.id);
        fs::write(folder.join(&file), drawn)?;
        plots.push((measure, file));
    }
    let report = markdown::report(results, &machine, &plots);
    fs::write(folder.join("report.md"), report)?;
    Ok(table::table(results))
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
