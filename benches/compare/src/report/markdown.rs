//! The report for people.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::figures::Report;
use super::{figure, figure_or_dash, ratio_or_dash};
use crate::results::Measure;

pub(super) fn report(report: &Report, plots: &[(&Measure, String)]) -> String {
    let mut text = String::from("# Ampoule beside other sandboxes\n\n");
    text.push_str(&ahead(report, &report.measures));
    text.push_str("\n\n");
    how(&mut text, report);
    overview(&mut text, report);
    for measure in &report.measures {
        let plot = plots.iter().find(|(plotted, _)| *plotted == measure);
        details(
            &mut text,
            report,
            measure,
            plot.map(|(_, file)| file.as_str()),
        );
    }
    peers(&mut text, report);
    missing(&mut text, report);
    text
}

/// Where others are ahead comes before all else.
pub(super) fn ahead<'a>(
    report: &'a Report,
    measures: impl IntoIterator<Item = &'a Measure>,
) -> String {
    let mut ahead = BTreeMap::<&str, Vec<String>>::new();
    for (ratio, peer, measure) in report.behind(measures) {
        let words = format!("{} ({} ×)", measure.id, figure(1.0 / ratio));
        ahead.entry(&peer.title).or_default().push(words);
    }
    if ahead.is_empty() {
        return "No peer was ahead of Ampoule in the same language in any of these.".to_owned();
    }
    let peers = ahead
        .into_iter()
        .map(|(peer, what)| format!("{} in {}", escaped(peer), what.join(", ")));
    let peers = peers.collect::<Vec<_>>().join("; ");
    format!("Ahead of Ampoule in the same language: {peers}.")
}

/// What a figure is of.
pub(super) const RUN: &str = "A run is a fresh sandbox made, a script run in it, its result checked, the sandbox dropped; \
    measured by the peer's driver, a small program in the peer's own language that is warm.";
/// What a ratio is of.
pub(super) const RATIO: &str = "A ratio is the peer's figure divided by that of Ampoule in process in the same language (for runs a \
    second the other way round): above 1, Ampoule is ahead.";

fn how(text: &mut String, report: &Report) {
    // Writing to a string can't fail.
    let _ = write!(
        text,
        "It was {}; {} rounds, in each of which every peer was given every workload in turn.\n\n",
        report.machine, report.rounds
    );
    if report.machine.profile == "dev" {
        text.push_str("**This is not a measurement: the program was not built for release.**\n\n");
    }
    let _ = write!(
        text,
        "{RUN} {RATIO} A dash stands where a peer can't do it; why is said below. \
         Functions of the host answer at once, from memory; all peers get tools' results as JSON. \
         Runs have the limits that Ampoule has by default, as far as a peer knows such: 128 MiB, and 20 s. \
         Cold is from starting the host's process to the end of its first trivial run, once what it reads is in the system's memory.\n\n",
    );
}

/// Ratios alone: a line for each peer.
fn overview(text: &mut String, report: &Report) {
    text.push_str("## Ratios to Ampoule\n\n| peer |");
    for measure in &report.measures {
        let _ = write!(text, " {} |", measure.id);
    }
    let columns = report.measures.len() + 1;
    let _ = writeln!(text, "\n|{}", " --- |".repeat(columns));
    for peer in &report.peers {
        let _ = write!(text, "| {} |", escaped(&peer.title));
        for measure in &report.measures {
            let _ = write!(
                text,
                " {} |",
                ratio_or_dash(peer.figures(&measure.id).ratio)
            );
        }
        text.push('\n');
    }
    text.push('\n');
}

fn details(text: &mut String, report: &Report, measure: &Measure, plot: Option<&str>) {
    let _ = writeln!(text, "## {}: {}\n", measure.id, measure.title);
    if let Some(file) = plot {
        let _ = writeln!(text, "![{}]({file})\n", measure.title);
    }
    let unit = &measure.unit;
    let _ = writeln!(
        text,
        "| peer | p50, {unit} | p99, {unit} | values | to Ampoule | its cold start, ms |\n| --- | --- | --- | --- | --- | --- |"
    );
    let mut notes = Vec::new();
    for peer in report.ranked(measure) {
        let figures = peer.figures(&measure.id);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} |",
            escaped(&peer.title),
            figure_or_dash(figures.p50),
            figure_or_dash(figures.p99),
            figures.values,
            ratio_or_dash(figures.ratio),
            figure_or_dash(peer.figures("cold").p50),
        );
        if let Some(why) = figures.cannot {
            notes.push(format!("- {}: {}\n", escaped(&peer.title), escaped(&why)));
        }
    }
    text.push('\n');
    if !notes.is_empty() {
        let _ = writeln!(text, "{}", notes.concat());
    }
}

/// Who they are, and what stands between a script and the machine.
fn peers(text: &mut String, report: &Report) {
    text.push_str("## What isolation each gives\n\n");
    isolation(text, report);
    text.push_str(
        "\n## Versions and commands\n\n| peer | version | its driver |\n| --- | --- | --- |\n",
    );
    for peer in &report.peers {
        let _ = writeln!(
            text,
            "| {} | {} | `{}` |",
            escaped(&peer.title),
            escaped(&peer.version),
            peer.command.replace('|', "\\|")
        );
    }
}

pub(super) fn isolation(text: &mut String, report: &Report) {
    text.push_str(
        "| peer | kernel | state | CPU | memory | network | besides |\n| --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for peer in &report.peers {
        let it = &peer.isolation;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            escaped(&peer.title),
            it.kernel,
            it.state,
            it.cpu,
            it.memory,
            it.network,
            peer.note
        );
    }
}

/// Who is not there, with the reason.
pub(super) fn missing(text: &mut String, report: &Report) {
    if report.missing.is_empty() {
        return;
    }
    text.push_str("\nNot there:\n\n");
    for missing in &report.missing {
        let _ = writeln!(
            text,
            "- {}: {}",
            escaped(&missing.title),
            escaped(&missing.why)
        );
    }
}

/// Text of others, which is neither a table's nor Markdown's.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '|' | '<' | '>' | '[' | ']' | '*' | '_' | '\\' => escaped.extend(['\\', character]),
            '\n' | '\r' => escaped.push(' '),
            _ => escaped.push(character),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::figures::tests::report as measured;
    use super::*;

    #[test]
    fn the_first_paragraph_says_who_is_ahead() {
        let measured = measured();
        let report = report(&measured, &[(&measured.measures[0], "one.svg".to_owned())]);
        let first = report.lines().nth(2).unwrap();
        assert!(
            first.contains("quickjs-emscripten, new context in one (2.00 ×)"),
            "{first}"
        );
        assert!(report.contains("![the title of one](one.svg)"));
        assert!(report.contains("python3 process: it has \\| no \\<arms\\>"));
        assert!(report.contains("node process: gone"));
        assert!(
            report.contains("cargo xtask compare") && report.contains("shared, all system calls")
        );
    }
}
