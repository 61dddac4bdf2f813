//! What is read of values: their fields.

use rquickjs::{Ctx, IntoJs, Object, Result, Value};
use temporal_rs::{Duration, PlainTime, Sign, ZonedDateTime};

use super::{Handle, Kind, OrThrow, Temporal, Zones, define, unexpected};

/// Adds the functions of this module.
pub(super) fn register(temporal: &Object<'_>) -> Result<()> {
    define(temporal, "field", field)?;
    define(temporal, "epochNanoseconds", epoch_nanoseconds)?;
    define(temporal, "utcMilliseconds", utc_milliseconds)?;
    define(temporal, "offset", offset)
}

enum Field {
    Absent,
    Number(f64),
    Text(String),
    Flag(bool),
}

impl<'js> IntoJs<'js> for Field {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        match self {
            Self::Absent => Ok(Value::new_undefined(ctx.clone())),
            Self::Number(number) => number.into_js(ctx),
            Self::Text(text) => text.into_js(ctx),
            Self::Flag(flag) => flag.into_js(ctx),
        }
    }
}

fn number(number: impl Into<f64>) -> Field {
    Field::Number(number.into())
}

fn maybe(found: Option<impl Into<f64>>) -> Field {
    found.map_or(Field::Absent, number)
}

/// Fields that are called what the crate calls them, and those that need more words.
macro_rules! match_field {
    ($it:expr, $name:expr, { $($key:literal: $method:ident),* $(,)? }, { $($other:literal: $value:expr),* $(,)? }) => {
        match $name {
            $($key => number($it.$method()),)*
            $($other => $value,)*
            _ => Field::Absent,
        }
    };
}

/// The fields of a year and a month in a calendar.
macro_rules! month_field {
    ($it:expr, $name:expr) => {
        match_field!($it, $name, {
            "year": year, "month": month, "daysInMonth": days_in_month, "daysInYear": days_in_year,
            "monthsInYear": months_in_year,
        }, {
            "calendarId": Field::Text($it.calendar().identifier().to_owned()),
            "monthCode": Field::Text($it.month_code().as_str().to_owned()),
            "era": $it.era().map_or(Field::Absent, |era| Field::Text(era.to_string())),
            "eraYear": maybe($it.era_year()),
            "inLeapYear": Field::Flag($it.in_leap_year()),
        })
    };
}

/// The fields of a date in a calendar.
macro_rules! date_field {
    ($it:expr, $name:expr) => {
        match match_field!($it, $name, {
            "day": day, "dayOfWeek": day_of_week, "dayOfYear": day_of_year, "daysInWeek": days_in_week,
        }, {
            "weekOfYear": maybe($it.week_of_year()),
            "yearOfWeek": maybe($it.year_of_week()),
        }) {
            Field::Absent => month_field!($it, $name),
            found => found,
        }
    };
}

fn time_field(time: &PlainTime, name: &str) -> Field {
    match_field!(time, name, {
        "hour": hour, "minute": minute, "second": second, "millisecond": millisecond,
        "microsecond": microsecond, "nanosecond": nanosecond,
    }, {})
}

fn duration_field(it: &Duration, name: &str) -> Field {
    Field::Number(match name {
        "years" => it.years() as f64,
        "months" => it.months() as f64,
        "weeks" => it.weeks() as f64,
        "days" => it.days() as f64,
        "hours" => it.hours() as f64,
        "minutes" => it.minutes() as f64,
        "seconds" => it.seconds() as f64,
        "milliseconds" => it.milliseconds() as f64,
        "microseconds" => it.microseconds() as f64,
        "nanoseconds" => it.nanoseconds() as f64,
        "sign" => f64::from(it.sign() as i8),
        _ => return Field::Flag(it.sign() == Sign::Zero),
    })
}

fn zoned_field(ctx: &Ctx<'_>, it: &ZonedDateTime, name: &str) -> Result<Field> {
    Ok(match name {
        "timeZoneId" => {
            let name = it.time_zone().identifier_with_provider(&Zones);
            Field::Text(name.or_throw(ctx)?)
        }
        "epochMilliseconds" => Field::Number(it.epoch_milliseconds() as f64),
        "hoursInDay" => Field::Number(it.hours_in_day_with_provider(&Zones).or_throw(ctx)?),
        "offset" => Field::Text(it.offset()),
        "offsetNanoseconds" => Field::Number(it.offset_nanoseconds() as f64),
        _ => match date_field!(it, name) {
            Field::Absent => time_field(&it.to_plain_time(), name),
            found => found,
        },
    })
}

/// A field of a value, which must be of a class.
fn field<'js>(ctx: Ctx<'js>, value: Value<'js>, kind: usize, name: String) -> Result<Field> {
    let held = value.as_object().and_then(Object::as_class::<Temporal>);
    let Some(held) = held.filter(|held| held.borrow().kind() == Kind::of(kind)) else {
        return Err(unexpected(&ctx));
    };
    let name = name.as_str();
    Ok(match &*held.borrow() {
        Temporal::Instant(it) => Field::Number(it.epoch_milliseconds() as f64),
        Temporal::ZonedDateTime(it) => zoned_field(&ctx, it, name)?,
        Temporal::PlainDate(it) => date_field!(it, name),
        Temporal::PlainDateTime(it) => match date_field!(it, name) {
            Field::Absent => time_field(&it.to_plain_time(), name),
            found => found,
        },
        Temporal::PlainTime(it) => time_field(it, name),
        Temporal::PlainYearMonth(it) => month_field!(it, name),
        Temporal::PlainMonthDay(it) => match name {
            "calendarId" => Field::Text(it.calendar_id().to_owned()),
            "monthCode" => Field::Text(it.month_code().as_str().to_owned()),
            _ => number(it.day()),
        },
        Temporal::Duration(it) => duration_field(it, name),
    })
}

/// The digits of an instant's nanoseconds: they are more than a number has.
fn epoch_nanoseconds<'js>(ctx: Ctx<'js>, value: Handle<'js>) -> Result<String> {
    match &*value.borrow() {
        Temporal::Instant(it) => Ok(it.as_i128().to_string()),
        Temporal::ZonedDateTime(it) => Ok(it.epoch_nanoseconds().as_i128().to_string()),
        _ => Err(unexpected(&ctx)),
    }
}

/// The milliseconds of a value, as if it were in UTC.
fn utc_milliseconds<'js>(ctx: Ctx<'js>, value: Handle<'js>) -> Result<f64> {
    let nanoseconds = match &*value.borrow() {
        Temporal::Instant(it) => it.as_i128(),
        Temporal::ZonedDateTime(it) => it.epoch_nanoseconds().as_i128(),
        Temporal::PlainDateTime(it) => it.epoch_ns_for_utc().as_i128(),
        Temporal::PlainDate(it) => it.epoch_ns_for_utc().as_i128(),
        Temporal::PlainTime(it) => it.epoch_ns_for_utc().as_i128(),
        Temporal::PlainYearMonth(it) => it.epoch_ns_for_utc().as_i128(),
        Temporal::PlainMonthDay(it) => it.epoch_ns_for_utc().as_i128(),
        Temporal::Duration(_) => return Err(unexpected(&ctx)),
    };
    Ok(nanoseconds.div_euclid(1_000_000) as f64)
}

/// An offset as texts have it, checked.
fn offset(ctx: Ctx<'_>, text: String) -> Result<()> {
    temporal_rs::UtcOffset::from_utf8(text.as_bytes()).or_throw(&ctx)?;
    Ok(())
}
