// The options of Intl.NumberFormat, checked and with what is usual for those that are absent.

export default ({ primordials, intl }) => {
  const { RangeError, TypeError } = primordials;
  const { choice, wholeNumber } = intl;
  const MODES = ["ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc", "halfEven"];
  const INCREMENTS = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000];
  const UNITS = (
    "acre bit byte celsius centimeter day degree fahrenheit fluid-ounce foot gallon gigabit gigabyte gram hectare hour inch kilobit kilobyte " +
    "kilogram kilometer liter megabit megabyte meter microsecond mile mile-scandinavian milliliter millimeter millisecond minute month " +
    "nanosecond ounce percent petabyte pound second stone terabit terabyte week yard year"
  ).split(" ");
  const isUnit = (unit) => {
    const parts = unit.split("-per-");
    return parts.length <= 2 && parts.every((part) => UNITS.includes(part));
  };

  // How many digits a currency has after the point.
  const placesOf = (code) => Number(intl.supplemental("places", code) ?? intl.supplemental("places", "DEFAULT"));

  const readStyle = (service, options) => {
    const style = choice(service, options, "style", ["decimal", "percent", "currency", "unit"], "decimal");
    const { currency, unit } = options;
    if (currency !== undefined && !/^[a-z]{3}$/i.test(currency)) throw new RangeError(`Invalid currency code : ${currency}`);
    if (style === "currency" && currency === undefined) throw new TypeError("Currency code is required with currency style.");
    const unitDisplay = choice(service, options, "unitDisplay", ["short", "narrow", "long"], "short");
    if (style === "unit" || unit !== undefined) {
      if (unit === undefined) throw new TypeError("Invalid unit argument for Intl.NumberFormat() ''");
      if (!isUnit(`${unit}`)) throw new RangeError(`Invalid unit argument for Intl.NumberFormat() '${unit}'`);
    }
    const currencyDisplay = choice(service, options, "currencyDisplay", ["code", "symbol", "narrowSymbol", "name"], "symbol");
    const currencySign = choice(service, options, "currencySign", ["standard", "accounting"], "standard");
    if (style === "currency") return { style, currency: `${currency}`.toUpperCase(), currencyDisplay, currencySign };
    return style === "unit" ? { style, unit: `${unit}`, unitDisplay } : { style };
  };

  // How many digits, and where they are counted from.
  const readDigits = (options, usual, notation, priority) => {
    const minimumIntegerDigits = wholeNumber(options, "minimumIntegerDigits", 1, 21, 1);
    const hasSignificant = options.minimumSignificantDigits !== undefined || options.maximumSignificantDigits !== undefined;
    const hasFraction = options.minimumFractionDigits !== undefined || options.maximumFractionDigits !== undefined;
    const needsSignificant = priority !== "auto" || hasSignificant;
    const needsFraction = priority !== "auto" || !(hasSignificant || (!hasFraction && notation === "compact"));
    const read = { minimumIntegerDigits };
    if (needsSignificant) {
      if (hasSignificant) {
        read.minimumSignificantDigits = wholeNumber(options, "minimumSignificantDigits", 1, 21, 1);
        read.maximumSignificantDigits = wholeNumber(options, "maximumSignificantDigits", read.minimumSignificantDigits, 21, 21);
      } else Object.assign(read, { minimumSignificantDigits: 1, maximumSignificantDigits: 21 });
    }
    if (needsFraction) {
      const least = wholeNumber(options, "minimumFractionDigits", 0, 100, undefined);
      const greatest = wholeNumber(options, "maximumFractionDigits", 0, 100, undefined);
      if (least !== undefined && greatest !== undefined && least > greatest) throw new RangeError("maximumFractionDigits value is out of range.");
      read.minimumFractionDigits = least ?? Math.min(usual.least, greatest ?? usual.least);
      read.maximumFractionDigits = greatest ?? Math.max(usual.greatest, read.minimumFractionDigits);
    }
    if (!needsSignificant && !needsFraction) {
      Object.assign(read, { minimumSignificantDigits: 1, maximumSignificantDigits: 2, minimumFractionDigits: 0, maximumFractionDigits: 0 });
      return { ...read, priority: "morePrecision" };
    }
    return { ...read, priority };
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

  const read = (service, locale, options) => {
    const { system, keyword } = intl.numberingSystem(locale, options);
    const style = readStyle(service, options);
    const notation = choice(service, options, "notation", ["standard", "scientific", "engineering", "compact"], "standard");
    const places = style.style === "currency" && notation === "standard" ? placesOf(style.currency) : undefined;
    const usual = { least: places ?? 0, greatest: places ?? (style.style === "percent" ? 0 : 3) };
    const increment = wholeNumber(options, "roundingIncrement", 1, 5000, 1);
    if (!INCREMENTS.includes(increment)) throw new RangeError("roundingIncrement value is out of range.");
    const mode = choice(service, options, "roundingMode", MODES, "halfExpand");
    const asked = choice(service, options, "roundingPriority", ["auto", "morePrecision", "lessPrecision"], "auto");
    const { priority, ...counted } = readDigits(options, usual, notation, asked);
    if (increment !== 1) {
      if (counted.maximumSignificantDigits !== undefined) throw new TypeError("roundingIncrement value is invalid.");
      if (counted.minimumFractionDigits !== counted.maximumFractionDigits) {
        const isAsked = options.maximumFractionDigits !== undefined && options.minimumFractionDigits === undefined;
        if (!isAsked) throw new RangeError("roundingIncrement value is out of range.");
        counted.minimumFractionDigits = counted.maximumFractionDigits;
      }
    }
    return {
      locale: intl.tagWith(locale.tag, { nu: keyword }), numberingSystem: system, ...style, ...counted,
      useGrouping: readGrouping(options, notation),
      notation,
      ...(notation === "compact" && { compactDisplay: choice(service, options, "compactDisplay", ["short", "long"], "short") }),
      signDisplay: choice(service, options, "signDisplay", ["auto", "never", "always", "exceptZero", "negative"], "auto"),
      roundingMode: mode,
      roundingIncrement: increment,
      trailingZeroDisplay: choice(service, options, "trailingZeroDisplay", ["auto", "stripIfInteger"], "auto"),
      roundingPriority: priority,
    };
  };

  return { numberOptions: { read, placesOf, UNITS } };
};
