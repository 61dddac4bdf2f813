// Intl.NumberFormat in en-US, and toLocaleString of numbers.

export default ({ primordials, intl, digits, numberData }) => {
  const { define, tagged, RangeError, TypeError } = primordials;
  const { choice, wholeNumber } = intl;
  const COMPACT = { short: ["", "K", "M", "B", "T"], long: ["", "thousand", "million", "billion", "trillion"] };
  const MODES = ["ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc", "halfEven"];
  const isLetter = (character) => /\p{L}/u.test(character);

  const readStyle = (service, options) => {
    const style = choice(service, options, "style", ["decimal", "percent", "currency", "unit"], "decimal");
    const { currency, unit } = options;
    if (currency !== undefined && !/^[a-z]{3}$/i.test(currency)) throw new RangeError(`Invalid currency code : ${currency}`);
    if (style === "currency" && currency === undefined) throw new TypeError("Currency code is required with currency style.");
    const unitDisplay = choice(service, options, "unitDisplay", ["short", "narrow", "long"], "short");
    if (style === "unit" || unit !== undefined) {
      if (unit === undefined) throw new TypeError("Invalid unit argument for Intl.NumberFormat() ''");
      if (numberData.unitOf(`${unit}`, unitDisplay) === undefined) throw new RangeError(`Invalid unit argument for Intl.NumberFormat() '${unit}'`);
    }
    const currencyDisplay = choice(service, options, "currencyDisplay", ["code", "symbol", "narrowSymbol", "name"], "symbol");
    const currencySign = choice(service, options, "currencySign", ["standard", "accounting"], "standard");
    if (style === "currency") return { style, currency: `${currency}`.toUpperCase(), currencyDisplay, currencySign };
    return style === "unit" ? { style, unit: `${unit}`, unitDisplay } : { style };
  };

  // How many digits, and where they are counted from.
  const readDigits = (options, { style, currency }, notation) => {
    const minimumIntegerDigits = wholeNumber(options, "minimumIntegerDigits", 1, 21, 1);
    const places = style === "currency" ? numberData.currencyOf(currency).places : 0;
    const usual = style === "currency" && notation === "standard" ? places : 0;
    const most = style === "currency" && notation === "standard" ? places : style === "percent" ? 0 : 3;
    const hasSignificant = options.minimumSignificantDigits !== undefined || options.maximumSignificantDigits !== undefined;
    const hasFraction = options.minimumFractionDigits !== undefined || options.maximumFractionDigits !== undefined;
    const read = { minimumIntegerDigits };
    if (hasSignificant) {
      read.minimumSignificantDigits = wholeNumber(options, "minimumSignificantDigits", 1, 21, 1);
      read.maximumSignificantDigits = wholeNumber(options, "maximumSignificantDigits", read.minimumSignificantDigits, 21, 21);
      return read;
    }
    if (notation === "compact" && !hasFraction) {
      return { ...read, minimumSignificantDigits: 1, maximumSignificantDigits: 2, minimumFractionDigits: 0, maximumFractionDigits: 0 };
    }
    const least = wholeNumber(options, "minimumFractionDigits", 0, 100, undefined);
    const greatest = wholeNumber(options, "maximumFractionDigits", 0, 100, undefined);
    if (least !== undefined && greatest !== undefined && least > greatest) throw new RangeError("maximumFractionDigits value is out of range.");
    read.minimumFractionDigits = least ?? Math.min(usual, greatest ?? usual);
    read.maximumFractionDigits = greatest ?? Math.max(most, read.minimumFractionDigits);
    return read;
  };

  const readGrouping = (options, notation) => {
    const usual = notation === "compact" ? "min2" : "auto";
    const { useGrouping } = options;
    if (useGrouping === undefined || useGrouping === "true" || useGrouping === "false") return usual;
    if (useGrouping === true) return "always";
    if (!useGrouping) return false;
    if (!["min2", "auto", "always"].includes(`${useGrouping}`)) {
      throw new RangeError(`Value ${useGrouping} out of range for Intl.NumberFormat options property useGrouping`);
    }
    return `${useGrouping}`;
  };

  const parseNumber = (value) => {
    if (typeof value === "object" && value !== null) value = typeof value.valueOf() === "bigint" ? value.valueOf() : Number(value);
    if (typeof value === "string" && /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value)) return value.trim().replace("+", "");
    return typeof value === "bigint" ? value : Number(value);
  };

  class NumberFormat {
    #options;
    #bound;

    constructor(locales, options, service = "Intl.NumberFormat") {
      const locale = intl.resolveLocale(locales);
      options = intl.optionsOf(options);
      const style = readStyle(service, options);
      const notation = choice(service, options, "notation", ["standard", "scientific", "engineering", "compact"], "standard");
      const counted = readDigits(options, style, notation);
      this.#options = {
        locale, numberingSystem: "latn", ...style, ...counted,
        useGrouping: readGrouping(options, notation),
        notation,
        ...(notation === "compact" && { compactDisplay: choice(service, options, "compactDisplay", ["short", "long"], "short") }),
        signDisplay: choice(service, options, "signDisplay", ["auto", "never", "always", "exceptZero", "negative"], "auto"),
        roundingMode: choice(service, options, "roundingMode", MODES, "halfExpand"),
        roundingIncrement: 1,
        trailingZeroDisplay: choice(service, options, "trailingZeroDisplay", ["auto", "stripIfInteger"], "auto"),
        roundingPriority: counted.maximumSignificantDigits !== undefined && counted.maximumFractionDigits !== undefined ? "morePrecision" : "auto",
      };
    }

    get format() {
      return this.#bound ??= (value) => this.#text(value);
    }

    formatToParts(value) {
      return this.#parts(value);
    }

    resolvedOptions() {
      return { ...this.#options };
    }

    static supportedLocalesOf(locales) {
      return intl.supportedLocalesOf(locales);
    }

    #text(value) {
      let text = "";
      for (const part of this.#parts(value)) text += part.value;
      return text;
    }

    #parts(value) {
      const given = parseNumber(value);
      const number = digits.decimal(given);
      const isNegative = number === undefined ? given < 0 : number.negative;
      const { body, isZero, suffix, isOne } = number === undefined ? this.#special(given) : this.#finite(number);
      const parts = this.#affixed(body, suffix, isOne);
      return this.#signed(parts, isNegative, isZero);
    }

    #special(value) {
      const body = Number.isNaN(value) ? [{ type: "nan", value: "NaN" }] : [{ type: "infinity", value: "∞" }];
      return { body, isZero: Number.isNaN(value), suffix: "", isOne: false };
    }

    #finite(number) {
      const { style, notation, compactDisplay } = this.#options;
      if (style === "percent" && number.digits !== "") number = { ...number, point: number.point + 2 };
      if (notation === "standard") return this.#plain(this.#round(number), "");
      let exponent = this.#exponentOf(number);
      let scaled = this.#round({ ...number, point: number.point - exponent });
      const again = this.#exponentOf({ ...scaled, point: scaled.point + exponent });
      if (again !== exponent && scaled.digits !== "") {
        exponent = again;
        scaled = this.#round({ ...number, point: number.point - exponent });
      }
      if (notation === "compact") return this.#plain(scaled, COMPACT[compactDisplay][exponent / 3]);
      const shown = this.#plain(scaled, "");
      shown.body.push({ type: "exponentSeparator", value: "E" });
      if (exponent < 0) shown.body.push({ type: "exponentMinusSign", value: "-" });
      shown.body.push({ type: "exponentInteger", value: `${Math.abs(exponent)}` });
      return shown;
    }

    // The power of ten that the notation takes out of the number.
    #exponentOf({ digits: text, point }) {
      if (text === "") return 0;
      const { notation } = this.#options;
      const power = point - 1;
      if (notation === "scientific") return power;
      const thousands = Math.floor(power / 3) * 3;
      return notation === "engineering" ? thousands : Math.min(Math.max(thousands, 0), 12);
    }

    #round(number) {
      const { maximumSignificantDigits: significant, maximumFractionDigits: places, roundingMode, roundingPriority } = this.#options;
      if (significant === undefined) return digits.toFraction(number, places, roundingMode);
      if (roundingPriority === "morePrecision" && number.point > significant) return digits.toFraction(number, places, roundingMode);
      return digits.rounded(number, significant, roundingMode);
    }

    #plain(number, suffix) {
      const { minimumIntegerDigits, minimumFractionDigits = 0, minimumSignificantDigits = 0, trailingZeroDisplay } = this.#options;
      const significant = minimumSignificantDigits - (number.digits === "" ? 1 : number.point);
      const { integer, fraction } = digits.written(number, minimumIntegerDigits, Math.max(minimumFractionDigits, significant));
      const body = this.#grouped(integer);
      const isWhole = /^0*$/.test(fraction);
      if (fraction !== "" && !(isWhole && trailingZeroDisplay === "stripIfInteger")) {
        body.push({ type: "decimal", value: "." }, { type: "fraction", value: fraction });
      }
      return { body, isZero: number.digits === "", suffix, isOne: integer === "1" && fraction === "" && suffix === "" };
    }

    #grouped(integer) {
      const { useGrouping } = this.#options;
      if (useGrouping === false || integer.length <= (useGrouping === "min2" ? 4 : 3)) return [{ type: "integer", value: integer }];
      const parts = [];
      for (let start = 0, end = integer.length % 3 || 3; start < integer.length; start = end, end += 3) {
        if (start > 0) parts.push({ type: "group", value: "," });
        parts.push({ type: "integer", value: integer.slice(start, end) });
      }
      return parts;
    }

    // Puts the currency, unit or percent sign around the digits.
    #affixed(body, suffix, isOne) {
      const { style, compactDisplay, currency, currencyDisplay, unit, unitDisplay } = this.#options;
      if (suffix !== "") {
        if (compactDisplay === "long" && style !== "currency") body.push({ type: "literal", value: " " });
        body.push({ type: "compact", value: style === "currency" && compactDisplay === "long" ? COMPACT.short[COMPACT.long.indexOf(suffix)] : suffix });
      }
      if (style === "percent") return [...body, { type: "percentSign", value: "%" }];
      if (style === "unit") {
        const names = numberData.unitOf(unit, unitDisplay);
        const name = isOne ? names.one : names.many;
        const isPercent = unit === "percent" && unitDisplay !== "long";
        const isTight = unitDisplay === "narrow" || isPercent || name[0] === "°";
        if (!isTight) body.push({ type: "literal", value: " " });
        return [...body, { type: isPercent ? "percentSign" : "unit", value: name }];
      }
      return style === "currency" ? this.#priced(body, currency, currencyDisplay, isOne) : body;
    }

    #priced(body, code, display, isOne) {
      const { symbol, narrow, one, many } = numberData.currencyOf(code);
      if (display === "name") return [...body, { type: "literal", value: " " }, { type: "currency", value: isOne ? one : many }];
      const value = display === "code" ? code : display === "narrowSymbol" ? narrow : symbol;
      const gap = isLetter(value[value.length - 1]) && body[0].type === "integer" ? [{ type: "literal", value: "\u00a0" }] : [];
      return [{ type: "currency", value }, ...gap, ...body];
    }

    #signed(parts, isNegative, isZero) {
      const { signDisplay, currencySign } = this.#options;
      const isQuiet = signDisplay === "never" || (isZero && (signDisplay === "exceptZero" || signDisplay === "negative"));
      if (isQuiet) return parts;
      if (isNegative) {
        if (currencySign !== "accounting") return [{ type: "minusSign", value: "-" }, ...parts];
        return [{ type: "literal", value: "(" }, ...parts, { type: "literal", value: ")" }];
      }
      if (signDisplay !== "always" && signDisplay !== "exceptZero") return parts;
      return [{ type: "plusSign", value: "+" }, ...parts];
    }
  }
  tagged(NumberFormat, "Intl.NumberFormat");

  let plain;
  const localized = (value, locales, options) => {
    if (locales === undefined && options === undefined) return (plain ??= new NumberFormat()).format(value);
    return new NumberFormat(locales, options, "Number.prototype.toLocaleString").format(value);
  };
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
