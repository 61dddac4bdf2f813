// Temporal.PlainTime and Temporal.Instant.

export default ({ native, primordials, temporalOptions, temporalFields, temporalValues, temporalClasses }) => {
  const { define, RangeError } = primordials;
  const { overflow, record, rounding, shown, whole } = temporalOptions;
  const { KINDS, partial, timeZone } = temporalFields;
  const { toInstant, toTime } = temporalValues;
  const { TIME, complete, differences, made, ordered, other, prototypeOf, receiver, same, sums, texts } = temporalClasses;
  const { epochNanoseconds, field, inZone, instant, make, round, text, with: replaced } = native.temporal;
  const { asIntN } = BigInt;
  const BigIntOf = BigInt;

  const TIMED = KINDS.PlainTime;
  class PlainTime {
    constructor(hour = 0, minute = 0, second = 0, millisecond = 0, microsecond = 0, nanosecond = 0) {
      const numbers = [whole(hour), whole(minute), whole(second), whole(millisecond), whole(microsecond), whole(nanosecond)];
      return make(prototypeOf(this), TIMED, numbers, "iso8601");
    }

    with(fields, options = undefined) {
      receiver(this, TIMED);
      const read = partial(fields, "time", "iso8601");
      return replaced(this, read, overflow(options));
    }

    round(roundTo) {
      receiver(this, TIMED);
      return round(this, rounding(roundTo));
    }
  }
  define(PlainTime, { ...made(toTime), ...ordered(toTime) });
  complete(
    PlainTime, TIMED, TIME, sums(TIMED), differences(TIMED, toTime), same(TIMED, toTime), texts(TIMED, ["fractionalSecondDigits", "roundingMode", "smallestUnit"]),
  );

  // More bits than an integer of the engine can have.
  const ALL_BITS = 2 ** 24;
  const LIMIT = 8_640_000_000_000_000_000_000n;
  // The digits of the nanoseconds that a script gives, which are a BigInt.
  const digitsOf = (value) => {
    const nanoseconds = asIntN(ALL_BITS, value);
    if (nanoseconds > LIMIT || nanoseconds < -LIMIT) throw new RangeError("The time is out of the range of Temporal");
    return `${nanoseconds}`;
  };

  const INSTANT = KINDS.Instant;
  const SHOWN = ["fractionalSecondDigits", "roundingMode", "smallestUnit", "timeZone"];
  class Instant {
    constructor(epochNanoseconds) {
      return instant(prototypeOf(this), digitsOf(epochNanoseconds));
    }

    static from(item) {
      return other(toInstant(item), item);
    }

    static fromEpochMilliseconds(epochMilliseconds) {
      return instant(Instant.prototype, digitsOf(BigIntOf(+epochMilliseconds) * 1_000_000n));
    }

    static fromEpochNanoseconds(epochNanoseconds) {
      return instant(Instant.prototype, digitsOf(epochNanoseconds));
    }

    get epochNanoseconds() {
      return BigIntOf(epochNanoseconds(receiver(this, INSTANT)));
    }

    round(roundTo) {
      receiver(this, INSTANT);
      return round(this, rounding(roundTo));
    }

    toString(options = undefined) {
      receiver(this, INSTANT);
      const read = shown(options, SHOWN);
      const zone = read.timeZone === undefined ? undefined : timeZone(read.timeZone);
      return text(this, read, zone);
    }

    toZonedDateTimeISO(zone) {
      receiver(this, INSTANT);
      return inZone(this, timeZone(zone), undefined, record());
    }
  }
  const { toString: _, ...others } = texts(INSTANT, []);
  define(Instant, ordered(toInstant));
  complete(Instant, INSTANT, "epochMilliseconds", sums(INSTANT), differences(INSTANT, toInstant), same(INSTANT, toInstant), others);
  return { PlainTime, Instant, digitsOf };
};
