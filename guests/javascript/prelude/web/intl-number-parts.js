// Numbers as their parts: digits, and around them signs, currencies and units, as the locale has them.

export default ({ native, intl, digits, numberPatterns }) => {
  const { pluralOf, pluralOfRange, writtenNumber } = native;
  const { data, text } = intl;
  const literal = (value) => ({ type: "literal", value });
  // Behind the largest power with a name, there are more digits.
  const MOST = 14;

  // Systems whose symbols are a locale's for all that have none of their own.
  const USUAL = { __proto__: null, arab: "ar", arabext: "fa" };
  const SHARED = ["decimal", "group", "percent", "plus", "minus", "nan"];
  const symbol = (shape, name) => {
    const { place, numberingSystem: system } = shape;
    const own = text(place, "number", `${system}/${name}`);
    if (own !== undefined) return own;
    const usual = USUAL[system] === undefined || !SHARED.includes(name) ? undefined : text(intl.placeOf(USUAL[system]), "number", `${system}/${name}`);
    return usual ?? text(place, "number", `latn/${name}`);
  };
  // Those of a system that the locale has nothing for are those of Latin digits.
  const pattern = (shape, name) => symbol(shape, name);
  const compactForms = (shape, name, power) =>
    data(shape.place, "compact", `${shape.numberingSystem}/${name}/${power}`) ?? data(shape.place, "compact", `latn/${name}/${power}`);

  // A text around digits: what it says, and spaces beside it.
  const worded = (type, value) => {
    const [, before, word, after] = /^([\s\u200e\u200f\u061c]*)(.*?)([\s\u200e\u200f\u061c]*)$/s.exec(value);
    return [literal(before), { type, value: word }, literal(after)].filter((part) => part.value !== "");
  };

  const round = (shape, number) => {
    const { maximumSignificantDigits: significant, maximumFractionDigits: places, roundingMode, roundingPriority, roundingIncrement } = shape;
    if (roundingIncrement > 1) return digits.toIncrement(number, places, roundingIncrement, roundingMode);
    if (significant === undefined) return digits.toFraction(number, places, roundingMode);
    if (places === undefined) return digits.rounded(number, significant, roundingMode);
    const keepsFraction = number.point + places > significant;
    const isFraction = roundingPriority === "morePrecision" ? keepsFraction : !keepsFraction;
    return isFraction ? digits.toFraction(number, places, roundingMode) : digits.rounded(number, significant, roundingMode);
  };

  // How digits before the point are grouped: in none where `primary` is 0.
  const grouping = (shape) => {
    const { useGrouping } = shape;
    const isMoney = shape.style === "currency" && shape.currencyDisplay !== "name";
    const name = isMoney ? shape.currencySign : shape.style === "percent" ? "percentFormat" : "decimalFormat";
    const { primary, secondary } = numberPatterns.parse(pattern(shape, name));
    const own = Number(text(shape.place, "number", "grouping") ?? 1);
    const least = useGrouping === "always" ? 1 : useGrouping === "min2" ? Math.max(2, own) : own;
    const separator = (shape.style === "currency" && symbol(shape, "currencyGroup")) || symbol(shape, "group");
    return { primary: useGrouping === false ? 0 : primary, secondary, least, separator };
  };
  const grouped = (shape, integer) => {
    const { primary, secondary, least, separator } = grouping(shape);
    const inSystem = (value) => intl.inDigits(shape.numberingSystem, value);
    if (primary === 0 || integer.length < primary + least) return [{ type: "integer", value: inSystem(integer) }];
    const groups = [integer.slice(-primary)];
    for (let end = integer.length - primary; end > 0; end -= secondary) groups.unshift(integer.slice(Math.max(end - secondary, 0), end));
    return groups.flatMap((group, i) => [...(i > 0 ? [{ type: "group", value: separator }] : []), { type: "integer", value: inSystem(group) }]);
  };
  const pointOf = (shape) => (shape.style === "currency" && symbol(shape, "currencyDecimal")) || symbol(shape, "decimal");

  // The digits of a rounded number, and how it is written for plural rules.
  const written = (shape, number) => {
    const { minimumIntegerDigits, minimumFractionDigits = 0, minimumSignificantDigits = 0, trailingZeroDisplay } = shape;
    const { maximumSignificantDigits, maximumFractionDigits, roundingPriority } = shape;
    const significant = minimumSignificantDigits - (number.digits === "" ? 1 : number.point);
    let least = Math.max(minimumFractionDigits, significant);
    const hasBoth = maximumSignificantDigits !== undefined && maximumFractionDigits !== undefined;
    if (hasBoth && roundingPriority === "lessPrecision") least = Math.min(minimumFractionDigits, significant);
    const { integer, fraction } = digits.written(number, minimumIntegerDigits, Math.max(least, 0));
    const body = grouped(shape, integer);
    const isWhole = /^0*$/.test(fraction);
    const showsFraction = fraction !== "" && !(isWhole && trailingZeroDisplay === "stripIfInteger");
    if (showsFraction) {
      body.push({ type: "decimal", value: pointOf(shape) }, { type: "fraction", value: intl.inDigits(shape.numberingSystem, fraction) });
    }
    return { body, isZero: number.digits === "", operand: `${integer.replace(/^0+(?=\d)/, "")}${showsFraction ? `.${fraction}` : ""}` };
  };

  // The power of ten that the notation takes out of the number.
  const exponentOf = (shape, { digits: own, point }) => {
    if (own === "") return 0;
    const power = point - 1;
    if (shape.notation === "scientific") return power;
    if (shape.notation === "engineering") return Math.floor(power / 3) * 3;
    const forms = compactOf(shape, power);
    return forms === undefined ? 0 : Math.min(power, MOST) - zerosOf(forms) + 1;
  };
  const compactOf = (shape, power) => {
    if (power < 3) return undefined;
    const isMoney = shape.style === "currency" && shape.currencyDisplay !== "name";
    const forms = compactForms(shape, isMoney ? "money" : shape.compactDisplay, Math.min(power, MOST));
    // A pattern without a word says that the number stays.
    return forms === undefined || /^0+( ¤)?$|^¤ ?0+$/.test(forms.other.replaceAll("\u00a0", " ")) ? undefined : forms;
  };
  const zerosOf = (forms) => numberPatterns.parse(forms.other).zeros;

  const finite = (shape, number) => {
    if (shape.style === "percent" && !shape.isPercentUnit && number.digits !== "") number = { ...number, point: number.point + 2 };
    if (shape.notation === "standard") return { ...written(shape, round(shape, number)), exponent: 0 };
    let exponent = exponentOf(shape, number);
    let scaled = round(shape, { ...number, point: number.point - exponent });
    const again = exponentOf(shape, { ...scaled, point: scaled.point + exponent });
    if (again !== exponent && scaled.digits !== "") {
      exponent = again;
      scaled = round(shape, { ...number, point: number.point - exponent });
    }
    const shown = { ...written(shape, scaled), exponent };
    if (shape.notation === "compact") {
      if (scaled.digits !== "") shown.forms = compactOf(shape, scaled.point + exponent - 1);
      return shown;
    }
    shown.inner = [{ type: "exponentSeparator", value: symbol(shape, "exponential") }];
    if (exponent < 0) shown.inner.push(...worded("exponentMinusSign", symbol(shape, "minus")));
    shown.inner.push({ type: "exponentInteger", value: intl.inDigits(shape.numberingSystem, `${Math.abs(exponent)}`) });
    return shown;
  };

  const special = (shape, value) => {
    const isNaN = Number.isNaN(value);
    const body = [isNaN ? { type: "nan", value: symbol(shape, "nan") } : { type: "infinity", value: symbol(shape, "infinity") }];
    return { body, isZero: isNaN, operand: "other", exponent: 0 };
  };

  const signOf = ({ signDisplay }, isNegative, isZero) => {
    if (signDisplay === "never" || (isZero && (signDisplay === "exceptZero" || signDisplay === "negative"))) return "";
    if (isNegative) return "-";
    return signDisplay === "always" || signDisplay === "exceptZero" ? "+" : "";
  };

  // Of the digits that are shown, or with the thousands that a word stands for.
  const categoryOf = (shape, { operand, exponent, forms }, isWhole) => {
    if (operand === "other") return "other";
    return pluralOf(shape.language, false, forms === undefined || !isWhole ? operand : `${operand}c${exponent}`);
  };

  const patternOf = (shape, shown, category) => {
    const { style, currencyDisplay, currencySign } = shape;
    const isMoney = style === "currency" && currencyDisplay !== "name";
    if (shown.forms !== undefined) return (shown.operand === "1" && shown.forms["1"]) || (shown.forms[category] ?? shown.forms.other);
    if (style === "percent") return pattern(shape, "percentFormat");
    if (isMoney) return pattern(shape, currencySign);
    return pattern(shape, "decimalFormat");
  };

  const currencySymbol = ({ place, currency, currencyDisplay }) => {
    if (currencyDisplay === "code") return currency;
    const usual = text(place, "symbol", currency) ?? currency;
    return currencyDisplay === "narrowSymbol" ? text(place, "narrow", currency) ?? usual : usual;
  };

  // The tokens around the digits as parts, and a space between a currency and a digit where there has to be one.
  const around = (shape, tokens, isCompact, side) => {
    const parts = [];
    tokens.forEach((token, i) => {
      if (token.text !== undefined) parts.push(...(isCompact ? worded("compact", token.text) : [literal(token.text)]));
      else if (token.sign !== "¤") {
        for (const sign of token.sign) parts.push(...worded(sign === "%" && shape.isPercentUnit ? "unit" : SIGNS[sign][0], symbol(shape, SIGNS[sign][1])));
      } else {
        const value = currencySymbol(shape);
        const isNear = side === "before" ? i === tokens.length - 1 : i === 0;
        const edge = side === "before" ? [...value].at(-1) : [...value][0];
        const needsGap = isNear && shape.touchesDigit && !/[\p{S}\p{Z}]/u.test(edge);
        const gap = needsGap ? [literal(symbol(shape, side) ?? "\u00a0")] : [];
        if (side === "before") parts.push(...worded("currency", value), ...gap);
        else parts.push(...gap, ...worded("currency", value));
      }
    });
    return parts;
  };

  const SIGNS = { "-": ["minusSign", "minus"], "+": ["plusSign", "plus"], "~": ["approximatelySign", "approximately"], "%": ["percentSign", "percent"] };

  // What stands around a number with its sign: the name of a unit or of a currency.
  const outerOf = (shape, category) => {
    const none = { before: [], after: [] };
    if (shape.style === "unit") return unitAround(shape, category) ?? none;
    if (shape.style !== "currency" || shape.currencyDisplay !== "name") return none;
    const [usual, forms] = data(shape.place, "money", shape.currency) ?? [shape.currency, {}];
    const name = forms[category] ?? forms.other ?? usual;
    const priced = data(shape.place, "number", `${shape.numberingSystem}/priced`) ?? data(shape.place, "number", "latn/priced") ?? { other: "{0} {1}" };
    const pieces = intl.pieces(priced[category] ?? priced.other);
    const at = pieces.findIndex((piece) => piece.at === 0);
    const parts = (list) => list.map((piece) => (piece.at === 1 ? { type: "currency", value: name } : literal(piece.text)));
    return { before: parts(pieces.slice(0, at)), after: parts(pieces.slice(at + 1)) };
  };
  const unitText = (shape, unit) => data(shape.place, { long: "long", short: "short", narrow: "slim" }[shape.unitDisplay], unit);
  const formOf = (unit, category) => unit?.[0][category] ?? unit?.[0].other;
  const unitAround = (shape, category) => {
    const whole = formOf(unitText(shape, shape.unit), category);
    if (whole !== undefined) return split(whole);
    const [above, below] = shape.unit.split("-per-");
    const first = formOf(unitText(shape, above), category);
    const per = unitText(shape, below);
    if (first === undefined || per === undefined) return undefined;
    if (per[1] !== undefined) return split(per[1].replace("{0}", first));
    const joint = text(shape.place, { long: "long", short: "short", narrow: "slim" }[shape.unitDisplay], "per");
    const name = (per[0].one ?? per[0].other).replace("{0}", "").trim();
    return split(joint.replace("{0}", first).replace("{1}", name));
  };
  const split = (form) => {
    const at = form.indexOf("{0}");
    if (at === -1) return { before: [], after: worded("unit", form), hidesNumber: true };
    const parts = (value) => (value === "" ? [] : worded("unit", value));
    return { before: parts(form.slice(0, at)), after: parts(form.slice(at + 3)) };
  };

  const assembled = ({ body, inner = [], middle, outer }) => [
    ...outer.before, ...(outer.hidesNumber ? [] : [...middle.before, ...body, ...inner, ...middle.after]), ...outer.after,
  ];

  const of = (asked, given, number, before = "") => {
    // A word for thousands goes between the digits and the sign for percent, which is a unit then.
    const isCompactPercent = asked.style === "percent" && asked.notation === "compact";
    const isPercentUnit = asked.style === "unit" && asked.unit === "percent" && asked.unitDisplay !== "long" && asked.notation !== "compact";
    let shape = asked;
    if (isCompactPercent) shape = { ...asked, style: "unit", unit: "percent", unitDisplay: "short" };
    if (isPercentUnit) shape = { ...asked, style: "percent", isPercentUnit };
    if (isCompactPercent && number !== undefined && number.digits !== "") number = { ...number, point: number.point + 2 };
    const shown = number === undefined ? special(shape, given) : finite(shape, number);
    const isNegative = number === undefined ? given < 0 : number.negative;
    const sign = before + signOf(shape, isNegative, shown.isZero);
    const category = shown.forms === undefined ? "other" : categoryOf(shape, shown, false);
    const { prefix, suffix } = numberPatterns.signed(numberPatterns.parse(patternOf(shape, shown, category)), sign);
    const spaced = { ...shape, touchesDigit: shown.body[0].type === "integer" };
    const isCompact = shown.forms !== undefined;
    shown.middle = { before: around(spaced, prefix, isCompact, "before"), after: around(spaced, suffix, isCompact, "after") };
    const isNamed = shape.style === "unit" || (shape.style === "currency" && shape.currencyDisplay === "name");
    shown.outer = outerOf(shape, isNamed ? categoryOf(shape, shown, true) : "other");
    shown.all = assembled(shown);
    return shown;
  };

  // What most numbers need: the same two texts around the digits of all numbers of a sign, and how the digits are written.
  // Undefined where the texts depend on the number, or digits are rounded or written in a rarer way.
  const frame = (shape) => {
    const { style, notation, numberingSystem, signDisplay, roundingMode, roundingIncrement, trailingZeroDisplay } = shape;
    const isNamed = style === "unit" || (style === "currency" && shape.currencyDisplay === "name");
    const isUsual = notation === "standard" && numberingSystem === "latn" && signDisplay === "auto" && trailingZeroDisplay === "auto";
    const isRounded = roundingMode === "halfExpand" && roundingIncrement === 1 && shape.maximumSignificantDigits === undefined;
    if (isNamed || !isUsual || !isRounded) return undefined;
    const around = (given) => {
      const { middle, outer } = of(shape, given, digits.decimal(given));
      return { before: words([...outer.before, ...middle.before]), after: words([...middle.after, ...outer.after]) };
    };
    return { positive: around(1), negative: around(-1), point: pointOf(shape), shift: style === "percent" ? 2 : 0, ...grouping(shape) };
  };
  const words = (parts) => parts.map((part) => part.value).join("");

  // A finite number as a text, by a frame.
  const framed = (shape, frame, value) => {
    const { before, after } = value < 0 || Object.is(value, -0) ? frame.negative : frame.positive;
    const { primary, secondary, least } = frame;
    const written = writtenNumber(value, frame.shift, shape.minimumIntegerDigits, shape.minimumFractionDigits, shape.maximumFractionDigits);
    const at = written.indexOf(".");
    let end = at === -1 ? written.length : at;
    let rest = at === -1 ? "" : frame.point + written.slice(at + 1);
    if (primary > 0 && end >= primary + least) {
      for (let size = primary; end > size; end -= size, size = secondary) rest = `${frame.separator}${written.slice(end - size, end)}${rest}`;
    }
    return `${before}${written.slice(0, end)}${rest}${after}`;
  };

  const width = ({ before, after }) => {
    let count = 0;
    for (const { value } of [...before, ...after]) count += [...value].length;
    return count;
  };
  const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

  // Two numbers with what both have around them only once, as ICU does it.
  const range = (shape, one, other, from) => {
    let outer = one.outer;
    const names = (shape.style === "unit" && width(one.outer) > 0) || (shape.style === "currency" && shape.currencyDisplay === "name");
    if (names) outer = outerOf(shape, pluralOfRange(shape.language, false, one.operand, other.operand));
    const collapsesOuter = names || isSame(one.outer, other.outer);
    const collapsesMiddle = collapsesOuter && isSame(one.middle, other.middle) && width(one.middle) > 1;
    const repeats = [
      (one.inner ?? []).length > 0, !collapsesMiddle && width(one.middle) > 0, !collapsesOuter && width(one.outer) > 0,
    ].some(Boolean);
    const inside = ({ body, inner = [], middle, outer: around }) => {
      const number = collapsesMiddle ? [...body, ...inner] : [...middle.before, ...body, ...inner, ...middle.after];
      return collapsesOuter ? number : [...around.before, ...number, ...around.after];
    };
    const between = intl.filled(pattern(shape, "range"), from("startRange", inside(one)), from("endRange", inside(other)));
    const parts = between.map((part) => (part.source === undefined ? { ...part, source: "shared" } : part));
    if (repeats) {
      for (const part of parts) if (part.source === "shared" && !/^\s/.test(part.value)) part.value = ` ${part.value} `;
    }
    const shared = (list) => from("shared", list);
    const middle = collapsesMiddle ? one.middle : { before: [], after: [] };
    const around = collapsesOuter ? outer : { before: [], after: [] };
    return [...shared(around.before), ...shared(middle.before), ...parts, ...shared(middle.after), ...shared(around.after)];
  };

  return { numberParts: { of, range, frame, framed } };
};
