// Intl.NumberFormat, and toLocaleString of numbers.

export default ({ primordials, intl, digits, numberOptions, numberParts }) => {
  const { define, tagged, TypeError, RangeError } = primordials;

  const parseNumber = (value) => {
    if (typeof value === "object" && value !== null) value = typeof value.valueOf() === "bigint" ? value.valueOf() : Number(value);
    if (typeof value === "string" && /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value)) return value.trim().replace("+", "");
    return typeof value === "bigint" ? value : Number(value);
  };
  const isNaNumber = (value) => typeof value === "number" && Number.isNaN(value);
  const plain = (parts) => parts.map(({ type, value, ...rest }) => ({ type, value, ...(rest.source !== undefined && { source: rest.source }) }));
  const joined = (parts) => {
    let text = "";
    for (const part of parts) text += part.value;
    return text;
  };

  class NumberFormat {
    #shape;
    #options;
    #bound;
    #frame;

    constructor(locales, options, service = "Intl.NumberFormat") {
      const locale = intl.resolve(locales);
      const read = numberOptions.read(service, locale, intl.optionsOf(options));
      this.#options = read;
      this.#shape = { ...read, place: locale.place, language: locale.plural };
    }

    get format() {
      return this.#bound ??= (value) => this.#framed(value) ?? joined(this.#parts(value).all);
    }

    formatToParts(value) {
      return plain(intl.merged(this.#parts(value).all));
    }

    formatRange(start, end) {
      return joined(this.#range(start, end));
    }

    formatRangeToParts(start, end) {
      return plain(intl.merged(this.#range(start, end)));
    }

    resolvedOptions() {
      return { ...this.#options };
    }

    static supportedLocalesOf(locales) {
      return intl.supportedLocalesOf(locales);
    }

    // Without parts, where the formatter and the number are plain enough.
    #framed(value) {
      if (typeof value !== "number" || value - value !== 0) return undefined;
      if (this.#frame === undefined) this.#frame = numberParts.frame(this.#shape) ?? null;
      return this.#frame === null ? undefined : numberParts.framed(this.#shape, this.#frame, value);
    }

    #parts(value, sign) {
      const given = parseNumber(value);
      return numberParts.of(this.#shape, given, digits.decimal(given), sign);
    }

    #range(start, end) {
      if (start === undefined || end === undefined) throw new TypeError("Invalid argument");
      const [first, last] = [parseNumber(start), parseNumber(end)];
      if (isNaNumber(first)) throw new RangeError("Invalid start : NaN");
      if (isNaNumber(last)) throw new RangeError("Invalid end : NaN");
      const [one, other] = [this.#parts(first), this.#parts(last)];
      const from = (source, parts) => parts.map((part) => ({ ...part, source }));
      if (joined(one.all) === joined(other.all)) return from("shared", this.#parts(first, "~").all);
      return numberParts.range(this.#shape, one, other, from);
    }
  }
  tagged(NumberFormat, "Intl.NumberFormat");

  const localized = (value, locales, options) =>
    intl.reused("number", locales, options, () => new NumberFormat(locales, options, "Number.prototype.toLocaleString")).format(value);
  define(Number.prototype, {
    toLocaleString(locales, options) {
      return localized(primordials.numberValueOf(this), locales, options);
    },
  });
  define(BigInt.prototype, {
    toLocaleString(locales, options) {
      return localized(primordials.bigIntValueOf(this), locales, options);
    },
  });
  return { NumberFormat };
};
