// Intl.DateTimeFormat in en-US and UTC, and toLocaleString of dates. Dates in numbers are also those of en-CA and sv-SE.

export default ({ primordials, intl }) => {
  const { define, tagged, dateGetTime, Date, RangeError, TypeError } = primordials;
  const { choice, wholeNumber } = intl;
  const MONTHS = "January February March April May June July August September October November December".split(" ");
  const DAYS = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");
  // Before AM and PM. As in Node, parts have it, and texts have an ordinary space.
  const NARROW_SPACE = "\u202f";
  const FIELDS = {
    weekday: ["narrow", "short", "long"], era: ["narrow", "short", "long"], year: ["2-digit", "numeric"],
    month: ["2-digit", "numeric", "narrow", "short", "long"], day: ["2-digit", "numeric"],
    dayPeriod: ["narrow", "short", "long"], hour: ["2-digit", "numeric"], minute: ["2-digit", "numeric"], second: ["2-digit", "numeric"],
    timeZoneName: ["short", "long", "shortOffset", "longOffset", "shortGeneric", "longGeneric"],
  };
  const DATE_STYLES = {
    full: { weekday: "long", year: "numeric", month: "long", day: "numeric" },
    long: { year: "numeric", month: "long", day: "numeric" },
    medium: { year: "numeric", month: "short", day: "numeric" },
    short: { year: "2-digit", month: "numeric", day: "numeric" },
  };
  const TIME_STYLES = {
    full: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "long" },
    long: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short" },
    medium: { hour: "numeric", minute: "2-digit", second: "2-digit" },
    short: { hour: "numeric", minute: "2-digit" },
  };
  const ZONES = ["UTC", "GMT", "ETC/UTC", "ETC/GMT", "ETC/UCT", "UCT", "ZULU", "ETC/ZULU", "UNIVERSAL", "ETC/UNIVERSAL", "+00:00", "-00:00"];
  const ZONE_NAMES = {
    short: "UTC", long: "Coordinated Universal Time", shortOffset: "GMT+0", longOffset: "GMT+00:00", shortGeneric: "GMT", longGeneric: "GMT",
  };

  const checkZone = (zone) => {
    if (zone === undefined || ZONES.includes(`${zone}`.toUpperCase())) return;
    throw new RangeError(`Invalid time zone specified: ${zone}. Only UTC is available here: add the zone's offset to the time, or ask a tool.`);
  };

  // The fields to show, after the defaults for those that are absent.
  const readFields = (service, options, required, defaults) => {
    const fields = {};
    for (const name of Object.keys(FIELDS)) {
      const value = choice(service, options, name, FIELDS[name], undefined);
      if (value !== undefined) fields[name] = value;
    }
    const fraction = wholeNumber(options, "fractionalSecondDigits", 1, 3, undefined);
    if (fraction !== undefined) fields.fractionalSecondDigits = fraction;
    const has = (...names) => names.some((name) => fields[name] !== undefined);
    const hasDate = required !== "time" && has("weekday", "year", "month", "day");
    const hasTime = required !== "date" && has("dayPeriod", "hour", "minute", "second", "fractionalSecondDigits");
    if (!hasDate && !hasTime) {
      if (defaults !== "time") Object.assign(fields, { year: "numeric", month: "numeric", day: "numeric" });
      if (defaults !== "date") Object.assign(fields, { hour: "numeric", minute: "numeric", second: "numeric" });
    }
    return fields;
  };

  const readStyles = (service, options, required) => {
    const styles = ["full", "long", "medium", "short"];
    const dateStyle = choice(service, options, "dateStyle", styles, undefined);
    const timeStyle = choice(service, options, "timeStyle", styles, undefined);
    if (dateStyle === undefined && timeStyle === undefined) return undefined;
    if (required === "date" && timeStyle !== undefined) throw new TypeError("Invalid option : timeStyle");
    if (required === "time" && dateStyle !== undefined) throw new TypeError("Invalid option : dateStyle");
    for (const name of [...Object.keys(FIELDS), "fractionalSecondDigits"]) {
      if (options[name] !== undefined) throw new TypeError(`Can't set option ${name} when ${dateStyle === undefined ? "timeStyle" : "dateStyle"} is used`);
    }
    return { dateStyle, timeStyle };
  };

  // The locales that scripts use for years first and dashes, as in 2024-01-05. Worded dates are those of en-US in them, too.
  const YEAR_FIRST = ["en-CA", "sv", "sv-SE"];
  const YEAR_FIRST_SHORT = { year: "numeric", month: "2-digit", day: "2-digit" };

  const cut = (name, width) => (width === "long" ? name : name.slice(0, width === "short" ? 3 : 1));
  const padded = (value, width = 2) => `${value}`.padStart(width, "0");
  const literal = (value) => ({ type: "literal", value });

  class DateTimeFormat {
    #locale;
    #isYearFirst;
    #isSwedish;
    #styles;
    #fields;
    #cycle;
    #bound;

    constructor(locales, options, service = "Intl.DateTimeFormat", required = "any", defaults = "date") {
      const [asked] = intl.canonicalLocales(locales);
      this.#isYearFirst = YEAR_FIRST.includes(asked);
      this.#isSwedish = this.#isYearFirst && asked !== "en-CA";
      this.#locale = this.#isYearFirst ? asked : intl.resolveLocale(locales);
      options = intl.optionsOf(options);
      checkZone(options.timeZone);
      const cycle = choice(service, options, "hourCycle", ["h11", "h12", "h23", "h24"], undefined);
      this.#styles = readStyles(service, options, required);
      this.#fields = this.#styles === undefined
        ? readFields(service, options, required, defaults)
        : { ...DATE_STYLES[this.#styles.dateStyle], ...TIME_STYLES[this.#styles.timeStyle] };
      if (this.#isYearFirst && this.#styles?.dateStyle === "short") Object.assign(this.#fields, YEAR_FIRST_SHORT);
      const { hour12 } = options;
      // Without AM and PM, en-US counts midnight as 24 unless a cycle is asked for.
      const [usual, by24] = this.#isSwedish ? ["h23", "h23"] : ["h12", "h24"];
      if (this.#fields.hour !== undefined) this.#cycle = hour12 === undefined ? cycle ?? usual : hour12 ? "h12" : by24;
    }

    get format() {
      return this.#bound ??= (date) => this.#text(date);
    }

    formatToParts(date) {
      return this.#parts(date);
    }

    formatRange(start, end) {
      const [first, last] = [this.#text(start), this.#text(end)];
      return first === last ? first : `${first} – ${last}`;
    }

    resolvedOptions() {
      const { dateStyle, timeStyle } = this.#styles ?? {};
      const resolved = { locale: this.#locale, calendar: "gregory", numberingSystem: "latn", timeZone: "UTC" };
      if (this.#cycle !== undefined) Object.assign(resolved, { hourCycle: this.#cycle === "h24" ? "h23" : this.#cycle, hour12: this.#cycle < "h20" });
      if (this.#styles === undefined) return Object.assign(resolved, this.#fields);
      return Object.assign(resolved, dateStyle && { dateStyle }, timeStyle && { timeStyle });
    }

    static supportedLocalesOf(locales) {
      return intl.supportedLocalesOf(locales);
    }

    #text(date) {
      let text = "";
      for (const part of this.#parts(date)) text += part.value === NARROW_SPACE ? " " : part.value;
      return text;
    }

    #parts(value) {
      const date = new Date(value === undefined ? Date.now() : typeof value === "object" ? dateGetTime(value) : Number(value));
      if (Number.isNaN(dateGetTime(date))) throw new RangeError("Invalid time value");
      const day = this.#day(date);
      const time = this.#time(date);
      if (day.length === 0 || time.length === 0) return [...day, ...time];
      const { weekday, year, month, day: number } = this.#fields;
      const isOnlyWeekday = weekday !== undefined && year === undefined && month === undefined && number === undefined;
      return [...day, literal(isOnlyWeekday || this.#isSwedish ? " " : month === "long" ? " at " : ", "), ...time];
    }

    #field(type, value) {
      const width = this.#fields[type];
      if (type === "year") return { type, value: width === "2-digit" ? padded(value % 100) : `${value}` };
      return { type, value: width === "2-digit" ? padded(value) : `${value}` };
    }

    #day(date) {
      const { weekday, year, month, day, era } = this.#fields;
      const parts = month === "short" || month === "long" || month === "narrow" ? this.#worded(date) : this.#numeric(date);
      if (era !== undefined) parts.push(literal(" "), { type: "era", value: { narrow: "A", short: "AD", long: "Anno Domini" }[era] });
      if (weekday === undefined) return parts;
      const name = { type: "weekday", value: cut(DAYS[date.getUTCDay()], weekday) };
      if (parts.length === 0) return [name];
      // A weekday goes first, with a comma, where there is a day of a month.
      if (day !== undefined && month !== undefined) return [name, literal(", "), ...parts];
      return year !== undefined && month !== undefined ? [name, literal(", "), ...parts] : [...parts, literal(" "), name];
    }

    // Jan 5, 2024
    #worded(date) {
      const { year, month, day } = this.#fields;
      const parts = [{ type: "month", value: cut(MONTHS[date.getUTCMonth()], month) }];
      if (day !== undefined) parts.push(literal(" "), this.#field("day", date.getUTCDate()));
      if (year !== undefined) parts.push(literal(day === undefined ? " " : ", "), this.#field("year", date.getUTCFullYear()));
      return parts;
    }

    // 1/5/2024, or 2024-01-05
    #numeric(date) {
      const { year, month, day } = this.#fields;
      const parts = [];
      const yearFirst = this.#isYearFirst && year !== undefined && month !== undefined;
      const add = (part) => parts.push(...(parts.length > 0 ? [literal(yearFirst ? "-" : "/")] : []), part);
      if (yearFirst) {
        add(this.#field("year", date.getUTCFullYear()));
        add({ type: "month", value: padded(date.getUTCMonth() + 1) });
        if (day !== undefined) add({ type: "day", value: padded(date.getUTCDate()) });
        return parts;
      }
      if (month !== undefined) add(this.#field("month", date.getUTCMonth() + 1));
      if (day !== undefined) add(this.#field("day", date.getUTCDate()));
      if (year !== undefined) add(this.#field("year", date.getUTCFullYear()));
      return parts;
    }

    #time(date) {
      const { hour, minute, second, fractionalSecondDigits: places, timeZoneName } = this.#fields;
      const parts = [];
      const add = (part) => parts.push(...(parts.length > 0 ? [literal(":")] : []), part);
      if (hour !== undefined) add({ type: "hour", value: this.#hour(date.getUTCHours()) });
      const isAlone = (other) => hour === undefined && other === undefined;
      if (minute !== undefined) add({ type: "minute", value: isAlone(second) ? `${date.getUTCMinutes()}` : padded(date.getUTCMinutes()) });
      if (second !== undefined) add({ type: "second", value: isAlone(minute) ? `${date.getUTCSeconds()}` : padded(date.getUTCSeconds()) });
      if (places !== undefined) {
        if (parts.length > 0) parts.push(literal("."));
        parts.push({ type: "fractionalSecond", value: padded(date.getUTCMilliseconds(), 3).slice(0, places) });
      }
      if (hour !== undefined && (this.#cycle === "h12" || this.#cycle === "h11")) {
        parts.push(literal(NARROW_SPACE), { type: "dayPeriod", value: this.#dayPeriod(date.getUTCHours() < 12) });
      }
      if (timeZoneName !== undefined) parts.push(...(parts.length > 0 ? [literal(" ")] : []), { type: "timeZoneName", value: ZONE_NAMES[timeZoneName] });
      return parts;
    }

    #dayPeriod(isMorning) {
      if (this.#isYearFirst && !this.#isSwedish) return isMorning ? "a.m." : "p.m.";
      return isMorning ? "AM" : "PM";
    }

    #hour(hour) {
      const cycle = this.#cycle;
      if (cycle === "h12") hour = hour % 12 || 12;
      else if (cycle === "h11") hour %= 12;
      else if (cycle === "h24") hour = hour || 24;
      const isPadded = this.#fields.hour === "2-digit" || cycle === "h23" || cycle === "h24";
      return isPadded ? padded(hour) : `${hour}`;
    }
  }
  tagged(DateTimeFormat, "Intl.DateTimeFormat");

  const formats = { __proto__: null };
  const localized = (date, locales, options, name, required, defaults) => {
    if (Number.isNaN(dateGetTime(date))) return "Invalid Date";
    const make = () => new DateTimeFormat(locales, options, `Date.prototype.${name}`, required, defaults);
    const format = locales === undefined && options === undefined ? formats[name] ??= make() : make();
    return format.format(date);
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
