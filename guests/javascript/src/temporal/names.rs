//! What calendars and time zones are called.

use rquickjs::{Ctx, Exception, Object, Result};
use temporal_rs::{Calendar, TimeZone};

use super::{OrThrow, Zones, define, read};

/// Adds the functions of this module.
pub(super) fn register(temporal: &Object<'_>) -> Result<()> {
    define(temporal, "calendar", calendar)?;
    define(temporal, "calendarOf", calendar_of_text)?;
    define(temporal, "zone", zone)
}

/// The identifier of a calendar, by its name alone.
fn calendar(ctx: Ctx<'_>, name: String) -> Result<&'static str> {
    let calendar = read(&ctx, &name, Calendar::try_from_utf8(name.as_bytes()))?;
    named(&ctx, &calendar, name.as_bytes())
}

/// The calendar that the crate has for `islamic`, and the names that mean it alone. `islamic` stands
/// for several, of which one is to be named.
const ISLAMIC: &str = "islamic-civil";
const ISLAMIC_NAMES: [&str; 2] = [ISLAMIC, "islamicc"];

/// The identifier of a calendar, if the text that names it means this one alone.
pub(super) fn named(ctx: &Ctx<'_>, calendar: &Calendar, text: &[u8]) -> Result<&'static str> {
    let identifier = calendar.identifier();
    let text = text.to_ascii_lowercase();
    let is_in = |name: &&str| text.windows(name.len()).any(|part| part == name.as_bytes());
    if identifier == ISLAMIC && !ISLAMIC_NAMES.iter().any(is_in) {
        let message = "The calendar `islamic` is one of several: name `islamic-civil`, `islamic-tbla` or `islamic-umalqura`";
        return Err(Exception::throw_range(ctx, message));
    }
    Ok(identifier)
}

/// The identifier of a calendar, by its name or a text that names one.
fn calendar_of_text(ctx: Ctx<'_>, text: String) -> Result<&'static str> {
    let calendar = read(&ctx, &text, text.parse::<Calendar>())?;
    named(&ctx, &calendar, text.as_bytes())
}

pub(super) fn zone_of(ctx: &Ctx<'_>, text: &str) -> Result<TimeZone> {
    read(
        ctx,
        text,
        TimeZone::try_from_str_with_provider(text, &Zones),
    )
}

/// The identifier of a time zone, by its name or a text that names one; `strict`, by its name alone.
fn zone(ctx: Ctx<'_>, text: String, is_strict: bool) -> Result<String> {
    let zone = if is_strict {
        let zone = TimeZone::try_from_identifier_str_with_provider(&text, &Zones);
        read(&ctx, &text, zone)?
    } else {
        zone_of(&ctx, &text)?
    };
    zone.identifier_with_provider(&Zones).or_throw(&ctx)
}
