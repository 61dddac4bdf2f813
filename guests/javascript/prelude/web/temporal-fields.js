// The fields that Temporal reads of ordinary objects, in the order of their names.

export default ({ native, primordials, temporalOptions }) => {
  const { arrayJoin, regExpExec, RangeError, TypeError } = primordials;
  const { isObject, record, whole, positive, integral, primitive, text, kind } = temporalOptions;
  const { calendarOf, offset, zone, field } = native.temporal;
  // The numbers of the classes.
  const KINDS = {
    __proto__: null, Instant: 1, ZonedDateTime: 2, PlainDateTime: 3, PlainDate: 4, PlainTime: 5, PlainYearMonth: 6, PlainMonthDay: 7, Duration: 8,
  };
  const { Instant, ZonedDateTime, PlainTime, Duration } = KINDS;

  const timeZone = (value) => {
    if (kind(value) === ZonedDateTime) return field(value, ZonedDateTime, "timeZoneId");
    return zone(text(value, "A time zone"), false);
  };
  const hasCalendar = (number) => number !== 0 && number !== Instant && number !== PlainTime && number !== Duration;
  const calendar = (value) => {
    const number = kind(value);
    if (hasCalendar(number)) return field(value, number, "calendarId");
    return calendarOf(text(value, "A calendar"));
  };
  // The calendar that an object is in.
  const calendarIn = (bag) => {
    const number = kind(bag);
    if (hasCalendar(number)) return field(bag, number, "calendarId");
    const value = bag.calendar;
    return value === undefined ? "iso8601" : calendar(value);
  };

  const MONTH_CODE = /^M(?:0[1-9]|[1-9]\d|00(?=L))L?$/;
  const monthCode = (value) => {
    const code = text(primitive(value), "monthCode");
    if (regExpExec(MONTH_CODE, code) === null) throw new RangeError(`monthCode can't be "${code}"`);
    return code;
  };
  const offsetText = (value) => {
    const written = text(primitive(value), "offset");
    offset(written);
    return written;
  };
  const READ = {
    __proto__: null, day: positive, era: (value) => `${value}`, eraYear: whole, hour: whole, microsecond: whole, millisecond: whole, minute: whole, month: positive,
    monthCode, nanosecond: whole, offset: offsetText, second: whole, timeZone, year: whole,
  };

  const TIME = "hour minute second millisecond microsecond nanosecond";
  const listed = (names) => {
    const list = (more) => `${names}${more}`.split(" ").sort();
    const hasYear = names.includes("year");
    return { plain: list(""), eras: hasYear ? list(" era eraYear") : list("") };
  };
  const LISTS = {
    __proto__: null,
    date: listed("year month monthCode day"),
    dateTime: listed(`year month monthCode day ${TIME}`),
    day: listed("day"),
    monthDay: listed("year month monthCode day"),
    time: listed(TIME),
    year: listed("year"),
    yearMonth: listed("year month monthCode"),
    zonedDateTime: listed(`year month monthCode day ${TIME} offset timeZone`),
    zonedParts: listed(`year month monthCode day ${TIME} offset`),
  };
  const hasEras = (calendar) => calendar !== "iso8601" && calendar !== "chinese" && calendar !== "dangi";

  // The fields of an object that are there. At least one must be, unless any number will do.
  const read = (bag, list, calendar, isPartial) => {
    const names = hasEras(calendar) ? LISTS[list].eras : LISTS[list].plain;
    const found = record();
    let count = 0;
    for (let i = 0; i < names.length; i++) {
      const value = bag[names[i]];
      if (value === undefined) {
        if (names[i] === "timeZone" && isPartial === "zoned") throw new TypeError("The field timeZone is missing");
        continue;
      }
      found[names[i]] = READ[names[i]](value);
      count++;
    }
    if (count === 0 && isPartial === true) throw new TypeError(`The object has none of the fields ${arrayJoin(names, ", ")}`);
    return found;
  };

  // Fields that replace others: of an object that is no value of Temporal, and in no calendar or zone of its own.
  const partial = (bag, list, calendar) => {
    if (!isObject(bag)) throw new TypeError("An object with the fields to replace is expected here");
    if (kind(bag) !== 0 && kind(bag) !== Duration && kind(bag) !== Instant) throw new TypeError("An object with the fields to replace is expected here, not a value of Temporal");
    if (bag.calendar !== undefined) throw new TypeError("The fields to replace can't have a calendar: use withCalendar");
    if (bag.timeZone !== undefined) throw new TypeError("The fields to replace can't have a time zone: use withTimeZone");
    return read(bag, list, calendar, true);
  };

  // The fields of a duration in the order in which they are read, and where each is among those of the class.
  const SPANS = "days hours microseconds milliseconds minutes months nanoseconds seconds weeks years".split(" ");
  const PLACES = SPANS.map((name) => "years months weeks days hours minutes seconds milliseconds microseconds nanoseconds".split(" ").indexOf(name));
  const spans = (bag) => {
    const found = [undefined, undefined, undefined, undefined, undefined, undefined, undefined, undefined, undefined, undefined];
    let count = 0;
    for (let i = 0; i < SPANS.length; i++) {
      const value = bag[SPANS[i]];
      if (value === undefined) continue;
      found[PLACES[i]] = integral(value);
      count++;
    }
    if (count === 0) throw new TypeError(`The object has none of the fields ${arrayJoin(SPANS, ", ")}`);
    return found;
  };

  return { temporalFields: { KINDS, calendar, calendarIn, partial, read, spans, timeZone } };
};
