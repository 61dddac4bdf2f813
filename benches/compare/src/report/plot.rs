//! A plot of a measure: a line for each peer, from its p50, a filled circle, to its p99, a hollow
//! square, on a logarithmic scale.

use anyhow::{Result, anyhow};
use plotters::prelude::*;

use super::figure;
use super::table::ranked;
use crate::results::{Measure, Results};

const WIDTH: u32 = 900;
const LINE: u32 = 24;
/// Room for the names, the title and the scale.
const NAMES: u32 = 290;
const ABOVE: u32 = 44;
const BELOW: u32 = 44;

/// None where nobody could do it.
pub(super) fn plot(results: &Results, measure: &Measure) -> Result<Option<String>> {
    let mut lines = Vec::new();
    for part in ranked(results, measure) {
        let cell = results.cell(part, measure);
        if let (Some(p50), Some(p99)) = (cell.p50(), cell.p99()) {
            lines.push((part.peer.title.replace('`', ""), p50, p99));
        }
    }
    let values = || lines.iter().flat_map(|(_, p50, p99)| [*p50, *p99]);
    let least = values().fold(f64::INFINITY, f64::min) / 2.0;
    let most = values().fold(0.0, f64::max) * 4.0;
    if !(least > 0.0 && least < most) {
        return Ok(None);
    }
    let mut drawn = String::new();
    draw(&mut drawn, measure, &lines, least..most).map_err(|error| anyhow!("a plot: {error}"))?;
    Ok(Some(drawn))
}

fn draw(
    drawn: &mut String,
    measure: &Measure,
    lines: &[(String, f64, f64)],
    range: std::ops::Range<f64>,
) -> Result<(), Box<dyn std::error::Error>> {
    let count = u32::try_from(lines.len())?;
    let area =
        SVGBackend::with_string(drawn, (WIDTH, ABOVE + LINE * count + BELOW)).into_drawing_area();
    area.fill(&WHITE)?;
    let title = format!("{}, {} (● p50, □ p99)", measure.title, measure.unit);
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 18))
        .margin_right(16)
        .y_label_area_size(NAMES)
        .x_label_area_size(BELOW)
        .build_cartesian_2d(range.log_scale(), 0.0..f64::from(count))?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .y_labels(0)
        .x_labels(8)
        .x_label_formatter(&|value| figure(*value))
        .x_label_style(("sans-serif", 13))
        .draw()?;
    let name = ("sans-serif", 13).into_text_style(&area);
    for (place, (title, p50, p99)) in lines.iter().enumerate() {
        // The best one is at the top.
        let y = f64::from(count) - place as f64 - 0.5;
        let (_, middle) = chart.backend_coord(&(*p50, y));
        let ours = title.contains("Ampoule") || title.contains("ampoule");
        let width = if ours { 4 } else { 2 };
        let line = vec![(*p50, y), (*p99, y)];
        chart.draw_series([PathElement::new(line, BLACK.stroke_width(width))])?;
        chart.draw_series([Circle::new((*p50, y), 5, BLACK.filled())])?;
        chart.draw_series([EmptyElement::at((*p99, y))
            + Rectangle::new([(-4, -4), (4, 4)], WHITE.filled())
            + Rectangle::new([(-4, -4), (4, 4)], BLACK.stroke_width(1))])?;
        let label = format!("{title}  {}", figure(*p50));
        let right = name.pos(plotters::style::text_anchor::Pos::new(
            plotters::style::text_anchor::HPos::Right,
            plotters::style::text_anchor::VPos::Center,
        ));
        area.draw_text(&label, &right, (i32::try_from(NAMES)? - 8, middle))?;
    }
    drop(chart);
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::results;

    #[test]
    fn each_that_could_do_it_has_its_name_a_circle_and_a_square() {
        let results = results();
        let drawn = plot(&results, &results.measures[0]).unwrap().unwrap();
        assert!(drawn.starts_with("<svg") && drawn.contains("Ampoule, JavaScript, in process"));
        assert_eq!(drawn.matches("<circle").count(), 3);
        assert!(!drawn.contains("python3 process"));
    }
}
