// What Temporal reads of arguments and options: each once, in the order in which it is asked for.

export default ({ native, primordials }) => {
  const { mathFloor, mathTrunc, reflectApply, RangeError, TypeError } = primordials;
  const { kind } = native.temporal;
  const { toPrimitive: asPrimitive } = Symbol;

  const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";
  // Objects that no script can have changed.
  const record = () => ({ __proto__: null });

  const optionsOf = (options) => {
    if (options === undefined) return record();
    if (!isObject(options)) throw new TypeError(`Options are an object, not ${options === null ? "null" : `a ${typeof options}`}`);
    return options;
  };
  // A word alone stands for the option that is named.
  const optionsOrWord = (options, name) => {
    if (options === undefined) throw new TypeError(`An object with ${name} is missing`);
    if (typeof options !== "string") return optionsOf(options);
    const found = record();
    found[name] = options;
    return found;
  };

  const wordsOf = (text) => {
    const words = record();
    for (const word of text.split(" ")) words[word] = word;
    return words;
  };
  const WORDS = {
    __proto__: null,
    calendarName: wordsOf("auto always never critical"),
    direction: wordsOf("next previous"),
    disambiguation: wordsOf("compatible earlier later reject"),
    offset: wordsOf("prefer use ignore reject"),
    overflow: wordsOf("constrain reject"),
    roundingMode: wordsOf("ceil floor expand trunc halfCeil halfFloor halfExpand halfTrunc halfEven"),
    shownOffset: wordsOf("auto never"),
    timeZoneName: wordsOf("auto never critical"),
    unit: wordsOf("auto year month week day hour minute second millisecond microsecond nanosecond years months weeks days hours minutes seconds milliseconds microseconds nanoseconds"),
  };
  // An option that is one of some words, if it is there.
  const word = (options, name, words = WORDS[name]) => {
    const value = options[name];
    if (value === undefined) return undefined;
    const text = `${value}`;
    if (words[text] === undefined) throw new RangeError(`${name} can't be "${text}"`);
    return text;
  };
  const required = (options, name, words) => {
    const found = word(options, name, words);
    if (found === undefined) throw new RangeError(`The option ${name} is missing`);
    return found;
  };
  const unit = (options, name) => word(options, name, WORDS.unit);

  const toNumber = (value) => +value;
  const whole = (value) => {
    const number = toNumber(value);
    if (!(number > -Infinity && number < Infinity)) throw new RangeError(`A finite number is expected here, not ${number}`);
    return mathTrunc(number) + 0;
  };
  const positive = (value) => {
    const number = whole(value);
    if (number <= 0) throw new RangeError(`A number above zero is expected here, not ${number}`);
    return number;
  };
  const integral = (value) => {
    const number = toNumber(value);
    if (mathTrunc(number) !== number || number - number !== 0) throw new RangeError(`A whole number is expected here, not ${number}`);
    return number + 0;
  };

  const increment = (options) => {
    const value = options.roundingIncrement;
    if (value === undefined) return undefined;
    const number = whole(value);
    if (number < 1 || number > 1e9) throw new RangeError(`roundingIncrement can't be ${number}`);
    return number;
  };
  const digits = (options) => {
    const value = options.fractionalSecondDigits;
    if (value === undefined) return undefined;
    if (typeof value !== "number") {
      const text = `${value}`;
      if (text !== "auto") throw new RangeError(`fractionalSecondDigits can't be "${text}"`);
      return undefined;
    }
    const number = mathFloor(value);
    if (!(number >= 0 && number <= 9)) throw new RangeError(`fractionalSecondDigits can't be ${value}`);
    return number;
  };

  // A value as one that is no object, as texts are made.
  const primitive = (value) => {
    if (!isObject(value)) return value;
    const own = value[asPrimitive];
    if (own !== undefined && own !== null) {
      if (typeof own !== "function") throw new TypeError("Symbol.toPrimitive of a value is not a function");
      const made = reflectApply(own, value, ["string"]);
      if (!isObject(made)) return made;
    } else {
      for (let i = 0; i < 2; i++) {
        const method = i === 0 ? value.toString : value.valueOf;
        if (typeof method !== "function") continue;
        const made = reflectApply(method, value, []);
        if (!isObject(made)) return made;
      }
    }
    throw new TypeError("A string is expected here, not an object");
  };
  const text = (value, what) => {
    if (typeof value !== "string") throw new TypeError(`${what} must be a string here, not ${value === null ? "null" : `a value of the type ${typeof value}`}`);
    return value;
  };

  // The property with the largest unit of a span, and what else rounds it.
  const difference = (options) => {
    options = optionsOf(options);
    const read = record();
    read.largestUnit = unit(options, "largestUnit");
    read.roundingIncrement = increment(options);
    read.roundingMode = word(options, "roundingMode");
    read.smallestUnit = unit(options, "smallestUnit");
    return read;
  };
  const rounding = (options) => {
    options = optionsOrWord(options, "smallestUnit");
    const read = record();
    read.roundingIncrement = increment(options);
    read.roundingMode = word(options, "roundingMode");
    read.smallestUnit = required(options, "smallestUnit", WORDS.unit);
    return read;
  };
  const overflow = (options) => {
    options = optionsOf(options);
    const read = record();
    read.overflow = word(options, "overflow");
    return read;
  };
  const placement = (options, offset) => {
    options = optionsOf(options);
    const read = record();
    read.disambiguation = word(options, "disambiguation");
    read.offset = word(options, "offset") ?? offset;
    read.overflow = word(options, "overflow");
    return read;
  };
  const disambiguation = (options) => {
    options = optionsOf(options);
    const read = record();
    read.disambiguation = word(options, "disambiguation");
    return read;
  };

  // How a value is written: what its class has of these.
  const SHOWN = {
    __proto__: null,
    calendarName: (options) => word(options, "calendarName"),
    fractionalSecondDigits: digits,
    offset: (options) => word(options, "offset", WORDS.shownOffset),
    roundingMode: (options) => word(options, "roundingMode"),
    smallestUnit: (options) => unit(options, "smallestUnit"),
    timeZone: (options) => options.timeZone,
    timeZoneName: (options) => word(options, "timeZoneName"),
  };
  const shown = (options, names) => {
    options = optionsOf(options);
    const read = record();
    for (let i = 0; i < names.length; i++) read[names[i]] = SHOWN[names[i]](options);
    return read;
  };

  return {
    temporalOptions: {
      kind, isObject, record, optionsOf, optionsOrWord, word, required, unit, increment, whole, positive, integral, primitive, text, difference, rounding,
      overflow, placement, disambiguation, shown, WORDS,
    },
  };
};
