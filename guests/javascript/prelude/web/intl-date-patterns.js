// The pattern for what is asked for of a date: how ICU's pattern generator finds it among those that CLDR has for a locale.

export default ({ intl }) => {
  const { entries, remembered, supplemental, text } = intl;

  // The fields in the order of skeletons, and the letters of each: letter, kind, and the least length that has it.
  const FIELDS = "era year month weekday day period hour minute second fraction zone".split(" ");
  const [ERA, YEAR, MONTH, WEEKDAY, DAY, PERIOD, HOUR, MINUTE, SECOND, FRACTION, ZONE] = FIELDS.keys();
  const DATE = new Set([ERA, YEAR, MONTH, WEEKDAY, DAY]);
  const [NARROW, SHORTER, SHORT, LONG, NUMERIC, DELTA] = [-0x101, -0x102, -0x103, -0x104, 0x100, 0x10];
  const LETTERS = [
    ["G", ERA, SHORT, 1], ["G", ERA, LONG, 4], ["G", ERA, NARROW, 5],
    ["y", YEAR, NUMERIC, 1],
    ["M", MONTH, NUMERIC, 1], ["M", MONTH, SHORT, 3], ["M", MONTH, LONG, 4], ["M", MONTH, NARROW, 5],
    ["L", MONTH, NUMERIC + DELTA, 1], ["L", MONTH, SHORT - DELTA, 3], ["L", MONTH, LONG - DELTA, 4], ["L", MONTH, NARROW - DELTA, 5],
    ["E", WEEKDAY, SHORT, 1], ["E", WEEKDAY, LONG, 4], ["E", WEEKDAY, NARROW, 5], ["E", WEEKDAY, SHORTER, 6],
    ["c", WEEKDAY, NUMERIC + 2 * DELTA, 1], ["c", WEEKDAY, SHORT - 2 * DELTA, 3], ["c", WEEKDAY, LONG - 2 * DELTA, 4], ["c", WEEKDAY, NARROW - 2 * DELTA, 5],
    ["e", WEEKDAY, NUMERIC + DELTA, 1], ["e", WEEKDAY, SHORT - DELTA, 3], ["e", WEEKDAY, LONG - DELTA, 4], ["e", WEEKDAY, NARROW - DELTA, 5],
    ["d", DAY, NUMERIC, 1],
    ["a", PERIOD, SHORT, 1], ["a", PERIOD, LONG, 4], ["a", PERIOD, NARROW, 5],
    ["b", PERIOD, SHORT - DELTA, 1], ["b", PERIOD, LONG - DELTA, 4], ["b", PERIOD, NARROW - DELTA, 5],
    ["B", PERIOD, SHORT - 3 * DELTA, 1], ["B", PERIOD, LONG - 3 * DELTA, 4], ["B", PERIOD, NARROW - 3 * DELTA, 5],
    ["H", HOUR, NUMERIC + 10 * DELTA, 1], ["k", HOUR, NUMERIC + 11 * DELTA, 1], ["h", HOUR, NUMERIC, 1], ["K", HOUR, NUMERIC + DELTA, 1],
    ["m", MINUTE, NUMERIC, 1], ["s", SECOND, NUMERIC, 1], ["S", FRACTION, NUMERIC, 1],
    ["v", ZONE, SHORT - 2 * DELTA, 1], ["v", ZONE, LONG - 2 * DELTA, 4], ["z", ZONE, SHORT, 1], ["z", ZONE, LONG, 4],
    ["O", ZONE, SHORT - DELTA, 1], ["O", ZONE, LONG - DELTA, 4],
  ];
  const rows = { __proto__: null };
  for (const row of LETTERS) (rows[row[0]] ??= []).push(row);
  const kindOf = (letter, length) => {
    let found;
    for (const row of rows[letter] ?? []) if (row[3] <= length) found = row;
    return found;
  };

  // A pattern as tokens: { letter, length } or { text }.
  const tokens = (pattern) => remembered(`date ${pattern}`, () => {
    const found = [];
    const add = (value) => {
      const last = found[found.length - 1];
      if (last?.text !== undefined) last.text += value;
      else found.push({ text: value });
    };
    for (let i = 0; i < pattern.length; ) {
      if (pattern[i] === "'") {
        let value = "";
        if (pattern[i + 1] === "'") {
          add("'");
          i += 2;
          continue;
        }
        for (i++; i < pattern.length; i++) {
          if (pattern[i] !== "'") value += pattern[i];
          else if (pattern[i + 1] === "'") value += pattern[i++];
          else break;
        }
        add(value);
        i++;
      } else if (/[A-Za-z]/.test(pattern[i])) {
        let length = 1;
        while (pattern[i + length] === pattern[i]) length++;
        found.push({ letter: pattern[i], length });
        i += length;
      } else add(pattern[i++]);
    }
    return found;
  });
  const written = (list) => list.map(({ letter, length, text: value }) => (letter === undefined ? quoted(value) : letter.repeat(length))).join("");
  const quoted = (value) => value.replace(/'/g, "''").replace(/[A-Za-z](?:[^]*[A-Za-z])?/, (words) => `'${words}'`);

  // What fields a skeleton or pattern has: for each its letter, length and kind.
  const skeletonOf = (pattern) => {
    const fields = [];
    let extra = false;
    for (const { letter, length } of tokens(pattern)) {
      const row = letter === undefined ? undefined : kindOf(letter, length);
      if (letter !== undefined && row === undefined) extra = true;
      if (row === undefined) continue;
      const [, field, kind] = row;
      fields[field] = { letter, length, kind: kind > 0 ? kind + length : kind };
    }
    if (fields[MINUTE] !== undefined && fields[FRACTION] !== undefined) fields[SECOND] ??= { letter: "s", length: 1, kind: NUMERIC + 1 };
    // Hours to twelve have a part of the day, and others have none.
    const hour = fields[HOUR]?.letter;
    if ((hour === "h" || hour === "K") && fields[PERIOD] === undefined) fields[PERIOD] = { letter: "a", length: 1, kind: SHORT, usual: true };
    else if ((hour === "H" || hour === "k") && fields[PERIOD] !== undefined) fields[PERIOD] = undefined;
    return { fields, extra };
  };
  // What tells skeletons apart, but for how long numbers are.
  const baseOf = (fields) => FIELDS.map((_, i) => {
    const field = fields[i];
    if (field === undefined || field.usual) return "";
    if (field.kind > 0 || field.letter === "a") return field.letter;
    return field.letter.repeat(Math.max(kindOf(field.letter, field.length)[3], i === MONTH || i === WEEKDAY ? 3 : 1));
  }).join("");

  const ITEMS = ["G", "y", "M", "E", "d", "a", "H", "m", "s", "S", "v"];
  const STYLES = ["full", "long", "medium", "short"];
  // The patterns that a locale has, with their skeletons, in the order in which they are looked at.
  const candidates = (place) => remembered(`candidates ${place}`, () => {
    const found = [];
    const bases = new Map();
    const add = (pattern, skeleton) => {
      const { fields, extra } = skeletonOf(skeleton ?? pattern);
      if (extra) return;
      const base = baseOf(fields);
      const others = bases.get(base) ?? [];
      if (skeleton === undefined && others.length > 0) return;
      const same = others.find((one) => FIELDS.every((_, i) => one.fields[i]?.kind === fields[i]?.kind));
      if (same === undefined) {
        const one = { base, fields, pattern, given: skeleton !== undefined };
        bases.set(base, [...others, one]);
        found.push(one);
      } else if (!same.given) Object.assign(same, { fields, pattern, given: true });
    };
    for (const item of ITEMS) add(item);
    for (const style of STYLES) {
      for (const kind of ["date", "time"]) {
        const pattern = text(place, "date", `${kind}/${style}`);
        if (pattern !== undefined) add(pattern);
      }
    }
    for (const [skeleton, pattern] of entries(place, "skeleton")) add(pattern, skeleton);
    const rank = ({ base }) => {
      const code = base.charCodeAt(0);
      return code >= 97 ? code - 97 + 26 : code - 65;
    };
    return found.map((one, i) => ({ one, i })).sort((a, b) => rank(a.one) - rank(b.one) || a.i - b.i).map(({ one }) => one);
  });

  const best = (place, fields, included) => {
    let found;
    for (const candidate of candidates(place)) {
      let distance = 0;
      let mask = 0;
      const missing = new Set();
      for (const i of FIELDS.keys()) {
        const mine = included.has(i) ? fields[i]?.kind ?? 0 : 0;
        const other = candidate.fields[i]?.kind ?? 0;
        if (mine === other) continue;
        if (mine === 0) distance += 0x10000;
        else if (other === 0) {
          distance += 0x1000;
          mask |= 1 << i;
          missing.add(i);
        } else distance += Math.abs(mine - other);
      }
      // Of those that are as near, the one that lacks smaller fields.
      const isNearer = found === undefined || distance < found.distance || (distance === found.distance && found.mask < mask);
      if (isNearer) found = { distance, mask, missing, candidate };
      if (distance === 0) break;
    }
    return found;
  };

  // The pattern with its fields as long as they are asked for.
  const adjusted = (candidate, fields, keepsHour) => {
    const list = [];
    for (const token of tokens(candidate.pattern)) {
      const row = token.letter === undefined ? undefined : kindOf(token.letter, token.length);
      const asked = row === undefined ? undefined : fields[row[1]];
      const field = row?.[1];
      if (asked === undefined) {
        list.push(token);
        continue;
      }
      const wanted = asked.letter === "E" && asked.length < 3 ? 3 : asked.length;
      let length = wanted;
      if (field === MINUTE || field === SECOND || (field === HOUR && keepsHour)) length = token.length;
      else if (candidate.given && asked.letter !== "c" && asked.letter !== "e") {
        const own = candidate.fields[field];
        const ownLength = own?.length ?? 0;
        const isNumeric = row[2] > 0;
        const isOwnNumeric = (own?.kind ?? 0) > 0;
        if (ownLength === wanted || (field === WEEKDAY && ownLength < 3 && wanted === 3) || isNumeric !== isOwnNumeric) length = token.length;
      }
      const letter = field === HOUR || field === MONTH || field === WEEKDAY || field === YEAR ? token.letter : asked.letter;
      list.push({ letter, length });
    }
    return list;
  };

  const NAMED = { [DAY]: "day", [HOUR]: "hour", [MINUTE]: "minute", [SECOND]: "second", [MONTH]: "month", [YEAR]: "year", [PERIOD]: "dayperiod" };
  const appending = (place, fields, needed, point, keepsHour) => {
    if (needed.size === 0) return [];
    let { missing, candidate } = best(place, fields, needed);
    let list = adjusted(candidate, fields, keepsHour);
    while (missing.size > 0) {
      if (missing.has(FRACTION) && !missing.has(SECOND) && needed.has(SECOND)) {
        list = list.flatMap((token) => (token.letter === "s" ? [token, { text: point }, { letter: "S", length: fields[FRACTION].length }] : [token]));
        missing = new Set([...missing].filter((field) => field !== FRACTION));
        continue;
      }
      const next = best(place, fields, missing);
      const added = [...missing].filter((field) => !next.missing.has(field));
      if (added.length === 0) break;
      const more = adjusted(next.candidate, fields, keepsHour);
      const top = Math.max(...added);
      const pattern = text(place, "date", `append/${FIELDS[top]}`) ?? "{0} ├{2}: {1}┤";
      const name = top === FRACTION ? "F14" : text(place, "relative", `name/${NAMED[top]}`) ?? "";
      list = intl.pieces(pattern).flatMap(({ at, text: value }) => (at === 0 ? list : at === 1 ? more : [{ text: at === 2 ? name : value }]));
      missing = next.missing;
    }
    return list;
  };

  const glue = (place, style) => text(place, "date", `at/${style}`) ?? text(place, "date", `glue/${style}`);
  // A pattern for both a date and a time, of tokens for each.
  const together = (place, style, date, time, isAt = true) => {
    const pattern = isAt ? glue(place, style) : text(place, "date", `glue/${style}`);
    const list = [];
    for (const token of tokens(pattern.replace(/\{(\d)\}/g, "{$1}"))) {
      if (token.text === undefined) {
        list.push(token);
        continue;
      }
      for (const { at, text: value } of intl.pieces(token.text)) list.push(...(at === undefined ? [{ text: value }] : at === 0 ? time : date));
    }
    return list;
  };

  // The tokens of the best pattern for a skeleton. Hours are as long as it has them, or as the locale has.
  const find = (place, skeleton, point, keepsHour = false) =>
    remembered(`found ${place} ${skeleton} ${point} ${keepsHour}`, () => findAnew(place, skeleton, point, keepsHour));
  const findAnew = (place, skeleton, point, keepsHour) => {
    const { fields } = skeletonOf(skeleton);
    const all = new Set(FIELDS.keys());
    const { missing, candidate } = best(place, fields, all);
    if (missing.size === 0) {
      return adjusted(candidate, fields, keepsHour);
    }
    const needed = (isDate) => new Set([...FIELDS.keys()].filter((field) => fields[field] !== undefined && DATE.has(field) === isDate));
    const date = appending(place, fields, needed(true), point, keepsHour);
    const time = appending(place, fields, needed(false), point, keepsHour);
    if (date.length === 0) return time;
    if (time.length === 0) return date;
    const month = fields[MONTH];
    const style = month?.length === 4 ? (fields[WEEKDAY] === undefined ? "long" : "full") : month?.length === 3 ? "medium" : "short";
    return together(place, style, date, time);
  };

  // How hours are counted where nothing says it: h, H, K or k.
  const usualHour = (locale) => {
    const hours = supplemental("hours", `${locale.language}-${locale.region}`) ?? supplemental("hours", locale.region) ?? supplemental("hours", "001");
    return hours[0];
  };

  // The pattern with hours counted in that way.
  const withHour = (list, hour) => list.map((token) => (/^[hHkK]$/.test(token.letter ?? "") ? { ...token, letter: hour } : token));

  return { datePatterns: { adjusted, candidates, find, FIELDS, skeletonOf, together, tokens, usualHour, withHour, written } };
};
