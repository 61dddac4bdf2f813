// Values of Temporal from what scripts give for them: objects of its classes, objects with fields, texts.

export default ({ native, temporalOptions, temporalFields }) => {
  const { kind, isObject, overflow, placement, primitive, record, text } = temporalOptions;
  const { KINDS, calendarIn, read, spans } = temporalFields;
  const { convert, durationWith, fromFields, parse, parseRelative, parseZoned } = native.temporal;
  const { Instant, ZonedDateTime, PlainDateTime, PlainDate, PlainTime, PlainYearMonth, PlainMonthDay, Duration } = KINDS;

  // What is of the class already is what it is: values never change, and only `from` makes another.
  const toInstant = (value) => {
    const number = kind(value);
    if (number === Instant) return value;
    if (number === ZonedDateTime) return convert(value, Instant);
    return parse(Instant, text(primitive(value), "An instant"));
  };

  const toDuration = (value) => {
    if (kind(value) === Duration) return value;
    if (!isObject(value)) return parse(Duration, text(value, "A duration"));
    return durationWith(spans(value), undefined);
  };

  // The value of a class whose options are but what becomes of fields out of their range.
  const convertible = { __proto__: null };
  convertible[PlainDate] = [ZonedDateTime, PlainDateTime];
  convertible[PlainTime] = [ZonedDateTime, PlainDateTime];
  convertible[PlainDateTime] = [ZonedDateTime, PlainDate];
  convertible[PlainYearMonth] = [0, 0];
  convertible[PlainMonthDay] = [0, 0];
  const LISTS = { __proto__: null };
  LISTS[PlainDate] = "date";
  LISTS[PlainTime] = "time";
  LISTS[PlainDateTime] = "dateTime";
  LISTS[PlainYearMonth] = "yearMonth";
  LISTS[PlainMonthDay] = "monthDay";
  const plain = (to, what) => (value, options) => {
    if (!isObject(value)) {
      const made = parse(to, text(value, what));
      overflow(options);
      return made;
    }
    const number = kind(value);
    if (number === to || (number !== 0 && (number === convertible[to][0] || number === convertible[to][1]))) {
      overflow(options);
      return number === to ? value : convert(value, to);
    }
    const calendar = to === PlainTime ? "iso8601" : calendarIn(value);
    const fields = read(value, LISTS[to], calendar, to === PlainTime);
    return fromFields(to, fields, calendar, overflow(options));
  };
  const toDate = plain(PlainDate, "A date");
  const toTime = plain(PlainTime, "A time");
  const toDateTime = plain(PlainDateTime, "A date and time");
  const toYearMonth = plain(PlainYearMonth, "A month");
  const toMonthDay = plain(PlainMonthDay, "A day of a month");

  const toZonedDateTime = (value, options) => {
    if (!isObject(value)) {
      const written = text(value, "A date and time in a zone");
      parseZoned(written, undefined);
      return parseZoned(written, placement(options, "reject"));
    }
    if (kind(value) === ZonedDateTime) {
      placement(options, "reject");
      return value;
    }
    const calendar = calendarIn(value);
    const fields = read(value, "zonedDateTime", calendar, "zoned");
    return fromFields(ZonedDateTime, fields, calendar, placement(options, "reject"));
  };

  // What a duration is relative to, if an option says it: a date, or a time in a zone.
  const relativeTo = (options) => {
    const value = options.relativeTo;
    if (value === undefined) return undefined;
    if (!isObject(value)) return parseRelative(text(value, "relativeTo"));
    const number = kind(value);
    if (number === ZonedDateTime || number === PlainDate) return value;
    if (number === PlainDateTime) return convert(value, PlainDate);
    const calendar = calendarIn(value);
    const fields = read(value, "zonedDateTime", calendar);
    const constrained = record();
    return fields.timeZone === undefined
      ? convert(fromFields(PlainDateTime, fields, calendar, constrained), PlainDate)
      : fromFields(ZonedDateTime, fields, calendar, constrained);
  };

  // The time of day of an argument; without one, midnight.
  const timeOrMidnight = (value) => (value === undefined ? undefined : toTime(value));

  return {
    temporalValues: {
      relativeTo, timeOrMidnight, toDate, toDateTime, toDuration, toInstant, toMonthDay, toTime, toYearMonth, toZonedDateTime,
    },
  };
};
