//! `Temporal` in whole programs: what tools, results and the console get of its values.

use super::*;

#[test]
fn results_and_arguments_of_tools_get_its_values_as_texts() {
    assert_returns(&[
        (
            "return Temporal.PlainDate.from('2026-11-29').subtract({ months: 3 })",
            "\"2026-08-29\"",
        ),
        (
            "return { at: Temporal.Instant.from('2026-11-29T10:00Z'), for: [Temporal.Duration.from({ hours: 26 }).round({ largestUnit: 'day' })] }",
            "{\"at\":\"2026-11-29T10:00:00Z\",\"for\":[\"P1DT2H\"]}",
        ),
        (
            "return tools.googleDrive.getDocument({ documentId: Temporal.PlainYearMonth.from('2026-11') })",
            "{\"documentId\":\"2026-11\"}",
        ),
        (
            "return JSON.stringify({ day: Temporal.PlainMonthDay.from('12-24') })",
            "\"{\\\"day\\\":\\\"12-24\\\"}\"",
        ),
        (
            "return Temporal.PlainDateTime.from('2026-07-01T12:00').toZonedDateTime('europe/rome')",
            "\"2026-07-01T12:00:00+02:00[Europe/Rome]\"",
        ),
    ]);
}

#[test]
fn the_console_shows_its_values_by_class_and_text() {
    for (source, shown) in [
        (
            "Temporal.PlainDate.from('2026-11-29')",
            "Temporal.PlainDate <2026-11-29>",
        ),
        (
            "{ lasts: Temporal.Duration.from('PT5M') }",
            "{ lasts: Temporal.Duration <PT5M> }",
        ),
        (
            "new (class Day extends Temporal.PlainDate {})(2026, 11, 29)",
            "Day [Temporal.PlainDate] <2026-11-29>",
        ),
        ("Temporal.Now", "Object [Temporal.Now] {}"),
    ] {
        returned(&format!("console.log({source})"));
        let printed = native::with(|host| host.output[0].1.clone());
        assert_eq!(printed, shown);
    }
}

#[test]
fn structured_clone_keeps_its_values() {
    assert_returns(&[(
        "const one = Temporal.PlainTime.from('10:00'); const other = structuredClone({ one }).one;
         return [other.equals(one), other !== one, other instanceof Temporal.PlainTime]",
        "[true,true,true]",
    )]);
}

#[test]
fn now_is_what_dates_have_for_it() {
    assert_returns(&[(
        "const before = Date.now(); const now = Temporal.Now.instant().epochMilliseconds; const after = Date.now();
         return before <= now && now <= after && Temporal.Now.timeZoneId() === 'UTC' && new Date(7).toTemporalInstant().epochNanoseconds === 7000000n",
        "true",
    )]);
}

#[test]
fn values_at_the_ends_of_time_take_no_longer_than_others() {
    assert_returns(&[
        (
            "const last = Temporal.Instant.fromEpochNanoseconds(8640000000000000000000n).toZonedDateTimeISO('America/New_York');
             return [last, last.getTimeZoneTransition('next'), last.getTimeZoneTransition('previous').year, last.startOfDay()]",
            "[\"+275760-09-12T20:00:00-04:00[America/New_York]\",null,275760,\"+275760-09-12T00:00:00-04:00[America/New_York]\"]",
        ),
        (
            "const first = Temporal.Instant.fromEpochNanoseconds(-8640000000000000000000n).toZonedDateTimeISO('Europe/Rome');
             return [first, first.getTimeZoneTransition('previous'), first.getTimeZoneTransition('next').year]",
            "[\"-271821-04-20T00:49:56+00:50[Europe/Rome]\",null,1893]",
        ),
        (
            "return Temporal.PlainDateTime.from('+012345-07-01T12:00').toZonedDateTime('Europe/Rome')",
            "\"+012345-07-01T12:00:00+02:00[Europe/Rome]\"",
        ),
        (
            "return Temporal.PlainDateTime.from('+012345-03-25T02:30').toZonedDateTime('Europe/Rome', { disambiguation: 'later' }).offset",
            "\"+02:00\"",
        ),
        (
            "return [4e15, 4e15 + 1, -4e15 - 3].map((year) => Temporal.PlainMonthDay.from({ year, month: 2, day: 29 }))",
            "[\"02-29\",\"02-28\",\"02-28\"]",
        ),
        (
            "return Temporal.Instant.from('+012345-07-01T12:00Z').toZonedDateTimeISO('Asia/Kolkata').getTimeZoneTransition('previous').year",
            "1945",
        ),
        (
            "try { Temporal.Duration.from({ seconds: 2 ** 53 - 1 }).total({ unit: 'years', relativeTo: '1970-01-01' }) } catch (error) { return error.name }",
            "\"RangeError\"",
        ),
    ]);
}

#[test]
fn what_it_is_given_wrongly_is_said_with_a_line() {
    assert_throws(&[
        (
            "Temporal.PlainDate.from({ year: 2026 })",
            "The field month is missing",
        ),
        (
            "Temporal.PlainDate.from('yesterday')",
            "\"yesterday\" can't be read: ",
        ),
        (
            "Temporal.PlainDate.from('2026-11-29') > Temporal.PlainDate.from('2026-11-28')",
            "A Temporal.PlainDate is not a number: use Temporal.PlainDate.compare or equals",
        ),
        (
            "Temporal.PlainDate.from('2026-11-29').until('2026-12-24', { largestUnit: 'decade' })",
            "largestUnit can't be \"decade\"",
        ),
        (
            "Temporal.Now.plainDateISO('Mars/Olympus')",
            "\"Mars/Olympus\" can't be read: Not a valid time zone string",
        ),
        (
            "Temporal.Duration.from({ months: 1 }).total('days')",
            "Years, months and weeks have a length only from a date on",
        ),
    ]);
}

#[test]
fn locales_show_its_values() {
    assert_returns(&[
        (
            "return Temporal.PlainDate.from('2026-11-29').toLocaleString('de-DE', { dateStyle: 'long' })",
            "\"29. November 2026\"",
        ),
        (
            "return Temporal.PlainTime.from('15:30').toLocaleString('en-US', { timeStyle: 'short' })",
            "\"3:30 PM\"",
        ),
        (
            "return Temporal.ZonedDateTime.from('2026-11-29T12:00[Europe/Rome]').toLocaleString('en-GB')",
            "\"29/11/2026, 12:00:00 CET\"",
        ),
        (
            "return new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' }).formatRange(Temporal.PlainDate.from('2026-11-03'), Temporal.PlainDate.from('2026-11-07'))",
            "\"Nov 3\u{2009}–\u{2009}7\"",
        ),
        (
            "return Temporal.PlainYearMonth.from('2026-11').toLocaleString('de-DE', { calendar: 'iso8601', month: 'long', year: 'numeric' })",
            "\"November 2026\"",
        ),
        (
            "return Temporal.Duration.from('PT5M').toLocaleString()",
            "\"PT5M\"",
        ),
        (
            "return Temporal.PlainYearMonth.from('2026-11-01[u-ca=gregory]').toLocaleString('en-US')",
            "\"11/2026\"",
        ),
    ]);
}
