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

  const DATE = ["weekday", "year", "month", "day"];
  const TIME = ["dayPeriod", "hour", "minute", "second", "fractionalSecondDigits"];
  // The fields of which one must be there, and those that are usual where none is.
  const REQUIRED = { date: DATE, time: TIME, any: [...DATE, ...TIME], yearMonth: ["year", "month"], monthDay: ["month", "day"] };
  const USUAL = {
    date: { year: "numeric", month: "numeric", day: "numeric" }, time: { hour: "numeric", minute: "numeric", second: "numeric" },
    yearMonth: { year: "numeric", month: "numeric" }, monthDay: { month: "numeric", day: "numeric" },
  };
  USUAL.all = { ...USUAL.date, ...USUAL.time };
  const has = (fields, required) => REQUIRED[required].some((name) => fields[name] !== undefined);

  const readFields = (service, options) => {
    const fields = {};
    for (const name of NAMES) {
      if (name === "timeZoneName") {
        const fraction = wholeNumber(options, "fractionalSecondDigits", 1, 3, undefined);
        if (fraction !== undefined) fields.fractionalSecondDigits = fraction;
      }
      const value = choice(service, options, name, FIELDS[name], undefined);
      if (value !== undefined) fields[name] = value;
    }
    return fields;
  };
  // The fields to show, after the defaults for those that are absent.
  const completed = (fields, required, defaults) => {
    if (has(fields, required)) return fields;
    const zone = defaults === "zoned" && fields.timeZoneName === undefined ? { timeZoneName: "short" } : {};
    return { ...fields, ...(defaults === "zoned" ? USUAL.all : USUAL[defaults]), ...zone };
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
  const styled = (locale, { dateStyle, timeStyle }, letter, point, hasZone = true) => {
    const { place } = locale;
    const of = (kind, style) => datePatterns.tokens(intl.text(place, "date", `${kind}/${style}`));
    let list;
    if (timeStyle === undefined) return of("date", dateStyle);
    let time = of("time", timeStyle);
    if (!hasZone && time.some(({ letter: one }) => ZONES.includes(one))) {
      time = datePatterns.withHour(datePatterns.find(place, skeletonFrom(time.filter(({ letter: one }) => !ZONES.includes(one))), point), letter);
    }
    list = dateStyle === undefined ? time : datePatterns.together(place, dateStyle, of("date", dateStyle), time);
    const hour = time.find((token) => /^[hHkK]$/.test(token.letter ?? ""))?.letter;
    if (hour === letter) return list;
    // What has hours counted in another way is another pattern.
    const skeleton = list.filter((token) => token.letter !== undefined && !"abB".includes(token.letter))
      .map((token) => (/[hHkK]/.test(token.letter) ? letter : token.letter).repeat(token.length)).join("");
    return datePatterns.withHour(datePatterns.find(place, skeleton, "."), letter);
  };

  // What is asked for, read once.
  const ask = (service, locale, options, required) => {
    const { calendar: given } = options;
    const calendar = given === undefined ? undefined : `${given}`;
    if (calendar !== undefined && !/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/i.test(calendar)) throw new primordials.RangeError(`Invalid calendar : ${calendar}`);
    const isIso = (calendar ?? locale.keywords.ca)?.toLowerCase() === "iso8601";
    const { system, keyword } = intl.numberingSystem(locale, options);
    const { hour12 } = options;
    const cycle = choice(service, options, "hourCycle", ["h11", "h12", "h23", "h24"], undefined);
    const zone = zones.find(options.timeZone === undefined ? "UTC" : options.timeZone);
    const styles = readStyles(service, options, required);
    const fields = styles === undefined ? readFields(service, options) : {};
    const point = intl.text(locale.place, "number", `${system}/decimal`) ?? intl.text(locale.place, "number", "latn/decimal");
    return { locale, system, keyword, hour12, cycle, zone, styles, fields, point, isIso };
  };
  const read = (service, locale, options, required, defaults) => {
    const asked = ask(service, locale, options, required);
    const { system, keyword, hour12, zone, styles, point } = asked;
    const fields = styles === undefined ? completed(asked.fields, required, defaults) : {};
    const hasHour = fields.hour !== undefined || styles?.timeStyle !== undefined;
    const cycle = hasHour ? cycleOf(locale, hour12, asked.cycle) : undefined;
    const letter = LETTERS[cycle ?? cycleOf(locale)];
    const { list, skeleton } = patternOf(asked, fields, styles, letter);
    const { ca, hc } = locale.keywords;
    const kept = { ca: ca === "gregory" ? ca : undefined, hc: LETTERS[hc] && hour12 === undefined && (asked.cycle ?? hc) === hc ? hc : undefined, nu: keyword };
    const resolved = { locale: intl.tagWith(locale.tag, kept), calendar: "gregory", numberingSystem: system, timeZone: zone.name };
    if (cycle !== undefined) Object.assign(resolved, { hourCycle: cycle, hour12: cycle < "h20" });
    const { dateStyle, timeStyle } = styles ?? {};
    const shown = styles === undefined ? fieldsOf(list, fields) : { ...(dateStyle && { dateStyle }), ...(timeStyle && { timeStyle }) };
    return { resolved: { ...resolved, ...shown }, zone, system, list, letter, point, skeleton, asked };
  };
  // The pattern for styles or fields, and what it was found by.
  const patternOf = ({ locale, point }, fields, styles, letter, hasZone = true) => {
    if (styles !== undefined) {
      const list = styled(locale, styles, letter, point, hasZone);
      return { list, skeleton: skeletonFrom(list) };
    }
    const skeleton = skeletonOf(fields, letter);
    return { list: datePatterns.withHour(datePatterns.find(locale.place, skeleton, point), letter), skeleton };
  };
  const letterOf = ({ locale, hour12, cycle }) => LETTERS[cycleOf(locale, hour12, cycle)];
  const ZONES = ["z", "O", "v"];
  const skeletonFrom = (list) => {
    let skeleton = "";
    for (const { letter, length } of list) {
      if (letter !== undefined && letter !== "a") skeleton += ({ L: "M", c: "E" }[letter] ?? letter).repeat(length);
    }
    return skeleton;
  };

  return { dateOptions: { read, completed, fieldsOf: (list) => fieldsOf(list, {}), has, letterOf, patternOf } };
};
