// Decimal numbers as digits, rounded as they are written: 1.005 to two places is 1.01, which binary arithmetic does not give.
// A number is { negative, digits, point }: 0.digits × 10^point, without leading zeros; zero has no digits.

export default () => {
  const strip = (negative, digits, point) => {
    const leading = digits.match(/^0*/)[0].length;
    digits = digits.slice(leading).replace(/0+$/, "");
    return { negative, digits, point: digits === "" ? 0 : point - leading };
  };

  // The exact decimal of a number, BigInt or numeral; undefined for NaN and infinities.
  const decimal = (value) => {
    const match = /^(-)?(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(Object.is(value, -0) ? "-0" : `${value}`);
    if (match === null) return undefined;
    const [, sign, integer, fraction, exponent = "0"] = match;
    return strip(sign === "-", integer + fraction, integer.length + Number(exponent));
  };

  // Whether to go away from zero, when `digits` from `keep` on are dropped.
  const goesUp = ({ negative, digits }, keep, mode) => {
    const first = keep < 0 ? 0 : Number(digits[keep] ?? 0);
    const isExact = keep >= digits.length;
    if (isExact) return false;
    const half = first === 5 && digits.length === keep + 1 ? 0 : first >= 5 ? 1 : -1;
    switch (mode) {
      case "expand": return true;
      case "trunc": return false;
      case "ceil": return !negative;
      case "floor": return negative;
      case "halfExpand": return half >= 0;
      case "halfTrunc": return half > 0;
      case "halfCeil": return half > 0 || (half === 0 && !negative);
      case "halfFloor": return half > 0 || (half === 0 && negative);
      default: return half > 0 || (half === 0 && keep > 0 && Number(digits[keep - 1]) % 2 === 1);
    }
  };

  // Keeps so many digits from the first on; fewer than none rounds to a higher place.
  const rounded = (number, keep, mode) => {
    const { negative, digits, point } = number;
    if (keep >= digits.length) return number;
    const head = keep > 0 ? digits.slice(0, keep) : "";
    if (!goesUp(number, keep, mode)) return strip(negative, head, point);
    if (keep <= 0) return { negative, digits: "1", point: point - keep + 1 };
    const nines = head.match(/9*$/)[0].length;
    if (nines === head.length) return { negative, digits: "1", point: point + 1 };
    const last = head.length - nines - 1;
    return strip(negative, head.slice(0, last) + (Number(head[last]) + 1), point);
  };

  const toFraction = (number, places, mode) => rounded(number, number.point + places, mode);

  // To a multiple of `increment` in the last of so many places.
  const toIncrement = (number, places, increment, mode) => {
    const { negative, digits, point } = number;
    if (digits === "") return number;
    const shift = point - digits.length + places;
    const unit = BigInt(increment) * 10n ** BigInt(Math.max(-shift, 0));
    const value = BigInt(digits) * 10n ** BigInt(Math.max(shift, 0));
    const count = value / unit;
    // What is left as a fraction of one increment, in digits that round as it does.
    const left = (value % unit) * 2n;
    const fraction = left === 0n ? "" : left < unit ? "4" : left === unit ? "5" : "6";
    const whole = `${count}${fraction}`;
    const steps = rounded(strip(negative, whole, `${count}`.length), count === 0n ? 0 : `${count}`.length, mode);
    const kept = steps.digits.padEnd(Math.max(steps.point, 0), "0");
    const product = `${BigInt(kept === "" ? "0" : kept) * BigInt(increment)}`;
    return strip(negative, product, product.length - places);
  };

  // The digits before and after the point, padded to the least numbers of them.
  const written = ({ digits, point }, leastInteger, leastFraction) => {
    const integer = point > 0 ? digits.slice(0, point).padEnd(point, "0") : "";
    const fraction = point > 0 ? digits.slice(point) : digits === "" ? "" : "0".repeat(-point) + digits;
    return { integer: integer.padStart(Math.max(leastInteger, 0), "0"), fraction: fraction.padEnd(leastFraction, "0") };
  };

  return { digits: { decimal, rounded, toFraction, toIncrement, written } };
};
