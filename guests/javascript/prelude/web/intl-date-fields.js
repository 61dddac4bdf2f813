// Fields of dates as parts: what a pattern's letters stand for, in a locale and a time zone.

export default ({ intl, zones }) => {
  const { data, remembered, text } = intl;
  const LAST = 8.64e15;
  const CYCLE = 146_097 * 86_400_000;
  // The fields of a time in a zone.
  const read = (time, zone) => {
    const { offset } = zones.at(zone, time);
    const at = time + offset * 1000;
    // A day more than dates have, at both ends: so many years later or earlier, the calendar is the same.
    const cycles = at > LAST ? -1 : at < -LAST ? 1 : 0;
    const date = new Date(at + cycles * CYCLE);
    return {
      time, year: date.getUTCFullYear() - cycles * 400, month: date.getUTCMonth(), day: date.getUTCDate(), weekday: date.getUTCDay(),
      hour: date.getUTCHours(), minute: date.getUTCMinutes(), second: date.getUTCSeconds(), millisecond: date.getUTCMilliseconds(),
    };
  };

  const padded = (value, length) => `${value}`.padStart(length, "0");
  const WIDTHS = { 1: "abbreviated", 2: "abbreviated", 3: "abbreviated", 4: "wide", 5: "narrow", 6: "short" };
  const listed = (place, kind, context, length) => {
    const name = `${kind}/${context}/${WIDTHS[length]}`;
    return remembered(`${place}\nlisted\n${name}`, () => text(place, "date", name)?.split("\t"));
  };
  const month = (place, { month: number }, letter, length) => {
    const alone = letter === "L" ? listed(place, "month", "stand-alone", length) : undefined;
    return (alone ?? listed(place, "month", "format", length))[number];
  };
  const weekday = (place, { weekday: number }, letter, length) => listed(place, "day", letter === "c" ? "stand-alone" : "format", Math.max(length, 3))[number];

  const periodNames = (place, length) => data(place, "date", `period/format/${WIDTHS[length]}`) ?? {};
  // In the morning, at night and the like.
  const dayPeriod = (locale, { hour, minute }, letter, length) => {
    const names = periodNames(locale.place, length);
    const usual = names[hour < 12 ? "am" : "pm"];
    if (letter === "a") return usual;
    if (letter === "b") {
      if (hour === 12 && minute === 0 && names.noon !== undefined) return names.noon;
      return hour === 0 && minute === 0 && names.midnight !== undefined ? names.midnight : usual;
    }
    const rules = data(locale.root, "periods", locale.language) ?? {};
    const minutes = (value) => Number(value.slice(0, 2));
    for (const [name, { _from, _before }] of Object.entries(rules)) {
      if (_from === undefined) continue;
      const [from, before] = [minutes(_from), minutes(_before)];
      const isIn = from < before ? hour >= from && hour < before : hour >= from || hour < before;
      if (isIn && names[name] !== undefined) return names[name];
    }
    return usual;
  };

  const ZONE_STYLES = { z1: "short", z4: "long", O1: "shortOffset", O4: "longOffset", v1: "shortGeneric", v4: "longGeneric" };
  const TYPES = {
    G: "era", y: "year", Y: "year", M: "month", L: "month", E: "weekday", c: "weekday", e: "weekday", d: "day", a: "dayPeriod", b: "dayPeriod", B: "dayPeriod",
    h: "hour", H: "hour", K: "hour", k: "hour", m: "minute", s: "second", S: "fractionalSecond", z: "timeZoneName", O: "timeZoneName", v: "timeZoneName",
  };

  const value = (locale, system, zone, fields, letter, length) => {
    const number = (value, least = length) => intl.inDigits(system, padded(value, least));
    const { year, day, hour, minute, second, millisecond } = fields;
    switch (letter) {
      case "G": return text(locale.place, "date", `era/${length === 4 ? "long" : length === 5 ? "narrow" : "short"}`).split("\t")[year > 0 ? 1 : 0];
      case "y": case "Y": {
        const counted = year > 0 ? year : 1 - year;
        return length === 2 ? number(counted % 100, 2) : number(counted);
      }
      case "M": case "L": return length < 3 ? number(fields.month + 1) : month(locale.place, fields, letter, length);
      case "E": case "c": case "e": return weekday(locale.place, fields, letter, length);
      case "d": return number(day);
      case "a": case "b": case "B": return dayPeriod(locale, fields, letter, length);
      case "h": return number(hour % 12 || 12);
      case "H": return number(hour);
      case "K": return number(hour % 12);
      case "k": return number(hour || 24);
      case "m": return number(minute);
      case "s": return number(second);
      case "S": return intl.inDigits(system, padded(millisecond, 3).slice(0, length).padEnd(length, "0"));
      default: return zones.display(locale, system, zone, fields.time, ZONE_STYLES[`${letter}${length >= 4 ? 4 : 1}`]);
    }
  };

  // The parts of a time, by a pattern's tokens.
  const parts = (locale, system, zone, tokens, fields) => {
    const list = [];
    for (const { letter, length, text: words } of tokens) {
      if (letter === undefined) list.push({ type: "literal", value: words });
      else list.push({ type: TYPES[letter], value: value(locale, system, zone, fields, letter, length) });
    }
    return intl.merged(list);
  };

  // The same as one text.
  const written = (locale, system, zone, tokens, fields) => {
    let all = "";
    for (const { letter, length, text: words } of tokens) all += letter === undefined ? words : value(locale, system, zone, fields, letter, length);
    return all;
  };

  return { dateFields: { read, parts, written, dayPeriod } };
};
