// What Intl.DateTimeFormat shows of values of Temporal: only fields that they have.

export default ({ native, primordials, intl, dateOptions, zones }) => {
  const { RangeError, TypeError } = primordials;
  const { field, kind } = native.temporal;
  const [INSTANT, ZONED, DATE_TIME, DATE, TIME, YEAR_MONTH, MONTH_DAY, DURATION] = [1, 2, 3, 4, 5, 6, 7, 8];
  const UTC = zones.find("UTC");

  const isTemporal = (value) => {
    if (typeof value !== "object" || value === null) return false;
    const number = kind(value);
    return number !== 0 && number !== DURATION;
  };

  // What a class needs of the fields, and what is shown where none is asked for.
  const CLASSES = {
    __proto__: null,
    [DATE_TIME]: { required: "any", defaults: "all", letters: "GyMLEcedabBhHKkmsS" },
    [DATE]: { required: "date", defaults: "date", style: "dateStyle", letters: "GyMLEced" },
    [TIME]: { required: "time", defaults: "time", style: "timeStyle", letters: "abBhHKkmsS" },
    [YEAR_MONTH]: { required: "yearMonth", defaults: "yearMonth", style: "dateStyle", letters: "GyML" },
    [MONTH_DAY]: { required: "monthDay", defaults: "monthDay", style: "dateStyle", letters: "MLd" },
  };
  const FIELDS = {
    any: ["weekday", "era", "year", "month", "day", "dayPeriod", "hour", "minute", "second", "fractionalSecondDigits"],
    date: ["weekday", "era", "year", "month", "day"],
    time: ["dayPeriod", "hour", "minute", "second", "fractionalSecondDigits"],
    yearMonth: ["era", "year", "month"],
    monthDay: ["month", "day"],
  };
  const foreign = () => new TypeError("The options of the format ask for nothing that the value of Temporal has");

  // The styles of a format that a class has a part of.
  const stylesOf = ({ dateStyle, timeStyle }, style) => {
    const styles = style === undefined ? { dateStyle, timeStyle } : { [style]: style === "dateStyle" ? dateStyle : timeStyle };
    if (styles.dateStyle === undefined && styles.timeStyle === undefined) throw foreign();
    return styles;
  };
  const build = (format, number) => {
    const { asked, locale, system } = format;
    const { required, defaults, style, letters } = CLASSES[number];
    const letter = dateOptions.letterOf(asked);
    const found = (fields, styles) => ({ locale, system, zone: UTC, letter, point: asked.point, ...dateOptions.patternOf(asked, fields, styles, letter, false) });
    if (asked.styles !== undefined) {
      const whole = found({}, stylesOf(asked.styles, style));
      if (number !== YEAR_MONTH && number !== MONTH_DAY) return whole;
      const fields = dateOptions.fieldsOf(whole.list.filter(({ letter: one }) => one !== undefined && letters.includes(one)));
      return found(fields, undefined);
    }
    let fields = {};
    for (const name of FIELDS[required]) if (asked.fields[name] !== undefined) fields[name] = asked.fields[name];
    if (!dateOptions.has(fields, required)) {
      if (dateOptions.has(asked.fields, "any")) throw foreign();
      fields = dateOptions.completed(fields, required, defaults);
    }
    return found(fields, undefined);
  };

  // Months and days of months are shown only in their own calendar, dates of the ISO calendar in any.
  const checkCalendar = ({ asked: { isIso } }, value, number) => {
    if (number === INSTANT || number === TIME) return;
    const calendar = field(value, number, "calendarId");
    const own = isIso ? "iso8601" : "gregory";
    const isOpen = number !== YEAR_MONTH && number !== MONTH_DAY;
    if (calendar === own || (isOpen && calendar === "iso8601")) return;
    const instead = calendar === "iso8601" ? ': ask for { calendar: "iso8601" }' : "";
    throw new RangeError(`The format has the calendar ${own}, and the value ${calendar}${instead}`);
  };

  // The format for a value.
  const of = (format, value) => {
    const number = kind(value);
    if (number === ZONED) throw new TypeError("A Temporal.ZonedDateTime has a time zone of its own: use its toLocaleString");
    checkCalendar(format, value, number);
    if (number === INSTANT) return instant(format);
    return format.temporal[number] ??= build(format, number);
  };
  // A date's format shows the day alone where nothing is asked for, an instant's the time, too.
  const instant = (format) => {
    const { asked, locale, system } = format;
    if (asked.styles !== undefined || dateOptions.has(asked.fields, "any")) return format;
    return format.temporal[INSTANT] ??= (() => {
      const letter = dateOptions.letterOf(asked);
      const fields = dateOptions.completed(asked.fields, "any", "all");
      return { locale, system, zone: format.zone, letter, point: asked.point, ...dateOptions.patternOf(asked, fields, undefined, letter) };
    })();
  };
  const zoned = (format, value) => {
    checkCalendar(format, value, ZONED);
    return format;
  };

  // What toLocaleString of a value asks of a format.
  const ASKED = {
    __proto__: null,
    [INSTANT]: { required: "any", defaults: "all" },
    [DATE_TIME]: { required: "any", defaults: "all" },
    [DATE]: { required: "date", defaults: "date" },
    [TIME]: { required: "time", defaults: "time" },
    [YEAR_MONTH]: { required: "date", defaults: "date" },
    [MONTH_DAY]: { required: "date", defaults: "date" },
  };
  const asked = (value) => {
    const number = kind(value);
    return number === ZONED ? { required: "any", defaults: "zoned", zone: field(value, ZONED, "timeZoneId") } : ASKED[number];
  };
  // Options with a time zone, which they must not have of themselves.
  const inZone = (options, timeZone) => {
    const own = intl.optionsOf(options);
    return new Proxy(own, {
      get: (target, name) => {
        const value = target[name];
        if (name !== "timeZone") return value;
        if (value !== undefined) throw new TypeError("A Temporal.ZonedDateTime has a time zone of its own: use withTimeZone");
        return timeZone;
      },
    });
  };

  return { temporalFormats: { asked, inZone, isTemporal, kind, of, zoned } };
};
