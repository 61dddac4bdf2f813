// Intl.Collator, what strings and lists have of Intl, and the object itself.

export default ({ native, primordials, intl, numberOptions, ...classes }) => {
  const { NumberFormat, DateTimeFormat, PluralRules, ListFormat, RelativeTimeFormat, Locale, DisplayNames, Segmenter } = classes;
  const { define, stringToWellFormed, tagged, RangeError } = primordials;
  const { choice, entries } = intl;
  const { compareText, lowerCase, upperCase, zoneNames } = native;

  // What the native comparison answers for strings that have halves of characters.
  const NOT_WELL_FORMED = 2;
  const SENSITIVITIES = ["base", "accent", "case", "variant"];
  const FIRST = { upper: 1, lower: 2, false: 3 };

  class Collator {
    #options;
    #tag;
    #flags;
    #bound;

    constructor(locales, options) {
      const service = "Intl.Collator";
      const locale = intl.resolve(locales);
      const { keywords } = locale;
      options = intl.optionsOf(options);
      const usage = choice(service, options, "usage", ["sort", "search"], "sort");
      const sensitivity = choice(service, options, "sensitivity", SENSITIVITIES, "variant");
      const { numeric: asked, ignorePunctuation } = options;
      const first = choice(service, options, "caseFirst", ["upper", "lower", "false"], undefined);
      const numeric = asked === undefined ? keywords.kn !== undefined && keywords.kn !== "false" : Boolean(asked);
      const caseFirst = first ?? (FIRST[keywords.kf] === undefined ? undefined : keywords.kf);
      const ignores = ignorePunctuation === undefined ? locale.language === "th" : Boolean(ignorePunctuation);
      const collation = options.collation === undefined ? keywords.co : `${options.collation}`;
      const usual = ["da", "mt"].includes(locale.language) ? "upper" : "false";
      const kept = {
        co: collation === keywords.co ? collation : undefined,
        kf: first === undefined || first === keywords.kf ? (FIRST[keywords.kf] === undefined ? undefined : keywords.kf) : undefined,
        kn: asked === undefined || Boolean(asked) === (keywords.kn !== undefined) ? keywords.kn : undefined,
      };
      this.#options = {
        locale: intl.tagWith(locale.tag, kept), usage, sensitivity, ignorePunctuation: ignores, collation: collation ?? "default", numeric,
        caseFirst: caseFirst ?? usual,
      };
      this.#tag = intl.tagWith(locale.tag, { co: collation });
      this.#flags = SENSITIVITIES.indexOf(sensitivity) | (numeric << 2) | (ignores << 3) | ((FIRST[caseFirst] ?? 0) << 4);
    }

    get compare() {
      return this.#bound ??= (a, b) => this.#compare(`${a}`, `${b}`);
    }

    #compare(a, b) {
      if (a === b) return 0;
      const order = compareText(a, b, this.#tag, this.#flags);
      return order === NOT_WELL_FORMED ? compareText(stringToWellFormed(a), stringToWellFormed(b), this.#tag, this.#flags) : order;
    }

    resolvedOptions() {
      return { ...this.#options };
    }

    static supportedLocalesOf(locales) {
      return intl.supportedLocalesOf(locales);
    }
  }
  tagged(Collator, "Intl.Collator");

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

  // The language whose rules for letters a string goes by, if they are its own.
  const languageOf = (locales) => {
    if (locales === undefined) return undefined;
    const [language] = (intl.canonicalLocales(locales)[0] ?? "en").split("-");
    return ["az", "el", "hy", "lt", "tr"].includes(language) ? language : undefined;
  };
  define(String.prototype, {
    localeCompare(that, locales, options) {
      return intl.reused("collator", locales, options, () => new Collator(locales, options)).compare(`${this}`, that);
    },
    toLocaleUpperCase(locales) {
      const text = `${this}`;
      const language = languageOf(locales);
      return language === undefined ? primordials.stringToUpperCase(text) : upperCase(text, language);
    },
    toLocaleLowerCase(locales) {
      const text = `${this}`;
      const language = languageOf(locales);
      return language === undefined ? primordials.stringToLowerCase(text) : lowerCase(text, language);
    },
  });

  const REGIONS = /^(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)\//;
  const VALUES = {
    __proto__: null,
    calendar: () => ["gregory"],
    collation: () => ["compat", "emoji", "eor", "phonebk", "pinyin", "searchjl", "stroke", "trad", "zhuyin"],
    currency: () => entries(intl.resolve("en").root, "tender").map(([code]) => code),
    numberingSystem: () => entries(intl.resolve("en").root, "digits").map(([name]) => name),
    timeZone: () => zoneNames().filter((name) => name === "UTC" || (REGIONS.test(name) && intl.supplemental("alias", name) === undefined)),
    unit: () => numberOptions.UNITS,
  };
  const supportedValuesOf = (key) => {
    const values = VALUES[`${key}`];
    if (values === undefined) throw new RangeError(`Invalid key : ${key}`);
    return [...values()].sort();
  };

  const Intl = {};
  define(Intl, {
    Collator: intl.callable(Collator),
    DateTimeFormat: intl.callable(DateTimeFormat),
    DisplayNames,
    ListFormat,
    Locale,
    NumberFormat: intl.callable(NumberFormat),
    PluralRules,
    RelativeTimeFormat,
    Segmenter,
    getCanonicalLocales: intl.canonicalLocales,
    supportedValuesOf,
  });
  Object.defineProperty(Intl, Symbol.toStringTag, { value: "Intl", configurable: true });
  define(globalThis, { Intl });
  return {};
};
