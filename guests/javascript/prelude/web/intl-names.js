// Intl.Locale, DisplayNames and Segmenter.

export default ({ native, primordials, intl }) => {
  const { stringToWellFormed, tagged, RangeError, TypeError } = primordials;
  const { choice, data, text } = intl;
  const { canonicalLocale, maximizeLocale, minimizeLocale, segmentText } = native;

  const KEYWORDS = { calendar: "ca", collation: "co", hourCycle: "hc", caseFirst: "kf", numeric: "kn", numberingSystem: "nu" };

  class Locale {
    #tag;
    #base;
    #keywords;

    constructor(tag, options) {
      if (typeof tag !== "string" && (typeof tag !== "object" || tag === null)) {
        throw new TypeError("First argument to Intl.Locale constructor can't be empty or missing");
      }
      options = intl.optionsOf(options);
      const [name] = intl.canonicalLocales(`${tag}`);
      const { base, keywords } = intl.split(name);
      const parts = base.split("-");
      const option = (name, pattern) => {
        const value = options[name];
        if (value === undefined) return undefined;
        if (!pattern.test(`${value}`)) throw new RangeError("Incorrect locale information provided");
        return `${value}`;
      };
      const language = option("language", /^([a-z]{2,3}|[a-z]{5,8})$/i) ?? parts[0];
      const script = option("script", /^[a-z]{4}$/i) ?? parts.find((part, i) => i > 0 && /^[A-Z][a-z]{3}$/.test(part));
      const region = option("region", /^([a-z]{2}|\d{3})$/i) ?? parts.find((part, i) => i > 0 && /^([A-Z]{2}|\d{3})$/.test(part));
      const variants = parts.slice(1).filter((part) => /^([a-z\d]{5,8}|\d[a-z\d]{3})$/.test(part));
      for (const [name, key] of Object.entries(KEYWORDS)) {
        const value = options[name];
        if (value === undefined) continue;
        const asked = name === "numeric" ? `${Boolean(value)}` : `${value}`;
        const isRight = { hourCycle: /^h(11|12|23|24)$/, caseFirst: /^(upper|lower|false)$/ }[name] ?? /^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i;
        if (!isRight.test(asked)) throw new RangeError(`Value ${asked} out of range for Intl.Locale options property ${name}`);
        keywords[key] = asked.toLowerCase();
      }
      this.#base = canonicalLocale([language, script, region, ...variants].filter((part) => part !== undefined).join("-"));
      this.#keywords = keywords;
      const rest = /-(?!u-)[a-tv-z0-9]-.*$/.exec(name);
      this.#tag = intl.tagWith(this.#base, keywords) + (rest !== null && !rest[0].includes("-u-") ? rest[0] : "");
      intl.localeObjects.add(this);
    }

    get baseName() {
      return this.#base;
    }

    get language() {
      return this.#base.split("-")[0];
    }

    get script() {
      return this.#base.split("-").find((part, i) => i > 0 && /^[A-Z][a-z]{3}$/.test(part));
    }

    get region() {
      return this.#base.split("-").find((part, i) => i > 0 && /^([A-Z]{2}|\d{3})$/.test(part));
    }

    get calendar() {
      return this.#keywords.ca;
    }

    get collation() {
      return this.#keywords.co;
    }

    get hourCycle() {
      return this.#keywords.hc;
    }

    get caseFirst() {
      return this.#keywords.kf;
    }

    get numeric() {
      return this.#keywords.kn !== undefined && this.#keywords.kn !== "false";
    }

    get numberingSystem() {
      return this.#keywords.nu;
    }

    maximize() {
      return new Locale(intl.tagWith(maximizeLocale(this.#base), this.#keywords));
    }

    minimize() {
      return new Locale(intl.tagWith(minimizeLocale(this.#base), this.#keywords));
    }

    toString() {
      return this.#tag;
    }
  }
  tagged(Locale, "Intl.Locale");

  const FIELDS = {
    era: "era", year: "year", quarter: "quarter", month: "month", weekOfYear: "week", weekday: "weekday", day: "day", dayPeriod: "dayperiod", hour: "hour",
    minute: "minute", second: "second", timeZoneName: "zone",
  };
  const CALENDARS = { __proto__: null, gregory: "gregorian", ethioaa: "ethiopic-amete-alem" };

  class DisplayNames {
    #locale;
    #style;
    #type;
    #fallback;
    #languageDisplay;

    constructor(locales, options) {
      if (options === undefined) throw new TypeError("Cannot convert undefined or null to object");
      this.#locale = intl.resolve(locales);
      options = intl.optionsOf(options);
      const service = "Intl.DisplayNames";
      this.#style = choice(service, options, "style", ["narrow", "short", "long"], "long");
      this.#type = choice(service, options, "type", ["language", "region", "script", "currency", "calendar", "dateTimeField"], undefined);
      if (this.#type === undefined) throw new TypeError("Required option \"type\" must not be undefined");
      this.#fallback = choice(service, options, "fallback", ["code", "none"], "code");
      this.#languageDisplay = choice(service, options, "languageDisplay", ["dialect", "standard"], "dialect");
    }

    of(code) {
      const asked = `${code}`;
      const [canonical, name] = this.#find(asked);
      return name ?? (this.#fallback === "code" ? canonical : undefined);
    }

    #find(code) {
      const { place } = this.#locale;
      const invalid = () => new RangeError(`Invalid argument to Intl.DisplayNames.prototype.of`);
      // Shorter names are beside the usual ones.
      const shown = (section, key) => (this.#style === "long" ? undefined : text(place, section, `${key}-alt-short`)) ?? text(place, section, key);
      switch (this.#type) {
        case "region": {
          if (!/^([a-z]{2}|\d{3})$/i.test(code)) throw invalid();
          const key = code.toUpperCase();
          return [key, shown("region", key)];
        }
        case "script": {
          if (!/^[a-z]{4}$/i.test(code)) throw invalid();
          const key = code[0].toUpperCase() + code.slice(1).toLowerCase();
          return [key, text(place, "script", `${key}-alt-stand-alone`) ?? shown("script", key)];
        }
        case "currency": {
          if (!/^[a-z]{3}$/i.test(code)) throw invalid();
          const key = code.toUpperCase();
          if (this.#style === "long") return [key, data(place, "money", key)?.[0]];
          const usual = text(place, "symbol", key);
          return [key, this.#style === "narrow" ? text(place, "narrow", key) ?? usual : usual];
        }
        case "calendar":
          if (!/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i.test(code)) throw invalid();
          return [code.toLowerCase(), text(place, "display", `calendar/${CALENDARS[code.toLowerCase()] ?? code.toLowerCase()}`)];
        case "dateTimeField":
          if (!Object.hasOwn(FIELDS, code)) throw invalid();
          return [code, text(place, "relative", `name/${FIELDS[code]}${this.#style === "long" ? "" : `-${this.#style}`}`)];
        default:
          return this.#language(code, shown, invalid);
      }
    }

    #language(code, shown, invalid) {
      const canonical = /^[a-z]{2,8}(-[a-z0-9]{2,8})*$/i.test(code) ? canonicalLocale(code) : undefined;
      if (canonical === undefined || /-[a-z0-9]-/.test(canonical)) throw invalid();
      const { place } = this.#locale;
      const parts = canonical.split("-");
      const whole = this.#languageDisplay === "dialect" ? parts.length : 1;
      for (let used = whole; used > 0; used--) {
        for (const key of this.#prefixes(parts, used)) {
          const isLast = key.rest.length > 0 && key.rest.length === parts.length - 1;
          const name = shown("language", key.tag) ?? (isLast && this.#fallback === "code" ? key.tag : undefined);
          if (name === undefined) continue;
          if (key.rest.length === 0) return [canonical, name];
          const pattern = text(place, "display", "pattern") ?? "{0} ({1})";
          const separator = text(place, "display", "separator") ?? "{0}, {1}";
          const detail = (part) => (/^[A-Z][a-z]{3}$/.test(part) ? shown("script", part) : /^([A-Z]{2}|\d{3})$/.test(part) ? shown("region", part) : undefined);
          // Brackets inside of brackets are square.
          const squared = (words) => words.replaceAll("(", "[").replaceAll(")", "]");
          const details = key.rest.map((part) => squared(detail(part) ?? part));
          const inside = details.reduce((all, one) => separator.replace("{0}", all).replace("{1}", one));
          return [canonical, pattern.replace("{0}", squared(name)).replace("{1}", inside)];
        }
      }
      return [canonical, undefined];
    }

    // The language with as many of its parts as have a name together, and those that are left.
    #prefixes(parts, used) {
      // Where there is a region, too, a script is named apart.
      if (used === 2 && parts.length > 2 && parts[1].length === 4) return [{ tag: `${parts[0]}-${parts[2]}`, rest: [parts[1], ...parts.slice(3)] }];
      return [{ tag: parts.slice(0, used).join("-"), rest: parts.slice(used) }];
    }

    resolvedOptions() {
      const resolved = { locale: this.#locale.tag, style: this.#style, type: this.#type, fallback: this.#fallback };
      return this.#type === "language" ? { ...resolved, languageDisplay: this.#languageDisplay } : resolved;
    }

    static supportedLocalesOf(locales) {
      return intl.supportedLocalesOf(locales);
    }
  }
  tagged(DisplayNames, "Intl.DisplayNames");

  const segment = (string, start, end, isWord) => {
    const found = { segment: string.slice(start, end), index: start, input: string };
    return isWord === undefined ? found : { ...found, isWordLike: isWord };
  };

  class Segments {
    #string;
    #ends;
    #hasWords;

    constructor(string, granularity) {
      this.#string = string;
      this.#hasWords = granularity === "word";
      const flat = segmentText(stringToWellFormed(string), granularity);
      this.#ends = [];
      for (let i = 0; i < flat.length; i += 2) if (flat[i] > 0) this.#ends.push([flat[i], flat[i + 1] === 1]);
    }

    containing(index) {
      const at = Math.trunc(Number(index)) || 0;
      if (at < 0 || at >= this.#string.length) return undefined;
      let start = 0;
      for (const [end, isWord] of this.#ends) {
        if (at < end) return segment(this.#string, start, end, this.#hasWords ? isWord : undefined);
        start = end;
      }
      return undefined;
    }

    *[Symbol.iterator]() {
      let start = 0;
      for (const [end, isWord] of this.#ends) {
        yield segment(this.#string, start, end, this.#hasWords ? isWord : undefined);
        start = end;
      }
    }
  }
  tagged(Segments, "Segmenter Segments");

  class Segmenter {
    #locale;
    #granularity;

    constructor(locales, options) {
      this.#locale = intl.resolve(locales);
      this.#granularity = choice("Intl.Segmenter", intl.optionsOf(options), "granularity", ["grapheme", "word", "sentence"], "grapheme");
    }

    segment(string) {
      return new Segments(`${string}`, this.#granularity);
    }

    resolvedOptions() {
      return { locale: this.#locale.tag, granularity: this.#granularity };
    }

    static supportedLocalesOf(locales) {
      return intl.supportedLocalesOf(locales);
    }
  }
  tagged(Segmenter, "Intl.Segmenter");

  return { Locale, DisplayNames, Segmenter };
};
