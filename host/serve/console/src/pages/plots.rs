//! Plots over days, as pictures. A table beneath each has the same numbers as text.

use maud::{Markup, html};

/// The width of a plot, in its own units.
const WIDTH: f64 = 640.0;
/// Its height.
const HEIGHT: f64 = 180.0;
/// Room on the left for the scale.
const LEFT: f64 = 48.0;
/// Room below for the days.
const BELOW: f64 = 22.0;
/// Room above.
const ABOVE: f64 = 10.0;
/// The most days that are named.
const NAMED: usize = 6;

/// A series of numbers, one for each day.
pub(super) struct Series {
    /// Its name.
    pub(super) name: &'static str,
    /// How it is drawn: a class of the style.
    pub(super) class: &'static str,
    /// The numbers.
    pub(super) numbers: Vec<f64>,
}

/// A plot of one or more series.
pub(super) struct Plot<'p> {
    /// What is drawn.
    pub(super) title: &'static str,
    /// The days.
    pub(super) days: Vec<&'p str>,
    /// The numbers.
    pub(super) series: Vec<Series>,
    /// How a number is written.
    pub(super) write: fn(f64) -> String,
}

impl Plot<'_> {
    /// Bars, the series of a day upon each other.
    pub(super) fn bars(&self) -> Markup {
        let sums = (0..self.days.len()).map(|day| self.sum(day));
        let scale = self.scale(sums.fold(0.0, f64::max));
        let width = (scale.step() * 0.7).min(48.0);
        self.frame(&scale, &html! {
            @for day in 0..self.days.len() {
                @let x = scale.x(day) - width / 2.0;
                @for (index, series) in self.series.iter().enumerate() {
                    @let below: f64 = self.series[..index].iter().map(|it| it.numbers[day]).sum();
                    @let (low, high) = (scale.y(below), scale.y(below + series.numbers[day]));
                    @if low > high {
                        rect class=(series.class) x=(place(x)) y=(place(high)) width=(place(width)) height=(place(low - high)) {}
                    }
                }
            }
        })
    }

    /// A line for each series.
    pub(super) fn lines(&self) -> Markup {
        let all = self
            .series
            .iter()
            .flat_map(|series| &series.numbers)
            .copied();
        let scale = self.scale(all.fold(0.0, f64::max));
        let points = |series: &Series| {
            let points = series.numbers.iter().enumerate();
            let points = points.map(|(day, number)| {
                format!("{},{}", place(scale.x(day)), place(scale.y(*number)))
            });
            points.collect::<Vec<_>>().join(" ")
        };
        self.frame(&scale, &html! {
            @for series in &self.series {
                polyline class=(series.class) points=(points(series)) {}
                @for (day, number) in series.numbers.iter().enumerate() {
                    circle class=(series.class) cx=(place(scale.x(day))) cy=(place(scale.y(*number))) r="2.5" {}
                }
            }
        })
    }

    fn sum(&self, day: usize) -> f64 {
        self.series.iter().map(|series| series.numbers[day]).sum()
    }

    fn scale(&self, most: f64) -> Scale {
        Scale {
            most: ceiling(most),
            days: self.days.len(),
        }
    }

    fn frame(&self, scale: &Scale, drawn: &Markup) -> Markup {
        let every = self.days.len().div_ceil(NAMED).max(1);
        html! {
            ul.legend {
                @for series in &self.series {
                    li { svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true" class="plot-key" { rect class=(series.class) width="10" height="10" rx="2" {} } (series.name) }
                }
            }
            svg.plot viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(self.described(scale)) {
                @for part in 0..=2_u8 {
                    @let number = scale.most * f64::from(part) / 2.0;
                    line.axis x1=(LEFT) x2=(WIDTH) y1=(place(scale.y(number))) y2=(place(scale.y(number))) {}
                    text x=(LEFT - 6.0) y=(place(scale.y(number) + 4.0)) text-anchor="end" { ((self.write)(number)) }
                }
                (drawn)
                @for (index, day) in self.days.iter().enumerate().step_by(every) {
                    text x=(place(scale.x(index))) y=(HEIGHT - 6.0) text-anchor="middle" { (day.get(5..).unwrap_or(day)) }
                }
            }
        }
    }

    fn described(&self, scale: &Scale) -> String {
        let (first, last) = (self.days.first(), self.days.last());
        format!(
            "{} by day, from {} to {}, at most {}",
            self.title,
            first.unwrap_or(&"–"),
            last.unwrap_or(&"–"),
            (self.write)(scale.most)
        )
    }
}

/// From days and numbers to places.
struct Scale {
    most: f64,
    days: usize,
}

impl Scale {
    fn step(&self) -> f64 {
        (WIDTH - LEFT - 10.0) / self.days.max(1) as f64
    }

    fn x(&self, day: usize) -> f64 {
        LEFT + 5.0 + self.step() * (day as f64 + 0.5)
    }

    fn y(&self, number: f64) -> f64 {
        HEIGHT - BELOW - number / self.most * (HEIGHT - BELOW - ABOVE)
    }
}

fn place(place: f64) -> f64 {
    (place * 10.0).round() / 10.0
}

/// A round number that is not smaller: 1, 2 or 5 with zeros.
fn ceiling(number: f64) -> f64 {
    if number <= 2.0 {
        return 2.0;
    }
    let power = 10_f64.powf(number.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    let round = steps.into_iter().find(|step| step * power >= number);
    round.unwrap_or(10.0) * power
}
