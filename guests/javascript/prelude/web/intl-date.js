// Intl.DateTimeFormat, and toLocaleString of dates.

export default ({ primordials, intl, dateOptions, dateFields, dateRanges }) => {
  const { define, tagged, dateGetTime, Date, RangeError, TypeError } = primordials;

  const timeOf = (value) => {
    const time = value === undefined ? Date.now() : typeof value === "object" ? dateGetTime(value) : Number(value);
    const clipped = dateGetTime(new Date(time));
    if (Number.isNaN(clipped)) throw new RangeError("Invalid time value");
    return clipped;
  };
  const joined = (parts) => {
    let text = "";
    for (const part of parts) text += part.value;
    return text;
  };
  // As in Node, texts of one time have ordinary spaces where parts have narrow ones.
  const spaced = (parts) => joined(parts).replaceAll("\u202f", " ");

  class DateTimeFormat {
    #format;
    #bound;

    constructor(locales, options, service = "Intl.DateTimeFormat", required = "any", defaults = "date") {
      const locale = intl.resolve(locales);
      this.#format = { locale, ...dateOptions.read(service, locale, intl.optionsOf(options), required, defaults) };
    }

    get format() {
      return this.#bound ??= (date) => spaced(this.#parts(date));
    }

    formatToParts(date) {
      return this.#parts(date);
    }

    formatRange(start, end) {
      const parts = this.#range(start, end);
      return parts.every((part) => part.source === "shared") ? spaced(parts) : joined(parts);
    }

    formatRangeToParts(start, end) {
      return intl.merged(this.#range(start, end));
    }

    resolvedOptions() {
      return { ...this.#format.resolved };
    }

    static supportedLocalesOf(locales) {
      return intl.supportedLocalesOf(locales);
    }

    #parts(date) {
      const { locale, system, zone, list } = this.#format;
      return dateFields.parts(locale, system, zone, list, dateFields.read(timeOf(date), zone));
    }

    #range(start, end) {
      if (start === undefined || end === undefined) throw new TypeError("startDate or endDate cannot be undefined");
      return dateRanges.range(this.#format, timeOf(start), timeOf(end));
    }
  }
  tagged(DateTimeFormat, "Intl.DateTimeFormat");

  const localized = (date, locales, options, name, required, defaults) => {
    if (Number.isNaN(dateGetTime(date))) return "Invalid Date";
    return intl.reused(name, locales, options, () => new DateTimeFormat(locales, options, `Date.prototype.${name}`, required, defaults)).format(date);
  };
  define(Date.prototype, {
    toLocaleString(locales, options) {
      return localized(this, locales, options, "toLocaleString", "any", "all");
    },
    toLocaleDateString(locales, options) {
      return localized(this, locales, options, "toLocaleDateString", "date", "date");
    },
    toLocaleTimeString(locales, options) {
      return localized(this, locales, options, "toLocaleTimeString", "time", "time");
    },
  });
  return { DateTimeFormat };
};
