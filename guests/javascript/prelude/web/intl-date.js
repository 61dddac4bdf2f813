// Intl.DateTimeFormat, and toLocaleString of dates.

export default ({ native, primordials, intl, dateOptions, dateFields, dateRanges, temporalFormats }) => {
  const { define, tagged, dateGetTime, Date, RangeError, TypeError } = primordials;

  const timeOf = (value) => {
    const time = value === undefined ? Date.now() : typeof value === "object" ? dateGetTime(value) : Number(value);
    const clipped = dateGetTime(new Date(time));
    if (Number.isNaN(clipped)) throw new RangeError("Invalid time value");
    return clipped;
  };
  const { kind, isTemporal } = temporalFormats;
  const joined = (parts) => {
    let text = "";
    for (const part of parts) text += part.value;
    return text;
  };
  // As in Node, texts of one time have ordinary spaces where parts have narrow ones.
  const spaced = (text) => (text.includes("\u202f") ? text.replaceAll("\u202f", " ") : text);

  // By `dateFields.written` as one text, by `dateFields.parts` as parts.
  const show = (write, { locale, system, zone, list }, time) => write(locale, system, zone, list, dateFields.read(time, zone));

  class DateTimeFormat {
    #format;
    #bound;

    constructor(locales, options, service = "Intl.DateTimeFormat", required = "any", defaults = "date") {
      const locale = intl.resolve(locales);
      this.#format = { locale, ...dateOptions.read(service, locale, intl.optionsOf(options), required, defaults), temporal: { __proto__: null } };
    }

    get format() {
      return this.#bound ??= (date) => spaced(this.#shown(date, dateFields.written));
    }

    formatToParts(date) {
      return this.#shown(date, dateFields.parts);
    }

    formatRange(start, end) {
      const parts = this.#range(start, end);
      return parts.every((part) => part.source === "shared") ? spaced(joined(parts)) : joined(parts);
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

    #shown(date, write) {
      const format = isTemporal(date) ? temporalFormats.of(this.#format, date) : this.#format;
      return show(write, format, isTemporal(date) ? native.temporal.utcMilliseconds(date) : timeOf(date));
    }

    #range(start, end) {
      if (start === undefined || end === undefined) throw new TypeError("startDate or endDate cannot be undefined");
      if (!isTemporal(start) && !isTemporal(end)) return dateRanges.range(this.#format, timeOf(start), timeOf(end));
      if (kind(start) !== kind(end)) throw new TypeError("Both ends of a range must be of the same class");
      const format = temporalFormats.of(this.#format, start);
      temporalFormats.of(this.#format, end);
      return dateRanges.range(format, native.temporal.utcMilliseconds(start), native.temporal.utcMilliseconds(end));
    }

    // How a time in a zone of its own is shown.
    static zoned(format, value) {
      return spaced(show(dateFields.written, temporalFormats.zoned(format.#format, value), native.temporal.utcMilliseconds(value)));
    }
  }
  const { zoned } = DateTimeFormat;
  delete DateTimeFormat.zoned;
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
  // A value of Temporal as a locale shows it.
  const localizedTemporal = (value, locales, options) => {
    // There is no Intl.DurationFormat.
    if (!isTemporal(value)) return native.temporal.text(value, { __proto__: null }, undefined);
    const { required, defaults, zone } = temporalFormats.asked(value);
    const name = `Temporal ${kind(value)} ${zone ?? ""}`;
    const format = intl.reused(name, locales, options, () => {
      if (zone === undefined) return new DateTimeFormat(locales, options, "toLocaleString", required, defaults);
      return new DateTimeFormat(locales, temporalFormats.inZone(options, zone), "toLocaleString", required, defaults);
    });
    return zone === undefined ? format.format(value) : zoned(format, value);
  };
  return { DateTimeFormat, localizedTemporal };
};
