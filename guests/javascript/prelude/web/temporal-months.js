// Temporal.PlainYearMonth and Temporal.PlainMonthDay.

export default ({ native, primordials, temporalOptions, temporalFields, temporalValues, temporalClasses }) => {
  const { define, TypeError } = primordials;
  const { isObject, overflow, whole } = temporalOptions;
  const { KINDS, partial, read } = temporalFields;
  const { toMonthDay, toYearMonth } = temporalValues;
  const { calendarNamed, complete, differences, made, ordered, prototypeOf, receiver, same, sums, texts } = temporalClasses;
  const { field, make, toDate, with: replaced } = native.temporal;

  // The date that a value becomes with the field that it has not.
  const completed = (value, number, item, list) => {
    receiver(value, number);
    if (!isObject(item)) throw new TypeError(`An object with the ${list} is expected here`);
    return toDate(value, read(item, list, field(value, number, "calendarId")));
  };

  const MONTH = KINDS.PlainYearMonth;
  class PlainYearMonth {
    constructor(isoYear, isoMonth, calendar = undefined, referenceISODay = 1) {
      const year = whole(isoYear);
      const month = whole(isoMonth);
      const name = calendarNamed(calendar);
      return make(prototypeOf(this), MONTH, [year, month, whole(referenceISODay)], name);
    }

    with(fields, options = undefined) {
      receiver(this, MONTH);
      const found = partial(fields, "yearMonth", field(this, MONTH, "calendarId"));
      return replaced(this, found, overflow(options));
    }

    toPlainDate(item) {
      return completed(this, MONTH, item, "day");
    }
  }
  define(PlainYearMonth, { ...made(toYearMonth), ...ordered(toYearMonth) });
  complete(
    PlainYearMonth, MONTH, "calendarId daysInMonth daysInYear era eraYear inLeapYear month monthCode monthsInYear year", sums(MONTH, overflow),
    differences(MONTH, toYearMonth), same(MONTH, toYearMonth), texts(MONTH, ["calendarName"]),
  );

  const DAY = KINDS.PlainMonthDay;
  class PlainMonthDay {
    constructor(isoMonth, isoDay, calendar = undefined, referenceISOYear = 1972) {
      const month = whole(isoMonth);
      const day = whole(isoDay);
      const name = calendarNamed(calendar);
      return make(prototypeOf(this), DAY, [month, day, whole(referenceISOYear)], name);
    }

    with(fields, options = undefined) {
      receiver(this, DAY);
      const found = partial(fields, "monthDay", field(this, DAY, "calendarId"));
      return replaced(this, found, overflow(options));
    }

    toPlainDate(item) {
      return completed(this, DAY, item, "year");
    }
  }
  define(PlainMonthDay, made(toMonthDay));
  complete(PlainMonthDay, DAY, "calendarId day monthCode", same(DAY, toMonthDay), texts(DAY, ["calendarName"]));
  return { PlainYearMonth, PlainMonthDay };
};
