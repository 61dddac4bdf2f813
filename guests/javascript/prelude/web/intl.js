// The other classes of Intl in en-US, and the object itself.

export default ({ native, primordials, intl, NumberFormat, DateTimeFormat }) => {
  const { define, stringNormalize, stringToWellFormed, tagged, RangeError, TypeError } = primordials;
  const { choice } = intl;
  const { compareText } = native;

  // What the native comparison answers for strings that it wants in normal form first.
  const NOT_NORMAL = 2;
  const normal = (text) => stringToWellFormed(stringNormalize(text, "NFD"));

  class Collator {
    #options;
    #flags;
    #bound;

    constructor(locales, options) {
      const service = "Intl.Collator";
      const locale = intl.resolveLocale(locales);
      options = intl.optionsOf(options);
      const usage = choice(service, options, "usage", ["sort", "search"], "sort");
      const sensitivity = choice(service, options, "sensitivity", ["base", "accent", "case", "variant"], "variant");
      const caseFirst = choice(service, options, "caseFirst", ["upper", "lower", "false"], "false");
      this.#options = {
        locale, usage, sensitivity, ignorePunctuation: Boolean(options.ignorePunctuation), collation: "default", numeric: Boolean(options.numeric), caseFirst,
      };
      const { ignorePunctuation, numeric } = this.#options;
      const flags = [sensitivity === "accent" || sensitivity === "variant", sensitivity === "case" || sensitivity === "variant", numeric, caseFirst === "upper", ignorePunctuation];
      this.#flags = flags.reduce((bits, isSet, i) => bits | (isSet << i), 0);
    }

    get compare() {
      return this.#bound ??= (a, b) => this.#compare(`${a}`, `${b}`);
    }

    #compare(a, b) {
      if (a === b) return 0;
      const order = compareText(a, b, this.#flags, false);
      return order === NOT_NORMAL ? compareText(normal(a), normal(b), this.#flags, true) : order;
    }

    resolvedOptions() {
      return { ...this.#options };
    }

    static supportedLocalesOf(locales) {
      return intl.supportedLocalesOf(locales);
    }
  }
  tagged(Collator, "Intl.Collator");

  const ordinalOf = (n) => {
    const tens = n % 100;
    if (n % 10 === 1 && tens !== 11) return "one";
    if (n % 10 === 2 && tens !== 12) return "two";
    return n % 10 === 3 && tens !== 13 ? "few" : "other";
  };

  class PluralRules {
    #type;
    #numbers;

    constructor(locales, options) {
      options = intl.optionsOf(options);
      this.#type = choice("Intl.PluralRules", options, "type", ["cardinal", "ordinal"], "cardinal");
      const { minimumIntegerDigits, minimumFractionDigits, maximumFractionDigits, minimumSignificantDigits, maximumSignificantDigits } = options;
      const counted = { minimumIntegerDigits, minimumFractionDigits, maximumFractionDigits, minimumSignificantDigits, maximumSignificantDigits };
      this.#numbers = new NumberFormat(locales, { ...counted, useGrouping: false, signDisplay: "never" });
    }

    select(number) {
      const shown = this.#numbers.format(Number(number));
      if (this.#type === "cardinal") return shown === "1" ? "one" : "other";
      return /^\d+$/.test(shown) ? ordinalOf(Number(shown)) : "other";
    }

    resolvedOptions() {
      const { locale, minimumIntegerDigits, minimumFractionDigits, maximumFractionDigits } = this.#numbers.resolvedOptions();
      const pluralCategories = this.#type === "cardinal" ? ["one", "other"] : ["few", "one", "two", "other"];
      return { locale, type: this.#type, minimumIntegerDigits, minimumFractionDigits, maximumFractionDigits, pluralCategories };
    }

    static supportedLocalesOf(locales) {
      return intl.supportedLocalesOf(locales);
    }
  }
  tagged(PluralRules, "Intl.PluralRules");

  class ListFormat {
    #locale;
    #type;
    #style;

    constructor(locales, options) {
      this.#locale = intl.resolveLocale(locales);
      options = intl.optionsOf(options);
      this.#type = choice("Intl.ListFormat", options, "type", ["conjunction", "disjunction", "unit"], "conjunction");
      this.#style = choice("Intl.ListFormat", options, "style", ["long", "short", "narrow"], "long");
    }

    formatToParts(list) {
      const items = [];
      for (const item of list ?? []) {
        if (typeof item !== "string") throw new TypeError(`Iterable yielded ${String(item)} which is not a string`);
        items.push(item);
      }
      const parts = [];
      items.forEach((value, i) => {
        if (i > 0) parts.push({ type: "literal", value: this.#between(items.length, i === items.length - 1) });
        parts.push({ type: "element", value });
      });
      return parts;
    }

    #between(count, isLast) {
      if (this.#type === "unit") return this.#style === "narrow" ? " " : ", ";
      if (!isLast) return ", ";
      if (this.#type === "disjunction") return count === 2 ? " or " : ", or ";
      if (this.#style === "narrow") return ", ";
      const word = this.#style === "long" ? "and" : "&";
      return count === 2 ? ` ${word} ` : `, ${word} `;
    }

    format(list) {
      return this.formatToParts(list).map((part) => part.value).join("");
    }

    resolvedOptions() {
      return { locale: this.#locale, type: this.#type, style: this.#style };
    }

    static supportedLocalesOf(locales) {
      return intl.supportedLocalesOf(locales);
    }
  }
  tagged(ListFormat, "Intl.ListFormat");

  // Name: short of one, short of several, narrow.
  const SPANS = {
    second: ["sec.", "sec.", "s"], minute: ["min.", "min.", "m"], hour: ["hr.", "hr.", "h"], day: ["day", "days", "d"], week: ["wk.", "wk.", "w"],
    month: ["mo.", "mo.", "mo"], quarter: ["qtr.", "qtrs.", "q"], year: ["yr.", "yr.", "y"],
  };

  class RelativeTimeFormat {
    #locale;
    #style;
    #numeric;
    #numbers;

    constructor(locales, options) {
      this.#locale = intl.resolveLocale(locales);
      options = intl.optionsOf(options);
      this.#style = choice("Intl.RelativeTimeFormat", options, "style", ["long", "short", "narrow"], "long");
      this.#numeric = choice("Intl.RelativeTimeFormat", options, "numeric", ["always", "auto"], "always");
      this.#numbers = new NumberFormat();
    }

    formatToParts(value, unit) {
      const name = `${unit}`.replace(/s$/, "");
      if (!Object.hasOwn(SPANS, name)) throw new RangeError(`Invalid unit argument for Intl.RelativeTimeFormat.prototype.format() '${unit}'`);
      const number = Number(value);
      if (!Number.isFinite(number)) throw new RangeError("Value need to be finite number for Intl.RelativeTimeFormat.prototype.format()");
      const word = this.#numeric === "auto" ? this.#word(number, name) : undefined;
      if (word !== undefined) return [{ type: "literal", value: word }];
      const isPast = number < 0 || Object.is(number, -0);
      const parts = this.#numbers.formatToParts(Math.abs(number)).map((part) => ({ ...part, unit: name }));
      const span = this.#span(Math.abs(number), name);
      const after = { type: "literal", value: isPast ? `${span} ago` : span };
      return isPast ? [...parts, after] : [{ type: "literal", value: "in " }, ...parts, after];
    }

    #span(count, name) {
      const [one, many, narrow] = SPANS[name];
      if (this.#style === "narrow") return narrow;
      if (this.#style === "short") return count === 1 ? ` ${one}` : ` ${many}`;
      return count === 1 ? ` ${name}` : ` ${name}s`;
    }

    // Yesterday, next year and the like.
    #word(number, name) {
      if (number !== 0 && number !== 1 && number !== -1) return undefined;
      if (name === "second") return number === 0 ? "now" : undefined;
      if (name === "minute" || name === "hour") return number === 0 ? `this ${name}` : undefined;
      if (name === "day") return ["yesterday", "today", "tomorrow"][number + 1];
      return `${["last", "this", "next"][number + 1]} ${this.#style === "long" ? name : SPANS[name][0]}`;
    }

    format(value, unit) {
      return this.formatToParts(value, unit).map((part) => part.value).join("");
    }

    resolvedOptions() {
      return { locale: this.#locale, style: this.#style, numeric: this.#numeric, numberingSystem: "latn" };
    }

    static supportedLocalesOf(locales) {
      return intl.supportedLocalesOf(locales);
    }
  }
  tagged(RelativeTimeFormat, "Intl.RelativeTimeFormat");

  // The language's own forget to pass the arguments on.
  const joined = {
    toLocaleString(locales, options) {
      const shown = [];
      for (let i = 0; i < this.length; i++) shown.push(this[i] === undefined || this[i] === null ? "" : this[i].toLocaleString(locales, options));
      return shown.join(",");
    },
  };
  define(Array.prototype, joined);
  define(primordials.TypedArray.prototype, joined);

  let plain;
  define(String.prototype, {
    localeCompare(that, locales, options) {
      const text = `${this}`;
      if (locales === undefined && options === undefined) return (plain ??= new Collator()).compare(text, that);
      return new Collator(locales, options).compare(text, that);
    },
  });

  const Intl = {};
  define(Intl, {
    Collator: intl.callable(Collator),
    DateTimeFormat: intl.callable(DateTimeFormat),
    ListFormat,
    NumberFormat: intl.callable(NumberFormat),
    PluralRules,
    RelativeTimeFormat,
    getCanonicalLocales: intl.canonicalLocales,
  });
  Object.defineProperty(Intl, Symbol.toStringTag, { value: "Intl", configurable: true });
  define(globalThis, { Intl });
  return {};
};
