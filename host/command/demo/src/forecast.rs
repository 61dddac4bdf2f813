//! The forecast: a straight line through the revenue of the complete quarters. In whole numbers, so that it is the same everywhere.

use std::time::Duration;

use chrono::{Datelike, NaiveDate};
use schemars::JsonSchema;
use serde::Serialize;

use super::arguments::ForecastRevenue;
use super::business::Business;
use super::failure::ToolError;
use super::model::{Currency, Segment};
use super::seed::{FIRST_DAY, TODAY};

/// How many steps a forecast takes, as its progress reports count them.
pub(super) const STEPS: u32 = 8;

/// How long each step takes. Nothing is computed meanwhile: this is the tool that is slow on purpose.
pub(super) const STEP: Duration = Duration::from_millis(250);

/// How far a forecast may look ahead.
const MOST_QUARTERS: u32 = 8;

/// How much further the range is with every quarter ahead, in percent of the revenue expected.
const SPREAD_PERCENT: i64 = 4;

/// A forecast of revenue.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Forecast {
    /// Whose revenue it is; null if everybody's.
    segment: Option<Segment>,
    currency: Currency,
    /// The complete quarters that it goes by, oldest first.
    history: Vec<QuarterRevenue>,
    /// The quarters ahead, this one first.
    forecast: Vec<QuarterForecast>,
}

/// What a quarter brought.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct QuarterRevenue {
    /// Such as `2026-Q3`.
    quarter: String,
    /// Cents of EUR, by the day on which orders were placed.
    revenue_eur_cents: i64,
}

/// What a quarter may bring, in cents of EUR.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct QuarterForecast {
    /// Such as `2026-Q4`.
    quarter: String,
    low_eur_cents: i64,
    expected_eur_cents: i64,
    high_eur_cents: i64,
}

/// A quarter of a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Quarter {
    year: i32,
    /// From 0 to 3.
    index: i32,
}

impl Quarter {
    fn of(day: NaiveDate) -> Self {
        Self {
            year: day.year(),
            index: day.month0() as i32 / 3,
        }
    }

    fn next(self) -> Self {
        match self.index {
            3 => Self {
                year: self.year + 1,
                index: 0,
            },
            index => Self {
                index: index + 1,
                ..self
            },
        }
    }

    fn name(self) -> String {
        format!("{}-Q{}", self.year, self.index + 1)
    }
}

/// Refuses what [`forecast`] can't answer, before anybody waits for it.
pub(super) fn check(arguments: &ForecastRevenue) -> Result<(), ToolError> {
    if (1..=MOST_QUARTERS).contains(&arguments.quarters) {
        Ok(())
    } else {
        Err(ToolError::Quarters {
            given: arguments.quarters,
            most: MOST_QUARTERS,
        })
    }
}

pub(super) fn forecast(
    business: &Business,
    arguments: &ForecastRevenue,
) -> Result<Forecast, ToolError> {
    check(arguments)?;
    let mut history = Vec::new();
    let mut quarter = Quarter::of(FIRST_DAY);
    while quarter != Quarter::of(TODAY) {
        history.push(QuarterRevenue {
            quarter: quarter.name(),
            revenue_eur_cents: revenue(business, quarter, arguments.segment)?,
        });
        quarter = quarter.next();
    }
    let revenues: Vec<_> = history.iter().map(|it| it.revenue_eur_cents).collect();
    let line = Line::through(&revenues);
    let mut ahead = Vec::new();
    for distance in 0..i64::from(arguments.quarters) {
        let expected = line.at(history.len() as i64 + distance).max(0);
        let spread = expected * SPREAD_PERCENT * (distance + 1) / 100;
        ahead.push(QuarterForecast {
            quarter: quarter.name(),
            low_eur_cents: expected - spread,
            expected_eur_cents: expected,
            high_eur_cents: expected + spread,
        });
        quarter = quarter.next();
    }
    Ok(Forecast {
        segment: arguments.segment,
        currency: Currency::Eur,
        history,
        forecast: ahead,
    })
}

fn revenue(
    business: &Business,
    quarter: Quarter,
    segment: Option<Segment>,
) -> Result<i64, ToolError> {
    let mut cents = 0;
    for order in business.orders() {
        if Quarter::of(order.placed_at.date_naive()) != quarter || !order.status.is_revenue() {
            continue;
        }
        let customer = business.customer(&order.customer_id)?;
        if segment.is_none_or(|segment| customer.summary.segment == segment) {
            cents += order.total_eur_cents as i64;
        }
    }
    Ok(cents)
}

/// A line through points with x = 0, 1, 2, …: least squares.
struct Line {
    points: i64,
    sum: i64,
    /// `n·Σxy − Σx·Σy`, and what to divide it by: `n·Σx² − (Σx)²`.
    slope: (i64, i64),
}

impl Line {
    /// Through at least two points.
    fn through(ys: &[i64]) -> Self {
        let points = ys.len() as i64;
        let sum: i64 = ys.iter().sum();
        let sum_x: i64 = (0..points).sum();
        let sum_xx: i64 = (0..points).map(|x| x * x).sum();
        let sum_xy: i64 = (0..points).zip(ys).map(|(x, y)| x * y).sum();
        Self {
            points,
            sum,
            slope: (
                points * sum_xy - sum_x * sum,
                points * sum_xx - sum_x * sum_x,
            ),
        }
    }

    /// Its height at `x`, rounded towards zero.
    fn at(&self, x: i64) -> i64 {
        let (rise, run) = self.slope;
        let twice_from_middle = 2 * x - (self.points - 1);
        self.sum / self.points + rise * twice_from_middle / (2 * run)
    }
}
