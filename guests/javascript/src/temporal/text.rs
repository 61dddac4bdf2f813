//! Values as texts.

use rquickjs::{Ctx, Object, Result};
use temporal_rs::options::{DisplayCalendar, DisplayOffset, DisplayTimeZone};

use super::names::zone_of;
use super::options::Options;
use super::{Handle, OrThrow, Temporal, Zones, define};

/// Adds the functions of this module.
pub(super) fn register(temporal: &Object<'_>) -> Result<()> {
    define(temporal, "text", text)
}

/// A value as its text, by the options that its class has. A time zone is an instant's.
fn text<'js>(
    ctx: Ctx<'js>,
    value: Handle<'js>,
    options: Options<'js>,
    zone: Option<String>,
) -> Result<String> {
    let calendar = || -> Result<DisplayCalendar> {
        Ok(options
            .word("calendarName")?
            .unwrap_or(DisplayCalendar::Auto))
    };
    let shown = match &*value.borrow() {
        Temporal::PlainDate(date) => Ok(date.to_ixdtf_string(calendar()?)),
        Temporal::PlainYearMonth(month) => Ok(month.to_ixdtf_string(calendar()?)),
        Temporal::PlainMonthDay(day) => Ok(day.to_ixdtf_string(calendar()?)),
        Temporal::PlainTime(time) => time.to_ixdtf_string(options.precision()?),
        Temporal::PlainDateTime(time) => time.to_ixdtf_string(options.precision()?, calendar()?),
        Temporal::Duration(duration) => duration.as_temporal_string(options.precision()?),
        Temporal::Instant(instant) => {
            let zone = zone.map(|zone| zone_of(&ctx, &zone)).transpose()?;
            instant.to_ixdtf_string_with_provider(zone, options.precision()?, &Zones)
        }
        Temporal::ZonedDateTime(time) => {
            let offset = options.word("offset")?.unwrap_or(DisplayOffset::Auto);
            let zone = options.word("timeZoneName")?;
            time.to_ixdtf_string_with_provider(
                offset,
                zone.unwrap_or(DisplayTimeZone::Auto),
                calendar()?,
                options.precision()?,
                &Zones,
            )
        }
    };
    shown.or_throw(&ctx)
}
