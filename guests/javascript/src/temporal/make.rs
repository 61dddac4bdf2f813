//! Values from numbers, texts and fields.

use rquickjs::{Class, Ctx, Exception, Object, Result};
use temporal_rs::options::{Disambiguation, OffsetDisambiguation, Overflow, RelativeTo};
use temporal_rs::parsed_intermediates::ParsedZonedDateTime;
use temporal_rs::partial::{
    PartialDate, PartialDateTime, PartialDuration, PartialYearMonth, PartialZonedDateTime,
};
use temporal_rs::{
    Calendar, Duration, Instant, PlainDate, PlainDateTime, PlainMonthDay, PlainTime,
    PlainYearMonth, TimeZone, ZonedDateTime,
};

use super::bag::Fields;
use super::names::{named, zone_of};
use super::options::Options;
use super::{Handle, Kind, OrThrow, Temporal, Zones, define, object, read, result, unexpected};

/// Adds the functions of this module.
pub(super) fn register(temporal: &Object<'_>) -> Result<()> {
    define(temporal, "make", make)?;
    define(temporal, "instant", instant)?;
    define(temporal, "zoned", zoned)?;
    define(temporal, "parse", parse)?;
    define(temporal, "parseZoned", parse_zoned)?;
    define(temporal, "parseRelative", parse_relative)?;
    define(temporal, "fromFields", from_fields)?;
    define(temporal, "with", with)?;
    define(temporal, "durationWith", duration_with)
}

pub(super) fn out_of_range(ctx: &Ctx<'_>) -> rquickjs::Error {
    Exception::throw_range(ctx, "A field is out of its range")
}

/// A number that a field can have, as it is.
fn exact<T: TryFrom<i64>>(ctx: &Ctx<'_>, number: f64) -> Result<T> {
    T::try_from(number as i64).map_err(|_| out_of_range(ctx))
}

/// What `new` makes of numbers, in the order of the constructor's parameters.
fn make<'js>(
    ctx: Ctx<'js>,
    prototype: Object<'js>,
    kind: usize,
    numbers: Vec<f64>,
    calendar: String,
) -> Result<Handle<'js>> {
    let calendar = Calendar::try_from_utf8(calendar.as_bytes()).or_throw(&ctx)?;
    let year = |at: usize| exact::<i32>(&ctx, numbers[at]);
    let small = |at: usize| exact::<u8>(&ctx, numbers[at]);
    let large = |at: usize| exact::<u16>(&ctx, numbers[at]);
    let value: Temporal = match Kind::of(kind) {
        Kind::PlainDate => PlainDate::try_new(year(0)?, small(1)?, small(2)?, calendar)
            .or_throw(&ctx)?
            .into(),
        Kind::PlainTime => PlainTime::try_new(
            small(0)?,
            small(1)?,
            small(2)?,
            large(3)?,
            large(4)?,
            large(5)?,
        )
        .or_throw(&ctx)?
        .into(),
        Kind::PlainDateTime => PlainDateTime::try_new(
            year(0)?,
            small(1)?,
            small(2)?,
            small(3)?,
            small(4)?,
            small(5)?,
            large(6)?,
            large(7)?,
            large(8)?,
            calendar,
        )
        .or_throw(&ctx)?
        .into(),
        Kind::PlainYearMonth => {
            PlainYearMonth::try_new(year(0)?, small(1)?, Some(small(2)?), calendar)
                .or_throw(&ctx)?
                .into()
        }
        Kind::PlainMonthDay => PlainMonthDay::new_with_overflow(
            small(0)?,
            small(1)?,
            calendar,
            Overflow::Reject,
            Some(year(2)?),
        )
        .or_throw(&ctx)?
        .into(),
        Kind::Duration => duration(&numbers).or_throw(&ctx)?.into(),
        Kind::Instant | Kind::ZonedDateTime => return Err(unexpected(&ctx)),
    };
    Class::instance_proto(value, prototype)
}

/// A duration of ten whole numbers. Those that are too large become the largest that there are,
/// which no duration can have either.
fn duration(numbers: &[f64]) -> temporal_rs::TemporalResult<Duration> {
    let whole = |at: usize| numbers[at] as i64;
    let large = |at: usize| numbers[at] as i128;
    Duration::new(
        whole(0),
        whole(1),
        whole(2),
        whole(3),
        whole(4),
        whole(5),
        whole(6),
        whole(7),
        large(8),
        large(9),
    )
}

/// The nanoseconds that digits stand for.
fn nanoseconds(ctx: &Ctx<'_>, digits: &str) -> Result<i128> {
    digits.parse().map_err(|_| out_of_range(ctx))
}

fn instant<'js>(ctx: Ctx<'js>, prototype: Object<'js>, digits: String) -> Result<Handle<'js>> {
    let instant = Instant::try_new(nanoseconds(&ctx, &digits)?).or_throw(&ctx)?;
    Class::instance_proto(Temporal::from(instant), prototype)
}

fn zoned<'js>(
    ctx: Ctx<'js>,
    prototype: Object<'js>,
    digits: String,
    zone: String,
    calendar: String,
) -> Result<Handle<'js>> {
    let calendar = Calendar::try_from_utf8(calendar.as_bytes()).or_throw(&ctx)?;
    let zone = TimeZone::try_from_identifier_str_with_provider(&zone, &Zones).or_throw(&ctx)?;
    let nanoseconds = nanoseconds(&ctx, &digits)?;
    let time = ZonedDateTime::try_new_with_provider(nanoseconds, zone, calendar, &Zones);
    Class::instance_proto(Temporal::from(time.or_throw(&ctx)?), prototype)
}

/// A value of a class from its text.
fn parse<'js>(ctx: Ctx<'js>, kind: usize, text: String) -> Result<Handle<'js>> {
    let bytes = text.as_bytes();
    match Kind::of(kind) {
        Kind::Instant => object(&ctx, read(&ctx, &text, Instant::from_utf8(bytes))?),
        Kind::PlainTime => object(&ctx, read(&ctx, &text, PlainTime::from_utf8(bytes))?),
        Kind::Duration => object(&ctx, read(&ctx, &text, Duration::from_utf8(bytes))?),
        Kind::PlainDateTime => {
            let time = read(&ctx, &text, PlainDateTime::from_utf8(bytes))?;
            named(&ctx, time.calendar(), bytes)?;
            object(&ctx, time)
        }
        Kind::PlainDate => {
            let date = read(&ctx, &text, PlainDate::from_utf8(bytes))?;
            named(&ctx, date.calendar(), bytes)?;
            object(&ctx, date)
        }
        Kind::PlainYearMonth => {
            let month = read(&ctx, &text, PlainYearMonth::from_utf8(bytes))?;
            named(&ctx, month.calendar(), bytes)?;
            object(&ctx, month)
        }
        Kind::PlainMonthDay => {
            let day = read(&ctx, &text, PlainMonthDay::from_utf8(bytes))?;
            named(&ctx, day.calendar(), bytes)?;
            object(&ctx, day)
        }
        Kind::ZonedDateTime => Err(unexpected(&ctx)),
    }
}

/// A time in a zone from its text; without options, only whether it is one.
fn parse_zoned<'js>(
    ctx: Ctx<'js>,
    text: String,
    options: Option<Options<'js>>,
) -> Result<Option<Handle<'js>>> {
    let parsed = ParsedZonedDateTime::from_utf8_with_provider(text.as_bytes(), &Zones);
    let parsed = read(&ctx, &text, parsed)?;
    let Some(options) = options else {
        return Ok(None);
    };
    let time = ZonedDateTime::from_parsed_with_provider(
        parsed,
        options
            .word("disambiguation")?
            .unwrap_or(Disambiguation::Compatible),
        options
            .word("offset")?
            .unwrap_or(OffsetDisambiguation::Reject),
        &Zones,
    );
    let time = time.or_throw(&ctx)?;
    named(&ctx, time.calendar(), text.as_bytes())?;
    object(&ctx, time).map(Some)
}

/// What a duration may be relative to, from its text: a date, or a time in a zone.
fn parse_relative<'js>(ctx: Ctx<'js>, text: String) -> Result<Handle<'js>> {
    let relative = RelativeTo::try_from_str_with_provider(&text, &Zones);
    match read(&ctx, &text, relative)? {
        RelativeTo::PlainDate(date) => {
            named(&ctx, date.calendar(), text.as_bytes())?;
            object(&ctx, date)
        }
        RelativeTo::ZonedDateTime(time) => {
            named(&ctx, time.calendar(), text.as_bytes())?;
            object(&ctx, time)
        }
    }
}

/// A value of a class from the fields of an object.
fn from_fields<'js>(
    ctx: Ctx<'js>,
    kind: usize,
    bag: Object<'js>,
    calendar: String,
    options: Options<'js>,
) -> Result<Handle<'js>> {
    let calendar = Calendar::try_from_utf8(calendar.as_bytes()).or_throw(&ctx)?;
    let overflow = options.overflow()?;
    let fields = Fields {
        bag: &bag,
        overflow,
    };
    if calendar.is_iso() {
        fields.check(Kind::of(kind))?;
    }
    match Kind::of(kind) {
        Kind::PlainTime => result(&ctx, PlainTime::from_partial(fields.time()?, overflow)),
        Kind::PlainDate => {
            let calendar_fields = fields.calendar()?;
            let partial = PartialDate {
                calendar_fields,
                calendar,
            };
            result(&ctx, PlainDate::from_partial(partial, overflow))
        }
        Kind::PlainMonthDay => {
            let calendar_fields = fields.calendar()?;
            let partial = PartialDate {
                calendar_fields,
                calendar,
            };
            result(&ctx, PlainMonthDay::from_partial(partial, overflow))
        }
        Kind::PlainYearMonth => {
            let partial = PartialYearMonth {
                calendar_fields: fields.calendar()?.into(),
                calendar,
            };
            result(&ctx, PlainYearMonth::from_partial(partial, overflow))
        }
        Kind::PlainDateTime => {
            let partial = PartialDateTime {
                fields: fields.date_time()?,
                calendar,
            };
            result(&ctx, PlainDateTime::from_partial(partial, overflow))
        }
        Kind::ZonedDateTime => {
            let zone: String = bag.get("timeZone")?;
            let partial = PartialZonedDateTime {
                fields: fields.zoned()?,
                timezone: Some(zone_of(&ctx, &zone)?),
                calendar,
            };
            let time = ZonedDateTime::from_partial_with_provider(
                partial,
                overflow,
                options.word("disambiguation")?,
                options.word("offset")?,
                &Zones,
            );
            result(&ctx, time)
        }
        Kind::Instant | Kind::Duration => Err(unexpected(&ctx)),
    }
}

/// A value with some of its fields replaced.
fn with<'js>(
    ctx: Ctx<'js>,
    value: Handle<'js>,
    bag: Object<'js>,
    options: Options<'js>,
) -> Result<Handle<'js>> {
    let overflow = options.overflow()?;
    let fields = Fields {
        bag: &bag,
        overflow,
    };
    match &*value.borrow() {
        Temporal::PlainTime(it) => result(&ctx, it.with(fields.time()?, overflow)),
        Temporal::PlainDate(it) => result(&ctx, it.with(fields.calendar()?, overflow)),
        Temporal::PlainMonthDay(it) => result(&ctx, it.with(fields.calendar()?, overflow)),
        Temporal::PlainYearMonth(it) => result(&ctx, it.with(fields.calendar()?.into(), overflow)),
        Temporal::PlainDateTime(it) => result(&ctx, it.with(fields.date_time()?, overflow)),
        Temporal::ZonedDateTime(it) => {
            let time = it.with_with_provider(
                fields.zoned()?,
                options.word("disambiguation")?,
                options.word("offset")?,
                overflow,
                &Zones,
            );
            result(&ctx, time)
        }
        Temporal::Instant(_) | Temporal::Duration(_) => Err(unexpected(&ctx)),
    }
}

/// A duration of ten fields, with a duration's for those that are absent.
fn duration_with<'js>(
    ctx: Ctx<'js>,
    fields: Vec<Option<f64>>,
    value: Option<Handle<'js>>,
) -> Result<Handle<'js>> {
    let value = value.map(|value| match &*value.borrow() {
        Temporal::Duration(duration) => *duration,
        _ => Duration::default(),
    });
    let old = value.unwrap_or_default();
    let whole = |at: usize, old: i64| Some(fields[at].map_or(old, |number| number as i64));
    let large = |at: usize, old: i128| Some(fields[at].map_or(old, |number| number as i128));
    let partial = PartialDuration {
        years: whole(0, old.years()),
        months: whole(1, old.months()),
        weeks: whole(2, old.weeks()),
        days: whole(3, old.days()),
        hours: whole(4, old.hours()),
        minutes: whole(5, old.minutes()),
        seconds: whole(6, old.seconds()),
        milliseconds: whole(7, old.milliseconds()),
        microseconds: large(8, old.microseconds()),
        nanoseconds: large(9, old.nanoseconds()),
    };
    result(&ctx, Duration::from_partial_duration(partial))
}
