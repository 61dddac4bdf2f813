//! Values of another class, in another calendar or in another time zone.

use rquickjs::{Ctx, Object, Result};
use temporal_rs::options::Disambiguation;
use temporal_rs::{Calendar, PlainTime, provider::TransitionDirection};

use super::bag::Fields;
use super::names::zone_of;
use super::options::Options;
use super::{Handle, Kind, OrThrow, Temporal, Zones, define, object, result, unexpected};

/// Adds the functions of this module.
pub(super) fn register(temporal: &Object<'_>) -> Result<()> {
    define(temporal, "convert", convert)?;
    define(temporal, "withCalendar", with_calendar)?;
    define(temporal, "withTime", with_time)?;
    define(temporal, "inZone", in_zone)?;
    define(temporal, "toDate", to_date)?;
    define(temporal, "startOfDay", start_of_day)?;
    define(temporal, "transition", transition)
}

/// A new object of a class with what a value has of it.
fn convert<'js>(ctx: Ctx<'js>, value: Handle<'js>, kind: usize) -> Result<Handle<'js>> {
    let kind = Kind::of(kind);
    let value = value.borrow();
    if value.kind() == kind {
        return object(&ctx, value.clone());
    }
    match (&*value, kind) {
        (Temporal::ZonedDateTime(it), Kind::Instant) => object(&ctx, it.to_instant()),
        (Temporal::ZonedDateTime(it), Kind::PlainDate) => object(&ctx, it.to_plain_date()),
        (Temporal::ZonedDateTime(it), Kind::PlainTime) => object(&ctx, it.to_plain_time()),
        (Temporal::ZonedDateTime(it), Kind::PlainDateTime) => object(&ctx, it.to_plain_date_time()),
        (Temporal::PlainDateTime(it), Kind::PlainDate) => object(&ctx, it.to_plain_date()),
        (Temporal::PlainDateTime(it), Kind::PlainTime) => object(&ctx, it.to_plain_time()),
        (Temporal::PlainDate(it), Kind::PlainDateTime) => {
            result(&ctx, it.to_plain_date_time(Some(PlainTime::default())))
        }
        (Temporal::PlainDate(it), Kind::PlainYearMonth) => result(&ctx, it.to_plain_year_month()),
        (Temporal::PlainDate(it), Kind::PlainMonthDay) => result(&ctx, it.to_plain_month_day()),
        _ => Err(unexpected(&ctx)),
    }
}

fn with_calendar<'js>(ctx: Ctx<'js>, value: Handle<'js>, calendar: String) -> Result<Handle<'js>> {
    let calendar = Calendar::try_from_utf8(calendar.as_bytes()).or_throw(&ctx)?;
    match &*value.borrow() {
        Temporal::PlainDate(it) => object(&ctx, it.with_calendar(calendar)),
        Temporal::PlainDateTime(it) => object(&ctx, it.with_calendar(calendar)),
        Temporal::ZonedDateTime(it) => object(&ctx, it.with_calendar(calendar)),
        _ => Err(unexpected(&ctx)),
    }
}

fn time_of(ctx: &Ctx<'_>, time: Option<Handle<'_>>) -> Result<Option<PlainTime>> {
    let Some(time) = time else { return Ok(None) };
    match &*time.borrow() {
        Temporal::PlainTime(time) => Ok(Some(*time)),
        _ => Err(unexpected(ctx)),
    }
}

/// A value with another time of day; without one, the first of the day.
fn with_time<'js>(
    ctx: Ctx<'js>,
    value: Handle<'js>,
    time: Option<Handle<'js>>,
) -> Result<Handle<'js>> {
    let time = time_of(&ctx, time)?;
    let midnight = Some(time.unwrap_or_default());
    match &*value.borrow() {
        Temporal::PlainDate(it) => result(&ctx, it.to_plain_date_time(midnight)),
        Temporal::PlainDateTime(it) => result(&ctx, it.with_time(midnight)),
        Temporal::ZonedDateTime(it) => result(&ctx, it.with_plain_time_and_provider(time, &Zones)),
        _ => Err(unexpected(&ctx)),
    }
}

/// A value in a time zone. A time of day is for a date.
fn in_zone<'js>(
    ctx: Ctx<'js>,
    value: Handle<'js>,
    zone: String,
    time: Option<Handle<'js>>,
    options: Options<'js>,
) -> Result<Handle<'js>> {
    let zone = zone_of(&ctx, &zone)?;
    let time = time_of(&ctx, time)?;
    match &*value.borrow() {
        Temporal::Instant(it) => {
            result(&ctx, it.to_zoned_date_time_iso_with_provider(zone, &Zones))
        }
        Temporal::ZonedDateTime(it) => result(&ctx, it.with_time_zone_with_provider(zone, &Zones)),
        Temporal::PlainDate(it) => result(
            &ctx,
            it.to_zoned_date_time_with_provider(zone, time, &Zones),
        ),
        Temporal::PlainDateTime(it) => {
            let disambiguation = options.word("disambiguation")?;
            let disambiguation = disambiguation.unwrap_or(Disambiguation::Compatible);
            let time = it.to_zoned_date_time_with_provider(zone, disambiguation, &Zones);
            result(&ctx, time)
        }
        _ => Err(unexpected(&ctx)),
    }
}

/// The date of a month with a day, or of a day with a year.
fn to_date<'js>(ctx: Ctx<'js>, value: Handle<'js>, bag: Object<'js>) -> Result<Handle<'js>> {
    let fields = Fields {
        bag: &bag,
        overflow: None,
    };
    let fields = Some(fields.calendar()?);
    match &*value.borrow() {
        Temporal::PlainYearMonth(it) => result(&ctx, it.to_plain_date(fields)),
        Temporal::PlainMonthDay(it) => result(&ctx, it.to_plain_date(fields)),
        _ => Err(unexpected(&ctx)),
    }
}

fn start_of_day<'js>(ctx: Ctx<'js>, value: Handle<'js>) -> Result<Handle<'js>> {
    match &*value.borrow() {
        Temporal::ZonedDateTime(it) => result(&ctx, it.start_of_day_with_provider(&Zones)),
        _ => Err(unexpected(&ctx)),
    }
}

/// When the offset of a time's zone changes next, or changed last.
fn transition<'js>(
    ctx: Ctx<'js>,
    value: Handle<'js>,
    is_next: bool,
) -> Result<Option<Handle<'js>>> {
    let direction = if is_next {
        TransitionDirection::Next
    } else {
        TransitionDirection::Previous
    };
    let Temporal::ZonedDateTime(it) = &*value.borrow() else {
        return Err(unexpected(&ctx));
    };
    let found = it.get_time_zone_transition_with_provider(direction, &Zones);
    found
        .or_throw(&ctx)?
        .map(|time| object(&ctx, time))
        .transpose()
}
