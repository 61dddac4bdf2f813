// What all of Intl shares: locales and what CLDR says of them, and the reading of options.

export default ({ native, primordials }) => {
  const { objectGetPrototypeOf, reflectConstruct, TypeError, RangeError } = primordials;
  const objectPrototype = Object.prototype;
  const { canonicalLocale, findLocale, localeKeys, localeNames, localeText, maximizeLocale } = native;
  const USUAL = "en-US";

  const known = new Map();
  const remembered = (key, make) => {
    if (!known.has(key)) known.set(key, make());
    return known.get(key);
  };
  // What CLDR has at a key of a section, for a locale by its number.
  const text = (place, section, key) => remembered(`${place}\n${section}\n${key}`, () => localeText(place, section, key));
  const data = (place, section, key) => remembered(`${place}\n${section}\n${key}\n`, () => {
    const found = localeText(place, section, key);
    return found === undefined ? undefined : JSON.parse(found);
  });
  // The keys of a section with their values.
  const entries = (place, section) => remembered(`${place}\n${section}`, () => {
    const flat = localeKeys(place, section);
    const pairs = [];
    for (let i = 0; i < flat.length; i += 2) pairs.push([flat[i], flat[i + 1]]);
    return pairs;
  });
  const root = () => remembered("und", () => findLocale("und"));
  // What is no locale's.
  const supplemental = (section, key) => text(root(), section, key);

  const canonical = (locale) => {
    const name = canonicalLocale(locale);
    if (name === undefined) throw new RangeError(`Incorrect locale information provided`);
    return name;
  };

  const canonicalLocales = (locales) => {
    if (locales === undefined) return [];
    if (locales === null) throw new TypeError("Cannot convert undefined or null to object");
    const list = typeof locales === "string" || isLocale(locales) ? [locales] : Array.from(Object(locales));
    const found = [];
    for (const locale of list) {
      if (typeof locale !== "string" && (typeof locale !== "object" || locale === null)) throw new TypeError("Incorrect locale information provided");
      const name = canonical(`${locale}`);
      if (!found.includes(name)) found.push(name);
    }
    return found;
  };
  const localeObjects = new WeakSet();
  const isLocale = (value) => typeof value === "object" && localeObjects.has(value);

  // A tag's part before its extensions, and the keywords of its extension for Unicode.
  const split = (tag) => {
    const keywords = { __proto__: null };
    const parts = tag.split("-");
    const end = parts.findIndex((part, i) => i > 0 && part.length === 1);
    if (end === -1) return { base: tag, keywords };
    let key;
    for (let i = parts.indexOf("u", end) + 1; i > 0 && i < parts.length && parts[i].length > 1; i++) {
      if (parts[i].length === 2) keywords[(key = parts[i])] = "";
      else if (key !== undefined) keywords[key] += (keywords[key] && "-") + parts[i];
    }
    return { base: parts.slice(0, end).join("-"), keywords };
  };

  // The tags that CLDR has data for, and those that it has none for because it is their language's.
  const available = () => remembered("available", () => {
    const tags = new Set(["en-US"]);
    for (const tag of [...localeNames(), ...entries(root(), "default").map(([tag]) => tag)]) {
      if (tag === "und") continue;
      tags.add(tag);
      const [language, script, region] = tag.split("-");
      if (region !== undefined && script.length === 4 && maximizeLocale(`${language}-${region}`) === tag) tags.add(`${language}-${region}`);
    }
    return tags;
  });
  const bestAvailable = (base) => {
    for (let tag = base; tag !== ""; tag = tag.slice(0, Math.max(tag.lastIndexOf("-"), 0))) {
      if (available().has(tag)) return tag;
    }
    return undefined;
  };

  // The number of the locale that has a tag's data.
  const placeOf = (base) => {
    const [language, script, region] = maximizeLocale(base).split("-");
    const usual = maximizeLocale(language).split("-")[1] === script;
    const candidates = usual
      ? [base, `${language}-${region}`, `${language}-${script}-${region}`, `${language}-${script}`, language]
      : [base, `${language}-${script}-${region}`, `${language}-${script}`, language];
    for (const candidate of candidates) {
      const place = findLocale(candidate);
      if (place !== undefined) return place;
    }
    return root();
  };

  // The locale to serve a request with: its tag, its number, its keywords, and what is likely of it.
  const resolve = (locales) => {
    const key = locales === undefined ? USUAL : typeof locales === "string" ? locales : undefined;
    if (key !== undefined) return remembered(`resolved ${key}`, () => resolveAnew([canonical(key)]));
    return resolveAnew(canonicalLocales(locales));
  };
  const resolveAnew = (tags) => {
    for (const tag of [...tags, USUAL]) {
      const { base, keywords } = split(tag);
      const found = base === USUAL ? USUAL : bestAvailable(base);
      if (found === undefined) continue;
      const [language, script, region] = maximizeLocale(found).split("-");
      // Scripts have no plurals of their own, and one region has.
      const plural = language === "pt" && region === "PT" ? "pt-PT" : language;
      return { tag: found, root: root(), place: placeOf(found), keywords, language, script, region, plural };
    }
  };

  // The tag with those of its keywords that are in use.
  const tagWith = (tag, keywords) => {
    const used = Object.keys(keywords).filter((key) => keywords[key] !== undefined).sort();
    const written = used.map((key) => (keywords[key] === "true" || keywords[key] === "" ? key : `${key}-${keywords[key]}`));
    return used.length === 0 ? tag : `${tag}-u-${written.join("-")}`;
  };

  const supportedLocalesOf = (locales) => canonicalLocales(locales).filter((name) => bestAvailable(split(name).base) !== undefined);

  const optionsOf = (options) => {
    if (options === undefined) return { __proto__: null };
    if (options === null) throw new TypeError("The options of Intl are an object, not null");
    return Object(options);
  };

  // One of the values, or the fallback where the option is absent.
  const choice = (service, options, name, values, fallback) => {
    const value = options[name];
    if (value === undefined) return fallback;
    const text = typeof value === "boolean" && values.includes(value) ? value : `${value}`;
    if (!values.includes(text)) throw new RangeError(`Value ${text} out of range for ${service} options property ${name}`);
    return text;
  };

  const wholeNumber = (options, name, least, most, fallback) => {
    if (options[name] === undefined) return fallback;
    const value = Number(options[name]);
    if (!(value >= least && value <= most)) throw new RangeError(`${name} value is out of range.`);
    return Math.floor(value);
  };

  // The numbering system: an option, a keyword or the locale's own.
  const numberingSystem = (locale, options) => {
    let { numberingSystem: asked } = options;
    if (asked !== undefined && !/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i.test((asked = `${asked}`))) throw new RangeError(`Invalid numberingSystem : ${asked}`);
    const own = text(locale.place, "number", "system") ?? "latn";
    const NAMED = { __proto__: null, native: "native", traditio: "traditional", finance: "finance" };
    const named = (name) => (NAMED[name] === undefined ? name : text(locale.place, "number", NAMED[name]));
    const isKnown = (name) => name !== undefined && supplemental("digits", name) !== undefined;
    const keyword = named(locale.keywords.nu);
    const option = asked === undefined ? undefined : asked.toLowerCase();
    const system = isKnown(option) ? option : isKnown(keyword) ? keyword : own;
    // The keyword stays in the tag only if it is what counts.
    return { system, keyword: isKnown(keyword) && keyword === system && locale.keywords.nu === keyword ? keyword : undefined };
  };
  const digitsOf = (system) => remembered(`digits ${system}`, () => (system === "latn" ? undefined : [...supplemental("digits", system)]));
  const inDigits = (system, text) => {
    const digits = digitsOf(system);
    return digits === undefined ? text : text.replace(/[0-9]/g, (digit) => digits[digit]);
  };

  // Formatters that methods such as toLocaleString made: scripts call them for each row with the same options.
  const made = new Map();
  const MOST_MADE = 100;
  const reused = (name, locales, options, make) => {
    let key = `${name} ${locales}`;
    if (locales !== undefined && typeof locales !== "string") return make();
    if (options !== undefined) {
      const parent = options === null || typeof options !== "object" ? undefined : objectGetPrototypeOf(options);
      if (parent !== objectPrototype && parent !== null) return make();
      for (const option in options) {
        const value = options[option];
        if (typeof value === "object" || typeof value === "function" || typeof value === "symbol") return make();
        key += `\n${option} ${typeof value} ${value}`;
      }
    }
    let formatter = made.get(key);
    if (formatter === undefined) {
      formatter = make();
      if (made.size >= MOST_MADE) made.clear();
      made.set(key, formatter);
    }
    return formatter;
  };

  // A class of Intl, whose formatters some scripts call without `new`.
  const callable = (Class, length = 0) => {
    const { name } = Class;
    const constructor = {
      [name]: function (locales, options) {
        return reflectConstruct(Class, [locales, options], new.target ?? constructor);
      },
    }[name];
    constructor.supportedLocalesOf = Class.supportedLocalesOf;
    constructor.prototype = Class.prototype;
    Object.defineProperty(constructor, "length", { value: length, configurable: true });
    Object.defineProperty(constructor, "prototype", { writable: false });
    primordials.define(Class.prototype, { constructor });
    return constructor;
  };

  // The texts of a pattern such as "{0} and {1}" before, between and after its places, each as { at } or { text }.
  const pieces = (pattern) => remembered(`pieces ${pattern}`, () => {
    const found = [];
    for (const piece of pattern.split(/(\{\d\})/)) {
      if (/^\{\d\}$/.test(piece)) found.push({ at: Number(piece[1]) });
      else if (piece !== "") found.push({ text: piece });
    }
    return found;
  });
  // The pattern with lists of parts in its places.
  const filled = (pattern, ...lists) => pieces(pattern).flatMap(({ at, text: value }) => (at === undefined ? [{ type: "literal", value }] : lists[at]));
  // Neighbouring literals are one.
  const merged = (parts) => {
    const list = [];
    for (const part of parts) {
      const last = list[list.length - 1];
      if (last !== undefined && last.type === "literal" && part.type === "literal" && last.source === part.source) last.value += part.value;
      else if (part.value !== "") list.push({ ...part });
    }
    return list;
  };

  return {
    intl: {
      callable, canonicalLocales, choice, data, entries, filled, inDigits, localeObjects, merged, numberingSystem, optionsOf, pieces, placeOf, remembered, resolve, reused,
      split, supplemental, supportedLocalesOf, tagWith, text, wholeNumber,
    },
  };
};
