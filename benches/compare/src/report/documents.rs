//! What stands of a report in the project's documents: a plot and a small table on the page about
//! benchmarks, all tables on the page of the comparison. Between their markers nothing is written by hand.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::figures::{Entry, Report};
use super::markdown::{self, RATIO, RUN, escaped};
use super::plot;
use crate::results::Measure;

const MARKS: [&str; 2] = ["<!-- compare -->\n", "<!-- /compare -->"];
const PLOT: &str = "docs/explain/compare.svg";
/// What the plot shows.
const PLOTTED: &str = "mixed";

/// Those whom readers know, at most twelve.
const KNOWN: [&str; 12] = [
    "ampoule-javascript",
    "ampoule-python",
    "quickjs-context",
    "isolated-vm",
    "codemode",
    "deno-worker",
    "node",
    "monty",
    "pyodide-snapshot",
    "bubblewrap-python",
    "podman-crun-python",
    "sandbox-runtime-python",
];
/// The measures of the documents, and their headings.
const TOLD: [(&str, &str); 4] = [
    (PLOTTED, "trivial, one run in ten being large"),
    ("rows-10000", "10,000 rows"),
    ("fib", "`fib(27)`"),
    ("calls", "1,000 calls"),
];

/// All tables, with the beginnings of the ids of their measures.
const TABLES: [(&str, &[&str]); 4] = [
    (
        "Small runs",
        &["cold", "trivial", "mixed", "print", "throughput"],
    ),
    (
        "Work",
        &["rows-10000", "rows-100", "text", "fib", "loop", "sort"],
    ),
    ("Calls", &["calls", "calls-at-once", "mcp", "mcp-at-once"]),
    (
        "Many at once, and after one that was ended",
        &[
            "alive-50-memory",
            "alive-50-start",
            "alive-500-memory",
            "alive-500-start",
            "after-endless",
            "after-memory",
        ],
    ),
];

/// The documents as this report has them.
pub(super) fn rendered(root: &Path, report: &Report) -> Result<Vec<(PathBuf, String)>> {
    let plotted = report.measure(PLOTTED);
    let plotted = plotted.and_then(|measure| plot::plot(report, measure));
    let plotted = plotted.context("the documents' plot was not measured")?;
    let mut documents = vec![(root.join(PLOT), plotted)];
    for (path, part) in [
        ("docs/explain/benchmarks.md", small(report)),
        ("benches/compare/README.md", whole(report)),
    ] {
        let path = root.join(path);
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        let text = replaced(&text, &part).with_context(|| path.display().to_string())?;
        documents.push((path, text));
    }
    Ok(documents)
}

/// A document with something else between its markers.
fn replaced(text: &str, part: &str) -> Result<String> {
    let [begin, end] = MARKS;
    let (before, rest) = text.split_once(begin).context("it has no marker")?;
    let (_, after) = rest.split_once(end).context("its marker has no end")?;
    ensure!(!after.contains(begin.trim_end()), "it has two markers");
    Ok(format!("{before}{begin}{part}{end}{after}"))
}

/// The page's.
fn small(report: &Report) -> String {
    let told: Vec<(&Measure, &str)> = TOLD
        .iter()
        .filter_map(|(id, heading)| Some((report.measure(id)?, *heading)))
        .collect();
    let mut text = format!(
        "![{title}](compare.svg)\n\n",
        title = "How long a small run takes in each sandbox, p50 and p99"
    );
    text.push_str("| p50 in ms, and the ratio to Ampoule |");
    for (_, heading) in &told {
        // Writing to a string can't fail.
        let _ = write!(text, " {heading} |");
    }
    let _ = writeln!(text, " cold start |\n|{}", " --- |".repeat(told.len() + 2));
    let known = |id: &&str| report.peers.iter().find(|peer| peer.id == **id);
    let known: Vec<&Entry> = KNOWN.iter().filter_map(known).collect();
    let measures: Vec<&Measure> = told.iter().map(|(measure, _)| *measure).collect();
    for peer in &known {
        let columns = measures.iter().map(|measure| measure.id.as_str());
        row(&mut text, peer, columns.chain(["cold"]));
    }
    let among = Report {
        peers: known.into_iter().cloned().collect(),
        ..report.clone()
    };
    let _ = writeln!(
        text,
        "\n{} It was {}.",
        markdown::ahead(&among, measures),
        report.machine
    );
    text
}

/// The page of the comparison.
fn whole(report: &Report) -> String {
    let mut text = markdown::ahead(report, &report.measures);
    let _ = write!(
        text,
        "\n\nIt was {}; {} rounds. {RUN} {RATIO} In each place stand p50 and, in brackets, this ratio; a dash where a peer can't do it.\n",
        report.machine, report.rounds
    );
    for (title, ids) in TABLES {
        let ids = ids
            .iter()
            .copied()
            .filter(|id| report.measure(id).is_some());
        let ids: Vec<&str> = ids.collect();
        if ids.is_empty() {
            continue;
        }
        let _ = write!(text, "\n{title}:\n\n| peer |");
        for measure in ids.iter().filter_map(|id| report.measure(id)) {
            let _ = write!(text, " {}, {} |", measure.id, measure.unit);
        }
        let _ = writeln!(text, "\n|{}", " --- |".repeat(ids.len() + 1));
        for peer in &report.peers {
            row(&mut text, peer, ids.iter().copied());
        }
        for missing in &report.missing {
            let dashes = " – |".repeat(ids.len());
            let _ = writeln!(text, "| {} |{dashes}", escaped(&missing.title));
        }
    }
    markdown::missing(&mut text, report);
    text.push_str("\nWhat isolation each gives:\n\n");
    markdown::isolation(&mut text, report);
    text
}

fn row<'a>(text: &mut String, peer: &Entry, measures: impl Iterator<Item = &'a str>) {
    let _ = write!(text, "| {} |", escaped(&peer.title));
    for id in measures {
        let figures = peer.figures(id);
        let _ = write!(text, " {}", super::figure_or_dash(figures.p50));
        if let Some(ratio) = figures.ratio {
            let _ = write!(text, " ({} ×)", super::figure(ratio));
        }
        text.push_str(" |");
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::all;
    use crate::repository;
    use crate::workloads::ALL;

    /// After a change of the rendering, render the documents again: `cargo xtask compare --render`.
    #[test]
    fn documents_show_the_report_that_is_kept() {
        let root = repository();
        let report = Report::kept(&root).unwrap();
        for (path, text) in rendered(&root, &report).unwrap() {
            let there = fs::read_to_string(&path).unwrap();
            assert!(there == text, "{} is not of this report", path.display());
        }
    }

    #[test]
    fn only_what_is_between_the_markers_is_changed() {
        let text = "a\n<!-- compare -->\nold\n<!-- /compare -->\nb\n";
        let new = replaced(text, "new\n").unwrap();
        assert_eq!(new, "a\n<!-- compare -->\nnew\n<!-- /compare -->\nb\n");
        assert!(replaced("a\n", "new\n").is_err());
        assert!(replaced("<!-- compare -->\nold\n", "new\n").is_err());
        assert!(replaced(&format!("{text}{text}"), "new\n").is_err());
    }

    #[test]
    fn what_documents_name_is_there() {
        for id in KNOWN {
            assert!(all().any(|peer| peer.id == id), "{id}");
        }
        let measures: Vec<String> = ALL
            .iter()
            .flat_map(Measure::of)
            .map(|measure| measure.id)
            .collect();
        let told = TOLD.iter().map(|(id, _)| id);
        let tables: Vec<&str> = TABLES
            .iter()
            .flat_map(|(_, ids)| ids.iter().copied())
            .collect();
        for id in told.chain(&tables) {
            assert!(measures.iter().any(|measure| measure == id), "{id}");
        }
        // And nothing that is measured is left out.
        assert_eq!(tables.len(), measures.len());
    }
}
