// Ranges of dates: what both have in common only once, as the locale's patterns for intervals have it.

export default ({ intl, datePatterns, dateFields }) => {
  const { entries, text } = intl;
  const { skeletonOf, tokens } = datePatterns;
  const DATE = "GyMLEced";

  // The largest field in which two times differ: its letter.
  const difference = (first, last) => {
    if (first.year > 0 !== last.year > 0) return "G";
    for (const [letter, name] of [["y", "year"], ["M", "month"], ["d", "day"]]) if (first[name] !== last[name]) return letter;
    if (first.hour < 12 !== last.hour < 12) return "a";
    for (const [letter, name] of [["h", "hour"], ["m", "minute"], ["s", "second"], ["S", "millisecond"]]) if (first[name] !== last[name]) return letter;
    return undefined;
  };

  const letters = (skeleton) => [...new Set(skeleton)].filter((letter) => letter !== "a").sort().join("");
  const plain = (skeleton) => skeleton.replace(/k/g, "H").replace(/K/g, "h").replace(/[zOv]+/, "v").replace(/L/g, "M");
  // The pattern for an interval of a skeleton: the nearest that has the same fields.
  const intervalOf = (place, skeleton, letter) => {
    const wanted = plain(skeleton);
    const { fields } = skeletonOf(wanted);
    let found;
    for (const [key, value] of entries(place, "interval")) {
      if (key === "fallback" || letters(key) !== letters(wanted)) continue;
      const other = skeletonOf(key).fields;
      let distance = 0;
      for (let i = 0; i < fields.length; i++) {
        if (fields[i] === undefined || other[i] === undefined) continue;
        const isNumeric = (field) => field.kind > 0;
        distance += isNumeric(fields[i]) === isNumeric(other[i]) ? Math.abs(fields[i].length - other[i].length) : 0x100;
      }
      if (found === undefined || distance < found.distance) found = { distance, key, patterns: JSON.parse(value) };
    }
    if (found === undefined) return undefined;
    const { patterns, key } = found;
    const isTo24 = wanted.includes("H");
    const asked = letter === "a" ? (isTo24 ? ["H"] : ["a", "B"]) : [letter === "h" && isTo24 ? "H" : letter];
    const pattern = asked.map((one) => patterns[one]).find((one) => one !== undefined);
    if (pattern === undefined) return undefined;
    // Where words stand for what was asked as a number, or the other way round, there is no such pattern.
    const other = skeletonOf(key).fields;
    if (fields.some((field, i) => field !== undefined && other[i] !== undefined && field.kind > 0 !== other[i].kind > 0)) return undefined;
    return lengthened(tokens(pattern), fields, other).map((token) => (token.letter === "v" ? zoneOf(skeleton) : token));
  };
  const zoneOf = (skeleton) => {
    const [letters] = /[zOv]+/.exec(skeleton);
    return { letter: letters[0], length: letters.length };
  };
  const lengthened = (list, fields, own) =>
    list.map((token) => {
      if (token.letter === undefined) return token;
      const { fields: of } = skeletonOf(token.letter.repeat(token.length));
      const at = of.findIndex((field) => field !== undefined);
      const [asked, there] = [fields[at], own[at]];
      if (at === -1 || asked === undefined || there === undefined || asked.length === there.length || "hHkKms".includes(token.letter)) return token;
      return { letter: token.letter, length: asked.kind > 0 ? Math.max(asked.length, token.length) : asked.length };
    });

  // Where a field comes for the second time, the end begins.
  const parted = (list) => {
    const seen = new Set();
    for (let i = 0; i < list.length; i++) {
      const { letter } = list[i];
      if (letter === undefined) continue;
      const name = letter === "L" ? "M" : letter === "c" ? "E" : letter;
      if (seen.has(name)) return i;
      seen.add(name);
    }
    return list.length;
  };

  const withSource = (parts, source) => parts.map((part) => ({ ...part, source }));
  const shared = (parts) => parts.map((part) => (part.source === undefined ? { ...part, source: "shared" } : part));
  // Numbers of days and times are as long as the locale has them.
  const normal = (skeleton) => skeleton.replace(/(?<!M)MM(?!M)/, "M").replace(/([dhHkKmsz])\1+/g, "$1");
  const range = (format, first, last) => {
    const { locale, system, zone, list, letter } = format;
    const [one, other] = [dateFields.read(first, zone), dateFields.read(last, zone)];
    const show = (pattern, fields) => dateFields.parts(locale, system, zone, pattern, fields);
    const whole = [show(list, one), show(list, other)];
    const isSame = (a, b) => JSON.stringify(a) === JSON.stringify(b);
    const field = difference(one, other);
    const skeleton = normal(format.skeleton);
    let date = [...skeleton].filter((one) => DATE.includes(one)).join("");
    const time = [...skeleton].filter((one) => !DATE.includes(one)).join("");
    const isOtherDay = "GyMd".includes(field ?? "none");
    if (isSame(...whole) && !(date === "" && isOtherDay)) return withSource(whole[0], "shared");
    // What differs is shown, also where it was not asked for.
    let all = format.skeleton;
    if (field === "y" && date.includes("M") && date.includes("d") && !date.includes("y")) [date, all] = [`y${date}`, `y${all}`];
    const found = (of) => datePatterns.withHour(datePatterns.find(locale.place, of, format.point, true), letter);
    const both = (pattern) => {
      const [start, end] = [withSource(show(pattern, one), "startRange"), withSource(show(pattern, other), "endRange")];
      return shared(intl.filled(text(locale.place, "interval", "fallback"), start, end));
    };
    const interval = (of, differing) => {
      const found = intervalOf(locale.place, of, differing);
      if (found === undefined) return undefined;
      const pattern = datePatterns.withHour(found, letter);
      const at = parted(pattern);
      return joined(show(pattern.slice(0, at), one), show(pattern.slice(at), other));
    };
    if (time === "") return interval(date, field) ?? both(found(all));
    // Times of different days have their dates, too.
    if (isOtherDay) return both(date === "" ? datePatterns.together(locale.place, "short", found("yMd"), found(all)) : found(all));
    const asked = [...all].filter((one) => !DATE.includes(one)).join("");
    const times = interval(time, field) ?? both(found(asked));
    if (date === "") return times;
    const days = withSource(show(found(date), one), "shared");
    return shared(intl.filled(text(locale.place, "date", "glue/medium"), times, days));
  };
  // The parts of both halves, with what stands between them as shared.
  const joined = (first, last) => {
    const between = first.at(-1)?.type === "literal" ? [first.pop()] : [];
    return [...withSource(first, "startRange"), ...withSource(between, "shared"), ...withSource(last, "endRange")];
  };

  return { dateRanges: { range } };
};
