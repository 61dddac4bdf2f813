// The options of Intl.DateTimeFormat, checked and with what is usual for those that are absent.

export default ({ primordials, intl, zones, datePatterns }) => {
  const { TypeError } = primordials;
  const { choice, wholeNumber } = intl;
  const FIELDS = {
    weekday: ["narrow", "short", "long"], era: ["narrow", "short", "long"], year: ["2-digit", "numeric"],
    month: ["2-digit", "numeric", "narrow", "short", "long"], day: ["2-digit", "numeric"],
    dayPeriod: ["narrow", "short", "long"], hour: ["2-digit", "numeric"], minute: ["2-digit", "numeric"], second: ["2-digit", "numeric"],
    timeZoneName: ["short", "long", "shortOffset", "longOffset", "shortGeneric", "longGeneric"],
  };
  const NAMES = Object.keys(FIELDS);

  // The fields to show, after the defaults for those that are absent.
  const readFields = (service, options, required, defaults) => {
    const fields = {};
    for (const name of NAMES) {
      if (name === "timeZoneName") {
        const fraction = wholeNumber(options, "fractionalSecondDigits", 1, 3, undefined);
        if (fraction !== undefined) fields.fractionalSecondDigits = fraction;
      }
      const value = choice(service, options, name, FIELDS[name], undefined);
      if (value !== undefined) fields[name] = value;
    }
    const has = (...names) => names.some((name) => fields[name] !== undefined);
    const hasDate = required !== "time" && has("weekday", "year", "month", "day");
    const hasTime = required !== "date" && has("dayPeriod", "hour", "minute", "second", "fractionalSecondDigits");
    if (!hasDate && !hasTime) {
      if (defaults !== "time") Object.assign(fields, { year: "numeric", month: "numeric", day: "numeric" });
      if (defaults !== "date") Object.assign(fields, { hour: "numeric", minute: "numeric", second: "numeric" });
    }
    return fields;
  };

  const readStyles = (service, options, required) => {
    const styles = ["full", "long", "medium", "short"];
    const dateStyle = choice(service, options, "dateStyle", styles, undefined);
    const timeStyle = choice(service, options, "timeStyle", styles, undefined);
    if (dateStyle === undefined && timeStyle === undefined) return undefined;
    if (required === "date" && timeStyle !== undefined) throw new TypeError("Invalid option : timeStyle");
    if (required === "time" && dateStyle !== undefined) throw new TypeError("Invalid option : dateStyle");
    for (const name of [...NAMES, "fractionalSecondDigits"]) {
      if (options[name] !== undefined) throw new TypeError(`Can't set option ${name} when ${dateStyle === undefined ? "timeStyle" : "dateStyle"} is used`);
    }
    return { dateStyle, timeStyle };
  };

  const LETTERS = { h11: "K", h12: "h", h23: "H", h24: "k" };
  const CYCLES = { K: "h11", h: "h12", H: "h23", k: "h24" };
  // How hours are counted, as V8 does it.
  const cycleOf = (locale, hour12, cycle) => {
    const usual = CYCLES[datePatterns.usualHour(locale)];
    const isJapan = locale.region === "JP";
    if (hour12 === undefined) return cycle ?? (LETTERS[locale.keywords.hc] && locale.keywords.hc) ?? usual;
    if (hour12) return usual < "h20" ? usual : isJapan ? "h11" : "h12";
    return usual > "h20" ? usual : isJapan ? "h23" : "h24";
  };

  const SKELETON = {
    weekday: { narrow: "EEEEE", short: "EEE", long: "EEEE" }, era: { narrow: "GGGGG", short: "GGG", long: "GGGG" }, year: { "2-digit": "yy", numeric: "y" },
    month: { "2-digit": "MM", numeric: "M", narrow: "MMMMM", short: "MMM", long: "MMMM" }, day: { "2-digit": "dd", numeric: "d" },
    dayPeriod: { narrow: "BBBBB", short: "B", long: "BBBB" }, minute: { "2-digit": "mm", numeric: "m" }, second: { "2-digit": "ss", numeric: "s" },
    timeZoneName: { short: "z", long: "zzzz", shortOffset: "O", longOffset: "OOOO", shortGeneric: "v", longGeneric: "vvvv" },
  };
  const skeletonOf = (fields, letter) => {
    let skeleton = "";
    for (const name of ["weekday", "era", "year", "month", "day", "dayPeriod", "hour", "minute", "second", "fractionalSecondDigits", "timeZoneName"]) {
      if (fields[name] === undefined) continue;
      if (name === "hour") skeleton += letter.repeat(fields.hour === "2-digit" ? 2 : 1);
      else if (name === "fractionalSecondDigits") skeleton += "S".repeat(fields[name]);
      // Parts of the day are only there beside hours to twelve.
      else if (name !== "dayPeriod" || fields.hour === undefined || letter === "h" || letter === "K") skeleton += SKELETON[name][fields[name]];
    }
    return skeleton;
  };

  // What fields a pattern has, as options.
  const FOUND = {
    G: "era", y: "year", M: "month", L: "month", E: "weekday", c: "weekday", e: "weekday", d: "day", B: "dayPeriod", h: "hour", H: "hour", K: "hour", k: "hour",
    m: "minute", s: "second", z: "timeZoneName", O: "timeZoneName", v: "timeZoneName",
  };
  const fieldsOf = (tokens, asked) => {
    const found = {};
    for (const { letter, length } of tokens) {
      const name = FOUND[letter];
      if (letter === "S") found.fractionalSecondDigits = length;
      if (name === undefined) continue;
      if (name === "timeZoneName") found[name] = asked.timeZoneName;
      else if (length >= 3) found[name] = length === 4 ? "long" : length === 5 ? "narrow" : "short";
      else found[name] = name === "era" || name === "weekday" || name === "dayPeriod" ? (asked[name] ?? "short") : length === 2 ? "2-digit" : "numeric";
    }
    const ordered = {};
    for (const name of ["weekday", "era", "year", "month", "day", "dayPeriod", "hour", "minute", "second", "fractionalSecondDigits", "timeZoneName"]) {
      if (found[name] !== undefined) ordered[name] = found[name];
    }
    return ordered;
  };

  // The pattern of a style for dates and one for times, with hours counted as they are to be.
  const styled = (locale, { dateStyle, timeStyle }, letter) => {
    const { place } = locale;
    const of = (kind, style) => datePatterns.tokens(intl.text(place, "date", `${kind}/${style}`));
    let list;
    if (timeStyle === undefined) return of("date", dateStyle);
    const time = of("time", timeStyle);
    list = dateStyle === undefined ? time : datePatterns.together(place, dateStyle, of("date", dateStyle), time);
    const hour = time.find((token) => /^[hHkK]$/.test(token.letter ?? ""))?.letter;
    if (hour === letter) return list;
    // What has hours counted in another way is another pattern.
    const skeleton = list.filter((token) => token.letter !== undefined && !"abB".includes(token.letter))
      .map((token) => (/[hHkK]/.test(token.letter) ? letter : token.letter).repeat(token.length)).join("");
    return datePatterns.withHour(datePatterns.find(place, skeleton, "."), letter);
  };

  const read = (service, locale, options, required, defaults) => {
    const calendar = options.calendar;
    if (calendar !== undefined && !/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i.test(`${calendar}`)) throw new primordials.RangeError(`Invalid calendar : ${calendar}`);
    const { system, keyword } = intl.numberingSystem(locale, options);
    const { hour12 } = options;
    const asked = choice(service, options, "hourCycle", ["h11", "h12", "h23", "h24"], undefined);
    const zone = zones.find(options.timeZone === undefined ? "UTC" : options.timeZone);
    const styles = readStyles(service, options, required);
    const fields = styles === undefined ? readFields(service, options, required, defaults) : {};
    const hasHour = fields.hour !== undefined || styles?.timeStyle !== undefined;
    const cycle = hasHour ? cycleOf(locale, hour12, asked) : undefined;
    const letter = LETTERS[cycle ?? cycleOf(locale)];
    const point = intl.text(locale.place, "number", `${system}/decimal`) ?? intl.text(locale.place, "number", "latn/decimal");
    const skeleton = styles === undefined ? skeletonOf(fields, letter) : undefined;
    const list = styles === undefined ? datePatterns.withHour(datePatterns.find(locale.place, skeleton, point), letter) : styled(locale, styles, letter);
    const { ca, hc } = locale.keywords;
    const kept = { ca: ca === "gregory" ? ca : undefined, hc: LETTERS[hc] && hour12 === undefined && (asked ?? hc) === hc ? hc : undefined, nu: keyword };
    const resolved = { locale: intl.tagWith(locale.tag, kept), calendar: "gregory", numberingSystem: system, timeZone: zone.name };
    if (cycle !== undefined) Object.assign(resolved, { hourCycle: cycle, hour12: cycle < "h20" });
    const { dateStyle, timeStyle } = styles ?? {};
    const shown = styles === undefined ? fieldsOf(list, fields) : { ...(dateStyle && { dateStyle }), ...(timeStyle && { timeStyle }) };
    return { resolved: { ...resolved, ...shown }, zone, system, list, letter, point, skeleton: skeleton ?? skeletonFrom(list) };
  };
  const skeletonFrom = (list) => {
    let skeleton = "";
    for (const { letter, length } of list) {
      if (letter !== undefined && letter !== "a") skeleton += ({ L: "M", c: "E" }[letter] ?? letter).repeat(length);
    }
    return skeleton;
  };

  return { dateOptions: { read } };
};
