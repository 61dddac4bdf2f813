//! The report for people.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::machine::Machine;
use super::table::ranked;
use super::{figure, figure_or_dash, ratio_or_dash};
use crate::results::{Measure, Results};

pub(super) fn report(results: &Results, machine: &Machine, plots: &[(&Measure, String)]) -> String {
    let mut text = String::from("# Ampoule beside other sandboxes\n\n");
    text.push_str(&first_words(results));
    text.push_str(&how(results, machine));
    overview(&mut text, results);
    for measure in &results.measures {
        let plot = plots.iter().find(|(plotted, _)| *plotted == measure);
        details(
            &mut text,
            results,
            measure,
            plot.map(|(_, file)| file.as_str()),
        );
    }
    peers(&mut text, results);
    text
}

/// Where others are ahead comes before all else.
fn first_words(results: &Results) -> String {
    let mut ahead = BTreeMap::<&str, Vec<String>>::new();
    let behind = results.behind();
    for (ratio, peer, measure) in &behind {
        let words = format!("{} ({} ×)", measure.title, figure(1.0 / ratio));
        ahead.entry(peer.title).or_default().push(words);
    }
    match ahead.is_empty() {
        true => "In this run, no peer was ahead of Ampoule in anything that was measured.\n\n"
            .to_owned(),
        false => {
            let peers = ahead
                .into_iter()
                .map(|(peer, what)| format!("{peer} in {}", what.join(", ")));
            let peers = peers.collect::<Vec<_>>().join("; ");
            format!(
                "Ahead of Ampoule in the same language: {}.\n\n",
                escaped(&peers)
            )
        }
    }
}

fn how(results: &Results, machine: &Machine) -> String {
    let Machine {
        processor,
        cores,
        memory_gib,
        kernel,
        commit,
        profile,
        command,
        load,
    } = machine;
    let mut text = format!(
        "Measured by `{command}` at commit {commit}, profile {profile}, on {cores} cores ({processor}), {memory_gib} GiB, Linux {kernel}, load at the end {load}; \
         {} rounds, in each of which every peer was given every workload in turn.\n\n",
        results.rounds
    );
    if *profile == "dev" {
        text.push_str("**This is no measurement: the program was not built for release.**\n\n");
    }
    text.push_str(
        "A run is a fresh sandbox made, a script run in it, its result checked, the sandbox dropped; measured by the peer's driver, a small program in the peer's own language that is warm. \
         Ratios are the peer's figure by that of Ampoule in process in the same language (for runs a second the other way round), the median over rounds: above 1, Ampoule is ahead. \
         A dash stands where a peer can't do it; why is said below. Functions of the host answer at once, from memory; all peers get tools' results as JSON. \
         Runs have the limits that Ampoule has by default, as far as a peer knows such: 128 MiB, and 20 s.\n\n",
    );
    text
}

/// Ratios alone: a line for each peer.
fn overview(text: &mut String, results: &Results) {
    text.push_str("## Ratios to Ampoule\n\n| peer | cold start, ms |");
    for measure in &results.measures {
        // Writing to a string can't fail.
        let _ = write!(text, " {} |", measure.id);
    }
    let columns = results.measures.len() + 2;
    let _ = writeln!(text, "\n|{}", " --- |".repeat(columns));
    for part in &results.parts {
        let cold = figure_or_dash(part.cold);
        let _ = write!(text, "| {} | {cold} |", escaped(part.peer.title));
        for measure in &results.measures {
            let _ = write!(text, " {} |", ratio_or_dash(results.ratio(part, measure)));
        }
        text.push('\n');
    }
    text.push_str(
        "\nCold start is from starting the host's process to the end of its first trivial run.\n\n",
    );
}

fn details(text: &mut String, results: &Results, measure: &Measure, plot: Option<&str>) {
    let _ = writeln!(text, "## {}\n", measure.title);
    if let Some(file) = plot {
        let _ = writeln!(text, "![{}]({file})\n", measure.title);
    }
    let unit = measure.unit;
    let _ = writeln!(
        text,
        "| peer | p50, {unit} | p99, {unit} | values | to Ampoule |\n| --- | --- | --- | --- | --- |"
    );
    let mut notes = Vec::new();
    for part in ranked(results, measure) {
        let cell = results.cell(part, measure);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            escaped(part.peer.title),
            figure_or_dash(cell.p50()),
            figure_or_dash(cell.p99()),
            cell.count(),
            ratio_or_dash(results.ratio(part, measure)),
        );
        if let Some(why) = cell.cannot {
            notes.push(format!("- {}: {}\n", part.peer.title, escaped(&why)));
        }
    }
    text.push('\n');
    if !notes.is_empty() {
        let _ = writeln!(text, "{}", notes.concat());
    }
}

/// Who they are, and what stands between a script and the machine.
fn peers(text: &mut String, results: &Results) {
    text.push_str(
        "## What isolation each gives\n\n| peer | kernel | state | CPU | memory | network | besides |\n| --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for part in &results.parts {
        let (peer, it) = (part.peer, &part.peer.isolation);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            peer.title, it.kernel, it.state, it.cpu, it.memory, it.network, peer.note
        );
    }
    text.push_str(
        "\n## Versions and commands\n\n| peer | version | its driver |\n| --- | --- | --- |\n",
    );
    for part in &results.parts {
        let _ = writeln!(
            text,
            "| {} | {} | `{}` |",
            part.peer.title,
            escaped(&part.version),
            part.command.replace('|', "\\|")
        );
    }
    if !results.missing.is_empty() {
        text.push_str("\n## Not there\n\n");
    }
    for (peer, why) in &results.missing {
        let _ = writeln!(text, "- {}: {}", peer.title, escaped(why));
    }
}

/// Text of others, which is neither a table's nor Markdown's.
fn escaped(text: &str) -> String {
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
    use super::*;
    use crate::results::tests::results;

    #[test]
    fn the_first_paragraph_says_who_is_ahead() {
        let results = results();
        let machine = Machine::this("cargo xtask compare");
        let report = report(
            &results,
            &machine,
            &[(&results.measures[0], "one.svg".to_owned())],
        );
        let first = report.lines().nth(2).unwrap();
        assert!(
            first.contains("quickjs-emscripten, new context in the title of one (2.00 ×)"),
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
