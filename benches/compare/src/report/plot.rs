//! A plot of a measure: a line for each peer, from its p50, a filled circle, to its p99, a hollow
//! square, on a logarithmic scale, with both as numbers beside it. Peers differ by shape and
//! weight; a dark scheme of the reader is respected.

use std::fmt::Write;

use super::figure;
use super::figures::Report;
use crate::results::Measure;

const WIDTH: f64 = 800.0;
/// Between the lines, and from the edge to the first one.
const LINE: f64 = 22.0;
const ABOVE: f64 = 76.0;
const BELOW: f64 = 14.0;
/// Where names end, where the scale begins and ends, and where the numbers end.
const NAMES: f64 = 296.0;
const SCALE: (f64, f64) = (312.0, 668.0);
const P50: f64 = 734.0;
const P99: f64 = 790.0;

/// Fonts that systems have, about as wide as one another.
const STYLE: &str = "\
text{font:13px -apple-system,BlinkMacSystemFont,'Segoe UI','Noto Sans','Liberation Sans',Arial,sans-serif;fill:#1f2328}\
.title{font-size:16px;font-weight:600}.small{font-size:12px;fill:#59636e}.own{font-weight:700}\
.page{fill:#fff}.grid{stroke:#d1d9e0;stroke-width:1}\
.line{stroke:#1f2328;stroke-width:1.5}.line.own{stroke-width:4}\
.p50{fill:#1f2328}.p99{fill:#fff;stroke:#1f2328;stroke-width:1.5}\
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}.small{fill:#9198a1}.page{fill:#0d1117}.grid{stroke:#3d444d}\
.line,.p99{stroke:#f0f6fc}.p50{fill:#f0f6fc}.p99{fill:#0d1117}}";

struct Line {
    title: String,
    own: bool,
    p50: f64,
    p99: f64,
}

/// None where nobody could do it.
pub(super) fn plot(report: &Report, measure: &Measure) -> Option<String> {
    let lines: Vec<Line> = report
        .ranked(measure)
        .into_iter()
        .filter_map(|peer| {
            let figures = peer.figures(&measure.id);
            Some(Line {
                title: peer.title.replace('`', ""),
                own: peer.own && peer.id != "wasmtime",
                p50: figures.p50?,
                p99: figures.p99?,
            })
        })
        .collect();
    let values = || lines.iter().flat_map(|line| [line.p50, line.p99]);
    let least = values().fold(f64::INFINITY, f64::min);
    let most = values().fold(0.0, f64::max);
    (least > 0.0 && least.is_finite()).then(|| drawn(measure, &lines, least, most))
}

fn drawn(measure: &Measure, lines: &[Line], least: f64, most: f64) -> String {
    // Whole decades, and one at the least.
    let first = least.log10().floor();
    let last = most.log10().ceil().max(first + 1.0);
    let x = |value: f64| {
        let part = (value.log10() - first) / (last - first);
        SCALE.0 + part * (SCALE.1 - SCALE.0)
    };
    let bottom = ABOVE + LINE * lines.len() as f64;
    let height = bottom + BELOW;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" role=\"img\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n<rect class=\"page\" width=\"{WIDTH}\" height=\"{height}\"/>\n\
         <text class=\"title\" x=\"10\" y=\"24\">{title}</text>\n\
         <text class=\"small\" x=\"10\" y=\"44\">{unit}, on a logarithmic scale: ● p50, □ p99; the best at the top</text>\n",
        title = escaped(&measure.title),
        unit = measure.unit,
    );
    // Writing to a string can't fail.
    for (at, title) in [(P50, "p50"), (P99, "p99")] {
        let _ = writeln!(
            svg,
            "<text class=\"small\" x=\"{at}\" y=\"{}\" text-anchor=\"end\">{title}</text>",
            ABOVE - 8.0
        );
    }
    let mut decade = first;
    while decade <= last {
        let value = 10_f64.powf(decade);
        let at = x(value);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{at:.1} {ABOVE}V{bottom}\"/><text class=\"small\" x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            ABOVE - 8.0,
            round(value)
        );
        decade += 1.0;
    }
    for (place, line) in lines.iter().enumerate() {
        let y = ABOVE + LINE * (place as f64 + 0.5);
        let base = y + 4.5;
        let own = if line.own { " own" } else { "" };
        let (p50, p99) = (x(line.p50), x(line.p99));
        let _ = writeln!(
            svg,
            "<text class=\"name{own}\" x=\"{NAMES}\" y=\"{base}\" text-anchor=\"end\">{}</text>\
             <path class=\"line{own}\" d=\"M{p50:.1} {y}H{p99:.1}\"/>\
             <rect class=\"p99\" x=\"{:.1}\" y=\"{}\" width=\"8\" height=\"8\"/>\
             <circle class=\"p50\" cx=\"{p50:.1}\" cy=\"{y}\" r=\"5\"/>\
             <text class=\"number{own}\" x=\"{P50}\" y=\"{base}\" text-anchor=\"end\">{}</text>\
             <text class=\"number{own}\" x=\"{P99}\" y=\"{base}\" text-anchor=\"end\">{}</text>",
            escaped(&line.title),
            p99 - 4.0,
            y - 4.0,
            figure(line.p50),
            figure(line.p99),
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// A power of ten, in full.
fn round(value: f64) -> String {
    match value >= 1.0 {
        true => format!("{value:.0}"),
        false => format!("{value:.9}").trim_end_matches('0').to_owned(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::super::figures::tests::report;
    use super::*;
    use crate::peers::all;

    #[test]
    fn each_that_could_do_it_has_its_name_a_circle_and_a_square() {
        let report = report();
        let drawn = plot(&report, &report.measures[0]).unwrap();
        assert!(drawn.starts_with("<svg") && drawn.contains("Ampoule, JavaScript, in process"));
        assert_eq!(drawn.matches("<circle").count(), 3);
        assert_eq!(drawn.matches("class=\"p99\"").count(), 3);
        assert!(!drawn.contains("python3 process"));
        // Whole decades around 1 to 2.
        for (label, is_there) in [(">0.1<", false), (">1<", true), (">10<", true)] {
            assert_eq!(drawn.contains(label), is_there, "{label} in {drawn}");
        }
    }

    #[test]
    fn what_nobody_could_do_has_no_plot() {
        let mut report = report();
        for peer in &mut report.peers {
            peer.measured.clear();
        }
        let measure = report.measures[0].clone();
        assert!(plot(&report, &measure).is_none());
    }

    #[test]
    fn there_is_room_for_every_name() {
        for peer in all() {
            // A letter is 7 px wide in the mean.
            let width = peer.title.chars().count() as f64 * 7.0;
            assert!(width < NAMES, "{}", peer.title);
        }
    }
}
