//! The calls of a run over time, as a picture: a bar for each call.

use ampoule_untrusted::text::one_line;
use maud::{Markup, html};

use super::parts::{beginning, millis};
use crate::model::CallRow;

/// Room after the last bar, for its time.
const RIGHT: f64 = 70.0;
/// The height of a row.
const ROW: f64 = 24.0;
/// The height of the axis.
const AXIS: f64 = 24.0;
/// The most bars.
const BARS: usize = 100;

/// How much room there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// The whole width of a page.
    Wide,
    /// A column of it.
    Narrow,
}

impl Room {
    /// The width of the picture, in its own units.
    fn width(self) -> f64 {
        match self {
            Self::Wide => 1080.0,
            Self::Narrow => 520.0,
        }
    }

    /// Where bars begin: names stand before them.
    fn left(self) -> f64 {
        match self {
            Self::Wide => 270.0,
            Self::Narrow => 170.0,
        }
    }

    /// How much of a name is shown, in bytes.
    fn name(self) -> usize {
        match self {
            Self::Wide => 34,
            Self::Narrow => 19,
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Wide => "plot calls",
            Self::Narrow => "plot calls narrow",
        }
    }
}

/// The picture. Each bar leads to the call's details below.
pub(super) fn waterfall(calls: &[CallRow], took: Option<f64>, room: Room) -> Markup {
    let timed: Vec<&CallRow> = calls.iter().filter(|call| call.at_ms.is_some()).collect();
    if timed.is_empty() {
        return html! {};
    }
    let ends = timed
        .iter()
        .map(|call| call.at_ms.unwrap_or_default() + call.wall_ms.unwrap_or_default());
    let end = ends.chain(took).fold(1.0, f64::max);
    let shown = &timed[..timed.len().min(BARS)];
    let height = AXIS + ROW * shown.len() as f64 + 4.0;
    let scale = Scale { end, room };
    html! {
        div.scroll tabindex="0" role="group" aria-label="Calls over time" {
            svg class=(room.class()) viewBox={ "0 0 " (room.width()) " " (height) } role="group" aria-label="Calls over time, a bar for each" {
                (axis(&scale, height))
                @for (row, call) in shown.iter().enumerate() { (bar(call, row, &scale)) }
            }
        }
        @if timed.len() > BARS {
            p.small.quiet { "The first " (BARS) " of " (timed.len()) " calls are drawn." }
        }
    }
}

/// From milliseconds to places.
struct Scale {
    end: f64,
    room: Room,
}

impl Scale {
    fn width(&self, ms: f64) -> f64 {
        let room = self.room.width() - self.room.left() - RIGHT;
        rounded(ms / self.end * room)
    }

    fn x(&self, ms: f64) -> f64 {
        rounded(self.room.left() + self.width(ms))
    }
}

fn rounded(place: f64) -> f64 {
    (place * 10.0).round() / 10.0
}

fn axis(scale: &Scale, height: f64) -> Markup {
    html! {
        @for quarter in 0..=4_u8 {
            @let ms = scale.end * f64::from(quarter) / 4.0;
            line.axis x1=(scale.x(ms)) x2=(scale.x(ms)) y1=(AXIS - 4.0) y2=(height) {}
            text x=(scale.x(ms)) y="14" text-anchor="middle" { (millis(ms)) }
        }
    }
}

fn bar(call: &CallRow, row: usize, scale: &Scale) -> Markup {
    let y = AXIS + ROW * row as f64;
    let at = call.at_ms.unwrap_or_default();
    let lasted = call.wall_ms.unwrap_or((scale.end - at).max(0.0));
    let width = scale.width(lasted).max(3.0);
    let whole = format!("{}.{}", call.server, call.tool);
    let whole = one_line(&whole);
    let (short, is_all) = beginning(&whole, scale.room.name());
    let class = match call.end.as_str() {
        "returned" => "bar-ok",
        "running" => "bar-wait",
        _ => "bar-bad",
    };
    let time = call.wall_ms.map_or_else(|| call.end.clone(), millis);
    html! {
        a href={ "#call-" (call.call) } {
            text.name x="0" y=(y + 15.0) { (call.call + 1) " " (short) @if !is_all { "…" } }
            rect class=(class) x=(scale.x(at)) y=(y + 4.0) width=(width) height=(ROW - 9.0) rx="3" {}
            text x=(scale.x(at) + width + 5.0) y=(y + 15.0) { (one_line(&time)) }
        }
    }
}
