// Temporal.Duration.

export default ({ native, primordials, temporalOptions, temporalFields, temporalValues, temporalClasses }) => {
  const { define, RangeError, TypeError } = primordials;
  const { WORDS, increment, integral, isObject, optionsOf, optionsOrWord, record, required, unit, word } = temporalOptions;
  const { KINDS, spans } = temporalFields;
  const { relativeTo, toDuration } = temporalValues;
  const { complete, other, prototypeOf, receiver, sums, texts } = temporalClasses;
  const { absolute, compareDurations, durationWith, make, negated, round, total } = native.temporal;

  const DURATION = KINDS.Duration;
  class Duration {
    constructor(years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0, milliseconds = 0, microseconds = 0, nanoseconds = 0) {
      const numbers = [
        integral(years), integral(months), integral(weeks), integral(days), integral(hours), integral(minutes), integral(seconds), integral(milliseconds),
        integral(microseconds), integral(nanoseconds),
      ];
      return make(prototypeOf(this), DURATION, numbers, "iso8601");
    }

    static from(item) {
      return other(toDuration(item), item);
    }

    static compare(one, two, options = undefined) {
      const first = toDuration(one);
      const second = toDuration(two);
      const read = record();
      read.relativeTo = relativeTo(optionsOf(options));
      return compareDurations(first, second, read);
    }

    with(fields) {
      receiver(this, DURATION);
      if (!isObject(fields)) throw new TypeError("An object with the fields to replace is expected here");
      return durationWith(spans(fields), this);
    }

    negated() {
      return negated(receiver(this, DURATION));
    }

    abs() {
      return absolute(receiver(this, DURATION));
    }

    round(roundTo) {
      receiver(this, DURATION);
      const options = optionsOrWord(roundTo, "smallestUnit");
      const read = record();
      read.largestUnit = unit(options, "largestUnit");
      read.relativeTo = relativeTo(options);
      read.roundingIncrement = increment(options);
      read.roundingMode = word(options, "roundingMode");
      read.smallestUnit = unit(options, "smallestUnit");
      return round(this, read);
    }

    total(totalOf) {
      receiver(this, DURATION);
      const options = optionsOrWord(totalOf, "unit");
      const read = record();
      read.relativeTo = relativeTo(options);
      read.unit = required(options, "unit", WORDS.unit);
      if (read.unit === "auto") throw new RangeError('unit can\'t be "auto"');
      return total(this, read);
    }
  }
  complete(
    Duration, DURATION, "years months weeks days hours minutes seconds milliseconds microseconds nanoseconds sign blank", sums(DURATION),
    texts(DURATION, ["fractionalSecondDigits", "roundingMode", "smallestUnit"]),
  );
  return { Duration };
};
