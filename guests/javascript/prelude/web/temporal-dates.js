// Temporal.PlainDate and Temporal.PlainDateTime.

export default ({ native, primordials, temporalOptions, temporalFields, temporalValues, temporalClasses }) => {
  const { define } = primordials;
  const { disambiguation, isObject, overflow, record, rounding, whole } = temporalOptions;
  const { KINDS, calendar, partial, timeZone } = temporalFields;
  const { timeOrMidnight, toDate, toDateTime } = temporalValues;
  const { DATE, TIME, calendarNamed, complete, differences, made, ordered, prototypeOf, receiver, same, sums, texts } = temporalClasses;
  const { convert, field, inZone, make, round, with: replaced, withCalendar, withTime } = native.temporal;

  const DATED = KINDS.PlainDate;
  class PlainDate {
    constructor(isoYear, isoMonth, isoDay, calendar = undefined) {
      const numbers = [whole(isoYear), whole(isoMonth), whole(isoDay)];
      return make(prototypeOf(this), DATED, numbers, calendarNamed(calendar));
    }

    with(fields, options = undefined) {
      receiver(this, DATED);
      const read = partial(fields, "date", field(this, DATED, "calendarId"));
      return replaced(this, read, overflow(options));
    }

    withCalendar(to) {
      receiver(this, DATED);
      return withCalendar(this, calendar(to));
    }

    toPlainDateTime(time = undefined) {
      receiver(this, DATED);
      return withTime(this, timeOrMidnight(time));
    }

    toZonedDateTime(item) {
      receiver(this, DATED);
      const own = isObject(item) ? item.timeZone : undefined;
      if (own === undefined) return inZone(this, timeZone(item), undefined, record());
      const zone = timeZone(own);
      return inZone(this, zone, timeOrMidnight(item.plainTime), record());
    }

    toPlainYearMonth() {
      receiver(this, DATED);
      return convert(this, KINDS.PlainYearMonth);
    }

    toPlainMonthDay() {
      receiver(this, DATED);
      return convert(this, KINDS.PlainMonthDay);
    }
  }
  define(PlainDate, { ...made(toDate), ...ordered(toDate) });
  complete(PlainDate, DATED, DATE, sums(DATED, overflow), differences(DATED, toDate), same(DATED, toDate), texts(DATED, ["calendarName"]));

  const TIMED = KINDS.PlainDateTime;
  class PlainDateTime {
    constructor(isoYear, isoMonth, isoDay, hour = 0, minute = 0, second = 0, millisecond = 0, microsecond = 0, nanosecond = 0, calendar = undefined) {
      const numbers = [
        whole(isoYear), whole(isoMonth), whole(isoDay), whole(hour), whole(minute), whole(second), whole(millisecond), whole(microsecond), whole(nanosecond),
      ];
      return make(prototypeOf(this), TIMED, numbers, calendarNamed(calendar));
    }

    with(fields, options = undefined) {
      receiver(this, TIMED);
      const read = partial(fields, "dateTime", field(this, TIMED, "calendarId"));
      return replaced(this, read, overflow(options));
    }

    withPlainTime(time = undefined) {
      receiver(this, TIMED);
      return withTime(this, timeOrMidnight(time));
    }

    withCalendar(to) {
      receiver(this, TIMED);
      return withCalendar(this, calendar(to));
    }

    round(roundTo) {
      receiver(this, TIMED);
      return round(this, rounding(roundTo));
    }

    toZonedDateTime(zone, options = undefined) {
      receiver(this, TIMED);
      const identifier = timeZone(zone);
      return inZone(this, identifier, undefined, disambiguation(options));
    }

    toPlainDate() {
      receiver(this, TIMED);
      return convert(this, DATED);
    }

    toPlainTime() {
      receiver(this, TIMED);
      return convert(this, KINDS.PlainTime);
    }
  }
  define(PlainDateTime, { ...made(toDateTime), ...ordered(toDateTime) });
  complete(
    PlainDateTime, TIMED, `${DATE} ${TIME}`, sums(TIMED, overflow), differences(TIMED, toDateTime), same(TIMED, toDateTime),
    texts(TIMED, ["calendarName", "fractionalSecondDigits", "roundingMode", "smallestUnit"]),
  );
  return { PlainDate, PlainDateTime };
};
