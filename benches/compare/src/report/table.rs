//! The table that is printed: by measure, the fastest first.

use std::cmp::Ordering;
use std::fmt::Write;

use super::{figure_or_dash, ratio_or_dash};
use crate::results::{Measure, Part, Results};

/// Parts as they fared in a measure, the best first, those that can't last.
pub(super) fn ranked<'a>(results: &'a Results, measure: &Measure) -> Vec<&'a Part> {
    let mut parts: Vec<&Part> = results.parts.iter().collect();
    let reached = |part: &Part| results.cell(part, measure).p50();
    parts.sort_by(|a, b| match (reached(a), reached(b)) {
        (Some(a), Some(b)) if measure.more => b.total_cmp(&a),
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    });
    parts
}

pub(super) fn table(results: &Results) -> String {
    let widest = results.parts.iter().map(|part| part.peer.title.len()).max();
    let width = widest.unwrap_or_default();
    let mut text = String::new();
    for measure in &results.measures {
        let heading = format!("{} ({})", measure.title, measure.unit);
        // Writing to a string can't fail.
        let _ = writeln!(
            text,
            "\n{heading}\n  {:width$}{:>12}{:>12}{:>12}",
            "", "p50", "p99", "× Ampoule"
        );
        for part in ranked(results, measure) {
            let cell = results.cell(part, measure);
            let _ = writeln!(
                text,
                "  {:width$}{:>12}{:>12}{:>12}{}",
                part.peer.title,
                figure_or_dash(cell.p50()),
                figure_or_dash(cell.p99()),
                ratio_or_dash(results.ratio(part, measure)),
                cell.cannot
                    .map(|why| format!("   {why}"))
                    .unwrap_or_default(),
            );
        }
    }
    if !results.missing.is_empty() {
        text.push_str("\nnot there\n");
    }
    for (peer, why) in &results.missing {
        let _ = writeln!(text, "  {:width$}   {why}", peer.title);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::results;

    #[test]
    fn the_best_comes_first_and_what_cannot_has_a_dash() {
        let results = results();
        let ids = |measure: &Measure| {
            let ranked = ranked(&results, measure);
            ranked.iter().map(|part| part.peer.id).collect::<Vec<_>>()
        };
        assert_eq!(
            ids(&results.measures[0])[..2],
            ["quickjs-context", "ampoule-javascript"]
        );
        assert_eq!(ids(&results.measures[1])[3], "python");
        let table = table(&results);
        let line = table
            .lines()
            .find(|line| line.contains("no <arms>"))
            .unwrap();
        assert!(line.contains("python3 process") && line.contains('–') && !line.contains('0'));
        assert!(table.contains("0.5") && table.contains("node process") && table.contains("gone"));
    }
}
