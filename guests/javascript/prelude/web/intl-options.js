// What all of Intl shares: locales, of which only en-US has data here, and the reading of options.
//
// The ICU crates would be the library for this. Their data for one language can't be built without downloading CLDR, with all
// languages they add megabytes to a guest, and they lack currencies, units and compact numbers; en-US alone is a few tables.

export default ({ primordials }) => {
  const { reflectConstruct, TypeError, RangeError } = primordials;
  const tag = /^[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|[0-9]{3}))?(-([a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*(-[a-wy-z0-9](-[a-z0-9]{2,8})+)*(-x(-[a-z0-9]{1,8})+)?$|^[a-z]{5,8}$/i;

  // The tag in its usual case: en-US, zh-Hant-TW.
  const canonical = (locale) => {
    if (!tag.test(locale)) throw new RangeError(`Incorrect locale information provided`);
    let isExtension = false;
    const parts = locale.split("-").map((part, i) => {
      if (i > 0 && part.length === 1) isExtension = true;
      if (i === 0 || isExtension) return part.toLowerCase();
      if (part.length === 4 && !/^[0-9]/.test(part)) return part[0].toUpperCase() + part.slice(1).toLowerCase();
      return part.length === 2 ? part.toUpperCase() : part.toLowerCase();
    });
    return parts.join("-");
  };

  const canonicalLocales = (locales) => {
    if (locales === undefined) return [];
    if (locales === null) throw new TypeError("Cannot convert undefined or null to object");
    const list = typeof locales === "string" ? [locales] : Array.from(Object(locales));
    const found = [];
    for (const locale of list) {
      if (typeof locale !== "string" && (typeof locale !== "object" || locale === null)) throw new TypeError("Incorrect locale information provided");
      const name = canonical(`${locale}`);
      if (!found.includes(name)) found.push(name);
    }
    return found;
  };

  // Every locale is served with en-US.
  const resolveLocale = (locales) => {
    const [first] = canonicalLocales(locales);
    return first === "en" ? "en" : "en-US";
  };

  const supportedLocalesOf = (locales) => canonicalLocales(locales).filter((name) => name === "en" || name.startsWith("en-"));

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

  return { intl: { canonicalLocales, resolveLocale, supportedLocalesOf, optionsOf, choice, wholeNumber, callable } };
};
