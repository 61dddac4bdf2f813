// Temporal.ZonedDateTime.

export default ({ native, primordials, temporalOptions, temporalFields, temporalValues, temporalClasses, digitsOf }) => {
  const { define } = primordials;
  const { optionsOrWord, overflow, placement, record, required, rounding, text } = temporalOptions;
  const { KINDS, calendar, partial, timeZone } = temporalFields;
  const { timeOrMidnight, toZonedDateTime } = temporalValues;
  const { DATE, TIME, calendarNamed, complete, differences, made, ordered, prototypeOf, receiver, same, sums, texts } = temporalClasses;
  const { convert, epochNanoseconds, field, inZone, round, startOfDay, transition, with: replaced, withCalendar, withTime, zone: zoneNamed, zoned } = native.temporal;
  const BigIntOf = BigInt;

  const ZONED = KINDS.ZonedDateTime;
  class ZonedDateTime {
    constructor(epochNanoseconds, timeZone, calendar = undefined) {
      const digits = digitsOf(epochNanoseconds);
      const zone = zoneNamed(text(timeZone, "A time zone"), true);
      return zoned(prototypeOf(this), digits, zone, calendarNamed(calendar));
    }

    get epochNanoseconds() {
      return BigIntOf(epochNanoseconds(receiver(this, ZONED)));
    }

    with(fields, options = undefined) {
      receiver(this, ZONED);
      const read = partial(fields, "zonedParts", field(this, ZONED, "calendarId"));
      return replaced(this, read, placement(options, "prefer"));
    }

    withPlainTime(time = undefined) {
      receiver(this, ZONED);
      return withTime(this, timeOrMidnight(time));
    }

    withTimeZone(zone) {
      receiver(this, ZONED);
      return inZone(this, timeZone(zone), undefined, record());
    }

    withCalendar(to) {
      receiver(this, ZONED);
      return withCalendar(this, calendar(to));
    }

    round(roundTo) {
      receiver(this, ZONED);
      return round(this, rounding(roundTo));
    }

    startOfDay() {
      receiver(this, ZONED);
      return startOfDay(this);
    }

    getTimeZoneTransition(direction) {
      receiver(this, ZONED);
      const options = optionsOrWord(direction, "direction");
      return transition(this, required(options, "direction") === "next") ?? null;
    }

    toInstant() {
      receiver(this, ZONED);
      return convert(this, KINDS.Instant);
    }

    toPlainDate() {
      receiver(this, ZONED);
      return convert(this, KINDS.PlainDate);
    }

    toPlainTime() {
      receiver(this, ZONED);
      return convert(this, KINDS.PlainTime);
    }

    toPlainDateTime() {
      receiver(this, ZONED);
      return convert(this, KINDS.PlainDateTime);
    }
  }
  define(ZonedDateTime, { ...made(toZonedDateTime), ...ordered(toZonedDateTime) });
  complete(
    ZonedDateTime, ZONED, `${DATE} ${TIME} epochMilliseconds hoursInDay offset offsetNanoseconds timeZoneId`, sums(ZONED, overflow),
    differences(ZONED, toZonedDateTime), same(ZONED, toZonedDateTime),
    texts(ZONED, ["calendarName", "fractionalSecondDigits", "offset", "roundingMode", "smallestUnit", "timeZoneName"]),
  );
  return { ZonedDateTime };
};
