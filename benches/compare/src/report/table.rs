//! The table that is printed: by measure, the best first.

use std::fmt::Write;

use super::figures::Report;
use super::{figure_or_dash, ratio_or_dash};

pub(super) fn table(report: &Report) -> String {
    let widest = report.peers.iter().map(|peer| peer.title.len()).max();
    let width = widest.unwrap_or_default();
    let mut text = String::new();
    for measure in &report.measures {
        let heading = format!("{} ({})", measure.title, measure.unit);
        // Writing to a string can't fail.
        let _ = writeln!(
            text,
            "\n{heading}\n  {:width$}{:>12}{:>12}{:>12}",
            "", "p50", "p99", "× Ampoule"
        );
        for peer in report.ranked(measure) {
            let figures = peer.figures(&measure.id);
            let why = figures.cannot.map(|why| format!("   {why}"));
            let _ = writeln!(
                text,
                "  {:width$}{:>12}{:>12}{:>12}{}",
                peer.title,
                figure_or_dash(figures.p50),
                figure_or_dash(figures.p99),
                ratio_or_dash(figures.ratio),
                why.unwrap_or_default(),
            );
        }
    }
    if !report.missing.is_empty() {
        text.push_str("\nnot there\n");
    }
    for missing in &report.missing {
        let _ = writeln!(text, "  {:width$}   {}", missing.title, missing.why);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::figures::tests::report;
    use super::*;

    #[test]
    fn what_cannot_has_a_dash_and_a_reason() {
        let table = table(&report());
        let line = table
            .lines()
            .find(|line| line.contains("no <arms>"))
            .unwrap();
        assert!(line.contains("python3 process") && line.contains('–') && !line.contains('0'));
        assert!(table.contains("0.5") && table.contains("node process") && table.contains("gone"));
    }
}
