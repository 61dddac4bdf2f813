// Intl.PluralRules, ListFormat and RelativeTimeFormat.

export default ({ native, primordials, intl, NumberFormat }) => {
  const { tagged, RangeError, TypeError } = primordials;
  const { choice, data, text } = intl;
  const { pluralOf, pluralOfRange, pluralsOf } = native;

  const joined = (parts) => {
    let all = "";
    for (const part of parts) all += part.value;
    return all;
  };

  class PluralRules {
    #locale;
    #isOrdinal;
    #numbers;

    constructor(locales, options) {
      this.#locale = intl.resolve(locales);
      options = intl.optionsOf(options);
      this.#isOrdinal = choice("Intl.PluralRules", options, "type", ["cardinal", "ordinal"], "cardinal") === "ordinal";
      const counted = {};
      const names = "minimumIntegerDigits minimumFractionDigits maximumFractionDigits minimumSignificantDigits maximumSignificantDigits " +
        "roundingIncrement roundingMode roundingPriority trailingZeroDisplay";
      for (const name of names.split(" ")) counted[name] = options[name];
      // With digits of ASCII, for the rules.
      this.#numbers = new NumberFormat("en", { ...counted, useGrouping: false, signDisplay: "never" }, "Intl.PluralRules");
    }

    select(number) {
      const value = Number(number);
      return Number.isFinite(value) ? pluralOf(this.#locale.plural, this.#isOrdinal, this.#numbers.format(value)) : "other";
    }

    selectRange(start, end) {
      if (start === undefined || end === undefined) throw new TypeError("Invalid argument");
      const [first, last] = [Number(start), Number(end)];
      if (Number.isNaN(first) || Number.isNaN(last)) throw new RangeError("Invalid argument");
      return pluralOfRange(this.#locale.plural, this.#isOrdinal, this.#numbers.format(first), this.#numbers.format(last));
    }

    resolvedOptions() {
      const { locale: _, numberingSystem, style, useGrouping, notation, signDisplay, ...counted } = this.#numbers.resolvedOptions();
      const { roundingMode, roundingIncrement, trailingZeroDisplay, roundingPriority, ...digits } = counted;
      const order = ["few", "many", "one", "two", "zero", "other"];
      const pluralCategories = pluralsOf(this.#locale.plural, this.#isOrdinal).sort((a, b) => order.indexOf(a) - order.indexOf(b));
      const type = this.#isOrdinal ? "ordinal" : "cardinal";
      return { locale: this.#locale.tag, type, ...digits, pluralCategories, roundingMode, roundingIncrement, trailingZeroDisplay, roundingPriority };
    }

    static supportedLocalesOf(locales) {
      return intl.supportedLocalesOf(locales);
    }
  }
  tagged(PluralRules, "Intl.PluralRules");

  // What ICU does to patterns of Spanish and Hebrew before some words.
  const adapted = (language, type, pattern, next) => {
    const word = next.toLowerCase();
    if (language === "es" && type !== "disjunction" && /^(i|hi(?!a|e))/.test(word)) return pattern.replace(" y ", " e ");
    if (language === "es" && type === "disjunction" && /^(o|ho|8|11( |$))/.test(word)) return pattern.replace(" o ", " u ");
    if (language === "he" && type === "conjunction" && /^[^\u0590-\u05ff]/.test(next)) return pattern.replace("ו{1}", "ו-{1}");
    return pattern;
  };

  class ListFormat {
    #locale;
    #type;
    #style;

    constructor(locales, options) {
      this.#locale = intl.resolve(locales);
      options = intl.optionsOf(options);
      this.#type = choice("Intl.ListFormat", options, "type", ["conjunction", "disjunction", "unit"], "conjunction");
      this.#style = choice("Intl.ListFormat", options, "style", ["long", "short", "narrow"], "long");
    }

    formatToParts(list) {
      const items = [];
      for (const item of list ?? []) {
        if (typeof item !== "string") throw new TypeError(`Iterable yielded ${String(item)} which is not a string`);
        items.push([{ type: "element", value: item }]);
      }
      if (items.length < 2) return items.flat();
      const name = { conjunction: "standard", disjunction: "or", unit: "unit" }[this.#type];
      const [start, middle, end, pair] = text(this.#locale.place, "list", this.#style === "long" ? name : `${name}-${this.#style}`).split("\t");
      const last = items[items.length - 1];
      const adaptedTo = (pattern) => adapted(this.#locale.language, this.#type, pattern, last[0].value);
      if (items.length === 2) return intl.merged(intl.filled(adaptedTo(pair), ...items));
      let parts = intl.filled(adaptedTo(end), items[items.length - 2], last);
      for (let i = items.length - 3; i >= 0; i--) parts = intl.filled(i === 0 ? start : middle, items[i], parts);
      return intl.merged(parts);
    }

    format(list) {
      return joined(this.formatToParts(list));
    }

    resolvedOptions() {
      return { locale: this.#locale.tag, type: this.#type, style: this.#style };
    }

    static supportedLocalesOf(locales) {
      return intl.supportedLocalesOf(locales);
    }
  }
  tagged(ListFormat, "Intl.ListFormat");

  const UNITS = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"];

  class RelativeTimeFormat {
    #locale;
    #tag;
    #system;
    #style;
    #numeric;
    #numbers;

    constructor(locales, options) {
      this.#locale = intl.resolve(locales);
      options = intl.optionsOf(options);
      const { system, keyword } = intl.numberingSystem(this.#locale, options);
      this.#system = system;
      this.#tag = intl.tagWith(this.#locale.tag, { nu: keyword });
      this.#style = choice("Intl.RelativeTimeFormat", options, "style", ["long", "short", "narrow"], "long");
      this.#numeric = choice("Intl.RelativeTimeFormat", options, "numeric", ["always", "auto"], "always");
      this.#numbers = new NumberFormat(this.#locale.tag, { numberingSystem: system });
    }

    formatToParts(value, unit) {
      const name = `${unit}`.replace(/s$/, "");
      if (!UNITS.includes(name)) throw new RangeError(`Invalid unit argument for Intl.RelativeTimeFormat.prototype.format() '${unit}'`);
      const number = Number(value);
      if (!Number.isFinite(number)) throw new RangeError("Value need to be finite number for Intl.RelativeTimeFormat.prototype.format()");
      const { place, plural } = this.#locale;
      const [named, past, future] = data(place, "relative", this.#style === "long" ? name : `${name}-${this.#style}`);
      const word = this.#numeric === "auto" ? named[Object.is(number, -0) ? "0" : `${number}`] : undefined;
      if (word !== undefined) return [{ type: "literal", value: word }];
      const forms = number < 0 || Object.is(number, -0) ? past : future;
      const size = Math.abs(number);
      const shown = new NumberFormat("en", { useGrouping: false }).format(size);
      const parts = this.#numbers.formatToParts(size).map((part) => ({ ...part, unit: name }));
      return intl.merged(intl.filled(forms[pluralOf(plural, false, shown)] ?? forms.other, parts));
    }

    format(value, unit) {
      return joined(this.formatToParts(value, unit));
    }

    resolvedOptions() {
      return { locale: this.#tag, style: this.#style, numeric: this.#numeric, numberingSystem: this.#system };
    }

    static supportedLocalesOf(locales) {
      return intl.supportedLocalesOf(locales);
    }
  }
  tagged(RelativeTimeFormat, "Intl.RelativeTimeFormat");

  return { PluralRules, ListFormat, RelativeTimeFormat };
};
