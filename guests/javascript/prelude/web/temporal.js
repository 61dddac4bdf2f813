// Temporal, and what dates have of it.

export default ({ native, primordials, addKind, temporalOptions, temporalFields, ...classes }) => {
  const { dateGetTime, define, RangeError } = primordials;
  const { Instant, ZonedDateTime, PlainDateTime, PlainDate, PlainTime, PlainYearMonth, PlainMonthDay, Duration } = classes;
  const { record } = temporalOptions;
  const { KINDS, timeZone } = temporalFields;
  const { convert, inZone, instant, setPrototypes } = native.temporal;
  const { now } = Date;
  const BigIntOf = BigInt;
  setPrototypes([Instant, ZonedDateTime, PlainDateTime, PlainDate, PlainTime, PlainYearMonth, PlainMonthDay, Duration].map((Class) => Class.prototype));

  addKind("temporal", new PlainTime());

  const atMilliseconds = (milliseconds) => instant(Instant.prototype, `${BigIntOf(milliseconds) * 1_000_000n}`);
  // The time that it is in a zone: UTC, unless another is named.
  const nowIn = (zone) => {
    const name = zone === undefined ? "UTC" : timeZone(zone);
    return inZone(atMilliseconds(now()), name, undefined, record());
  };
  const Now = {};
  define(Now, {
    timeZoneId() {
      return "UTC";
    },
    instant() {
      return atMilliseconds(now());
    },
    zonedDateTimeISO(timeZone = undefined) {
      return nowIn(timeZone);
    },
    plainDateTimeISO(timeZone = undefined) {
      return convert(nowIn(timeZone), KINDS.PlainDateTime);
    },
    plainDateISO(timeZone = undefined) {
      return convert(nowIn(timeZone), KINDS.PlainDate);
    },
    plainTimeISO(timeZone = undefined) {
      return convert(nowIn(timeZone), KINDS.PlainTime);
    },
  });
  Object.defineProperty(Now, Symbol.toStringTag, { value: "Temporal.Now", configurable: true });

  const Temporal = {};
  define(Temporal, { Now, Instant, ZonedDateTime, PlainDateTime, PlainDate, PlainTime, PlainYearMonth, PlainMonthDay, Duration });
  Object.defineProperty(Temporal, Symbol.toStringTag, { value: "Temporal", configurable: true });
  define(globalThis, { Temporal });
  define(Date.prototype, {
    toTemporalInstant() {
      const milliseconds = dateGetTime(this);
      if (milliseconds !== milliseconds) throw new RangeError("An invalid date has no instant: check the date first");
      return atMilliseconds(milliseconds);
    },
  });
  return {};
};
