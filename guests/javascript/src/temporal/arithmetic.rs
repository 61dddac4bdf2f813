//! Sums and differences of values, their rounding and their order.

use std::cmp::Ordering;

use rquickjs::{Ctx, Object, Result};
use temporal_rs::Duration;
use temporal_rs::options::Overflow;

use super::options::Options;
use super::{Handle, OrThrow, Temporal, Zones, define, object, result, unexpected};

/// Adds the functions of this module.
pub(super) fn register(temporal: &Object<'_>) -> Result<()> {
    define(temporal, "add", add)?;
    define(temporal, "until", until)?;
    define(temporal, "since", since)?;
    define(temporal, "round", round)?;
    define(temporal, "total", total)?;
    define(temporal, "compare", compare)?;
    define(temporal, "compareDurations", compare_durations)?;
    define(temporal, "equals", equals)?;
    define(temporal, "negated", negated)?;
    define(temporal, "absolute", absolute)
}

fn duration(ctx: &Ctx<'_>, value: &Handle<'_>) -> Result<Duration> {
    match &*value.borrow() {
        Temporal::Duration(duration) => Ok(*duration),
        _ => Err(unexpected(ctx)),
    }
}

fn negated<'js>(ctx: Ctx<'js>, value: Handle<'js>) -> Result<Handle<'js>> {
    object(&ctx, duration(&ctx, &value)?.negated())
}

fn absolute<'js>(ctx: Ctx<'js>, value: Handle<'js>) -> Result<Handle<'js>> {
    object(&ctx, duration(&ctx, &value)?.abs())
}

/// The sum of a value and a duration; with the duration negated, their difference.
fn add<'js>(
    ctx: Ctx<'js>,
    value: Handle<'js>,
    by: Handle<'js>,
    is_subtracted: bool,
    options: Options<'js>,
) -> Result<Handle<'js>> {
    let by = duration(&ctx, &by)?;
    let by = if is_subtracted { by.negated() } else { by };
    let overflow = options.overflow()?;
    match &*value.borrow() {
        Temporal::Duration(it) => result(&ctx, it.add(&by)),
        Temporal::Instant(it) => result(&ctx, it.add(&by)),
        Temporal::PlainTime(it) => result(&ctx, it.add(&by)),
        Temporal::PlainDate(it) => result(&ctx, it.add(&by, overflow)),
        Temporal::PlainDateTime(it) => result(&ctx, it.add(&by, overflow)),
        Temporal::PlainYearMonth(it) => {
            result(&ctx, it.add(&by, overflow.unwrap_or(Overflow::Constrain)))
        }
        Temporal::ZonedDateTime(it) => result(&ctx, it.add_with_provider(&by, overflow, &Zones)),
        Temporal::PlainMonthDay(_) => Err(unexpected(&ctx)),
    }
}

/// How long it is from a value until another of its class.
fn until<'js>(
    ctx: Ctx<'js>,
    value: Handle<'js>,
    other: Handle<'js>,
    options: Options<'js>,
) -> Result<Handle<'js>> {
    use Temporal as T;
    let settings = options.difference()?;
    let duration = match (&*value.borrow(), &*other.borrow()) {
        (T::Instant(a), T::Instant(b)) => a.until(b, settings),
        (T::PlainDate(a), T::PlainDate(b)) => a.until(b, settings),
        (T::PlainTime(a), T::PlainTime(b)) => a.until(b, settings),
        (T::PlainDateTime(a), T::PlainDateTime(b)) => a.until(b, settings),
        (T::PlainYearMonth(a), T::PlainYearMonth(b)) => a.until(b, settings),
        (T::ZonedDateTime(a), T::ZonedDateTime(b)) => a.until_with_provider(b, settings, &Zones),
        _ => return Err(unexpected(&ctx)),
    };
    result(&ctx, duration)
}

/// How long it is since another value of the class.
fn since<'js>(
    ctx: Ctx<'js>,
    value: Handle<'js>,
    other: Handle<'js>,
    options: Options<'js>,
) -> Result<Handle<'js>> {
    use Temporal as T;
    let settings = options.difference()?;
    let duration = match (&*value.borrow(), &*other.borrow()) {
        (T::Instant(a), T::Instant(b)) => a.since(b, settings),
        (T::PlainDate(a), T::PlainDate(b)) => a.since(b, settings),
        (T::PlainTime(a), T::PlainTime(b)) => a.since(b, settings),
        (T::PlainDateTime(a), T::PlainDateTime(b)) => a.since(b, settings),
        (T::PlainYearMonth(a), T::PlainYearMonth(b)) => a.since(b, settings),
        (T::ZonedDateTime(a), T::ZonedDateTime(b)) => a.since_with_provider(b, settings, &Zones),
        _ => return Err(unexpected(&ctx)),
    };
    result(&ctx, duration)
}

fn round<'js>(ctx: Ctx<'js>, value: Handle<'js>, options: Options<'js>) -> Result<Handle<'js>> {
    let rounding = options.rounding()?;
    match &*value.borrow() {
        Temporal::Instant(it) => result(&ctx, it.round(rounding)),
        Temporal::PlainTime(it) => result(&ctx, it.round(rounding)),
        Temporal::PlainDateTime(it) => result(&ctx, it.round(rounding)),
        Temporal::ZonedDateTime(it) => result(&ctx, it.round_with_provider(rounding, &Zones)),
        Temporal::Duration(it) => {
            let relative_to = options.relative_to()?;
            result(&ctx, it.round_with_provider(rounding, relative_to, &Zones))
        }
        _ => Err(unexpected(&ctx)),
    }
}

/// A duration in one unit.
fn total<'js>(ctx: Ctx<'js>, value: Handle<'js>, options: Options<'js>) -> Result<f64> {
    let unit = options.word("unit")?.ok_or_else(|| unexpected(&ctx))?;
    let duration = duration(&ctx, &value)?;
    let total = duration.total_with_provider(unit, options.relative_to()?, &Zones);
    Ok(total.or_throw(&ctx)?.as_inner())
}

/// The order of two values of a class: -1, 0 or 1.
fn compare<'js>(ctx: Ctx<'js>, value: Handle<'js>, other: Handle<'js>) -> Result<i32> {
    use Temporal as T;
    let order = match (&*value.borrow(), &*other.borrow()) {
        (T::Instant(a), T::Instant(b)) => a.cmp(b),
        (T::PlainDate(a), T::PlainDate(b)) => a.compare_iso(b),
        (T::PlainTime(a), T::PlainTime(b)) => a.cmp(b),
        (T::PlainDateTime(a), T::PlainDateTime(b)) => a.compare_iso(b),
        (T::PlainYearMonth(a), T::PlainYearMonth(b)) => a.compare_iso(b),
        (T::ZonedDateTime(a), T::ZonedDateTime(b)) => a.compare_instant(b),
        _ => return Err(unexpected(&ctx)),
    };
    Ok(number(order))
}

fn compare_durations<'js>(
    ctx: Ctx<'js>,
    value: Handle<'js>,
    other: Handle<'js>,
    options: Options<'js>,
) -> Result<i32> {
    let (value, other) = (duration(&ctx, &value)?, duration(&ctx, &other)?);
    let order = value.compare_with_provider(&other, options.relative_to()?, &Zones);
    order.or_throw(&ctx).map(number)
}

fn number(order: Ordering) -> i32 {
    order as i32
}

/// Whether two values of a class are the same, with their calendars and time zones.
fn equals<'js>(ctx: Ctx<'js>, value: Handle<'js>, other: Handle<'js>) -> Result<bool> {
    use Temporal as T;
    Ok(match (&*value.borrow(), &*other.borrow()) {
        (T::Instant(a), T::Instant(b)) => a == b,
        (T::PlainDate(a), T::PlainDate(b)) => a == b,
        (T::PlainTime(a), T::PlainTime(b)) => a == b,
        (T::PlainDateTime(a), T::PlainDateTime(b)) => a == b,
        (T::PlainYearMonth(a), T::PlainYearMonth(b)) => a == b,
        (T::PlainMonthDay(a), T::PlainMonthDay(b)) => a == b,
        (T::ZonedDateTime(a), T::ZonedDateTime(b)) => {
            a.equals_with_provider(b, &Zones).or_throw(&ctx)?
        }
        _ => return Err(unexpected(&ctx)),
    })
}
