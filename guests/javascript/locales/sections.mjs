// What of CLDR is in each section.

export const NAMES = [
  "number", "compact", "symbol", "narrow", "money", "long", "short", "slim", "date", "skeleton", "interval",
  "zone", "city", "list", "relative", "language", "region", "script", "display",
];

// Sections that are compressed together, as they are used together.
const GROUPS = { money: "money", long: "units", short: "units", slim: "units", zone: "zones", city: "zones", language: "names", region: "names", script: "names", display: "names" };
export const groupOf = (name) => GROUPS[name] ?? (NAMES.includes(name) ? "formats" : "supplemental");

// Sections whose keys a locale either has or not: what is missing is not the parent's.
export const isWhole = (name) => name === "skeleton" || name === "interval" || name === "zone";

const json = (value) => JSON.stringify(value);
// A form for each plural category, of keys that begin and end like this.
const plurals = (object, before, after = "") => {
  const forms = {};
  for (const [key, value] of Object.entries(object ?? {})) {
    if (key.startsWith(`${before}-count-`) && key.endsWith(after)) forms[key.slice(before.length + 7, key.length - after.length || undefined)] = value;
  }
  return Object.keys(forms).length === 0 ? undefined : forms;
};
const put = (section, key, value) => {
  if (value !== undefined && value !== "") section[key] = typeof value === "string" ? value : json(value);
};

const SYMBOLS = {
  decimal: "decimal", group: "group", plusSign: "plus", minusSign: "minus", percentSign: "percent", exponential: "exponential", infinity: "infinity", nan: "nan",
  approximatelySign: "approximately", timeSeparator: "time", currencyDecimal: "currencyDecimal", currencyGroup: "currencyGroup",
};

const numbers = (source, tag, sections) => {
  const { numbers } = source.main("numbers", tag, "numbers");
  const section = (sections.number = {});
  const compact = (sections.compact = {});
  put(section, "system", numbers.defaultNumberingSystem);
  put(section, "native", numbers.otherNumberingSystems?.native);
  put(section, "traditional", numbers.otherNumberingSystems?.traditional);
  put(section, "finance", numbers.otherNumberingSystems?.finance);
  put(section, "grouping", numbers.minimumGroupingDigits);
  for (const name of Object.keys(numbers)) {
    const system = /^symbols-numberSystem-(\w+)$/.exec(name)?.[1];
    if (system === undefined) continue;
    const of = (kind) => numbers[`${kind}-numberSystem-${system}`];
    for (const [symbol, key] of Object.entries(SYMBOLS)) put(section, `${system}/${key}`, of("symbols")[symbol]);
    put(section, `${system}/decimalFormat`, of("decimalFormats")?.standard);
    put(section, `${system}/percentFormat`, of("percentFormats")?.standard);
    put(section, `${system}/scientificFormat`, of("scientificFormats")?.standard);
    put(section, `${system}/range`, of("miscPatterns")?.range);
    const money = of("currencyFormats") ?? {};
    put(section, `${system}/standard`, money.standard);
    put(section, `${system}/standardAlpha`, money["standard-alphaNextToNumber"]);
    put(section, `${system}/accounting`, money.accounting);
    put(section, `${system}/accountingAlpha`, money["accounting-alphaNextToNumber"]);
    put(section, `${system}/before`, money.currencySpacing?.beforeCurrency.insertBetween);
    put(section, `${system}/after`, money.currencySpacing?.afterCurrency.insertBetween);
    put(section, `${system}/priced`, plurals(money, "unitPattern"));
    for (let zeros = 3; zeros < 15; zeros++) {
      const power = `1${"0".repeat(zeros)}`;
      put(compact, `${system}/short/${zeros}`, plurals(of("decimalFormats")?.short?.decimalFormat, power));
      put(compact, `${system}/long/${zeros}`, plurals(of("decimalFormats")?.long?.decimalFormat, power));
      put(compact, `${system}/money/${zeros}`, plurals(money.short?.standard, power));
      put(compact, `${system}/moneyAlpha/${zeros}`, plurals(money.short?.standard, power, "-alt-alphaNextToNumber"));
    }
  }
};

const currencies = (source, tag, sections, codes) => {
  const { currencies } = source.main("numbers", tag, "currencies").numbers;
  Object.assign(sections, { symbol: {}, narrow: {}, money: {} });
  for (const code of codes) {
    const of = currencies[code];
    if (of === undefined) continue;
    put(sections.symbol, code, of.symbol);
    put(sections.narrow, code, of["symbol-alt-narrow"]);
    if (of.displayName === undefined) continue;
    const forms = plurals(of, "displayName") ?? {};
    const isSame = Object.values(forms).every((name) => name === of.displayName);
    put(sections.money, code, isSame ? [of.displayName, {}] : [of.displayName, forms]);
  }
};

export const UNITS = (
  "acre bit byte celsius centimeter day degree fahrenheit fluid-ounce foot gallon gigabit gigabyte gram hectare hour inch kilobit kilobyte kilogram kilometer " +
  "liter megabit megabyte meter microsecond mile mile-scandinavian milliliter millimeter millisecond minute month nanosecond ounce percent petabyte pound second " +
  "stone terabit terabyte week yard year"
).split(" ");

const units = (source, tag, sections) => {
  const { units } = source.main("units", tag, "units");
  for (const [width, name] of [["long", "long"], ["short", "short"], ["narrow", "slim"]]) {
    const section = (sections[name] = {});
    put(section, "per", units[width].per?.compoundUnitPattern);
    for (const [key, of] of Object.entries(units[width])) {
      const unit = key.slice(key.indexOf("-") + 1);
      const parts = unit.split("-per-");
      if (!parts.every((part) => UNITS.includes(part)) || parts.length > 2) continue;
      const forms = plurals(of, "unitPattern");
      if (forms === undefined) continue;
      put(section, unit, of.perUnitPattern === undefined ? [forms] : [forms, of.perUnitPattern]);
    }
  }
};

const WIDTHS = ["abbreviated", "wide", "narrow", "short"];
const names = (section, prefix, of) => {
  for (const context of ["format", "stand-alone"]) {
    for (const width of WIDTHS) {
      const list = of?.[context]?.[width];
      if (list !== undefined) put(section, `${prefix}/${context}/${width}`, Object.values(list).join("\t"));
    }
  }
};

const patterns = (section, calendar) => {
  for (const length of ["full", "long", "medium", "short"]) {
    const text = (value) => (typeof value === "object" ? value._value : value);
    put(section, `date/${length}`, text(calendar.dateFormats[length]));
    put(section, `time/${length}`, text(calendar.timeFormats?.[length]));
    put(section, `glue/${length}`, text(calendar.dateTimeFormats[length]));
    put(section, `at/${length}`, text(calendar["dateTimeFormats-atTime"]?.standard?.[length]));
  }
};

const available = (formats) => {
  const section = {};
  for (const [skeleton, pattern] of Object.entries(formats)) {
    if (/-alt-|-count-|[QwW]/.test(skeleton)) continue;
    put(section, skeleton, pattern);
  }
  return section;
};

const intervals = (formats) => {
  const section = {};
  for (const [skeleton, of] of Object.entries(formats)) {
    if (typeof of === "string") {
      put(section, "fallback", of);
      continue;
    }
    put(section, skeleton, Object.fromEntries(Object.entries(of).filter(([field]) => field.length === 1)));
  }
  return section;
};

const dates = (source, tag, sections) => {
  const calendar = source.main("dates", tag, "ca-gregorian").dates.calendars.gregorian;
  const section = (sections.date = {});
  names(section, "month", calendar.months);
  names(section, "day", calendar.days);
  for (const context of ["format", "stand-alone"]) {
    for (const width of ["abbreviated", "wide", "narrow"]) {
      const periods = Object.entries(calendar.dayPeriods?.[context]?.[width] ?? {}).filter(([name]) => !name.includes("-alt-"));
      if (periods.length > 0) put(section, `period/${context}/${width}`, Object.fromEntries(periods));
    }
  }
  const eras = calendar.eras ?? {};
  put(section, "era/long", [eras.eraNames?.["0"], eras.eraNames?.["1"]].join("\t"));
  put(section, "era/short", [eras.eraAbbr?.["0"], eras.eraAbbr?.["1"]].join("\t"));
  put(section, "era/narrow", [eras.eraNarrow?.["0"], eras.eraNarrow?.["1"]].join("\t"));
  patterns(section, calendar);
  put(section, "append/zone", calendar.dateTimeFormats.appendItems.Timezone);
  put(section, "append/era", calendar.dateTimeFormats.appendItems.Era);
  put(section, "append/weekday", calendar.dateTimeFormats.appendItems["Day-Of-Week"]);
  for (const [key, name] of [["Day", "day"], ["Hour", "hour"], ["Minute", "minute"], ["Second", "second"], ["Month", "month"], ["Year", "year"]]) put(section, `append/${name}`, calendar.dateTimeFormats.appendItems[key]);
  sections.skeleton = available(calendar.dateTimeFormats.availableFormats);
  sections.interval = intervals(calendar.dateTimeFormats.intervalFormats);
};

const zones = (source, tag, sections) => {
  const { timeZoneNames } = source.main("dates", tag, "timeZoneNames").dates;
  Object.assign(sections, { zone: {}, city: {} });
  for (const [key, name] of [["hourFormat", "hour"], ["gmtFormat", "gmt"], ["gmtZeroFormat", "zero"], ["regionFormat", "region"], ["fallbackFormat", "fallback"]]) {
    put(sections.zone, name, timeZoneNames[key]);
  }
  const absent = (name) => (name === "∅∅∅" ? undefined : name);
  const forms = (of) => {
    const list = [];
    for (const width of ["long", "short"]) for (const kind of ["generic", "standard", "daylight"]) list.push(absent(of[width]?.[kind]) ?? "");
    return list.join("").length === 0 ? undefined : list.join("\t").replace(/\t+$/, "");
  };
  for (const [name, of] of Object.entries(timeZoneNames.metazone ?? {})) put(sections.zone, `meta:${name}`, forms(of));
  const walk = (of, path) => {
    if (typeof of !== "object") return;
    if (of._type === "zone" || of.exemplarCity !== undefined || of.long !== undefined || of.short !== undefined) {
      put(sections.zone, path, forms(of));
      put(sections.city, path, of.exemplarCity);
      return;
    }
    for (const [name, inner] of Object.entries(of)) walk(inner, path === "" ? name : `${path}/${name}`);
  };
  walk(timeZoneNames.zone ?? {}, "");
};

const lists = (source, tag, sections) => {
  const { listPatterns } = source.main("misc", tag, "listPatterns");
  sections.list = {};
  for (const [key, of] of Object.entries(listPatterns)) put(sections.list, key.replace("listPattern-type-", ""), [of.start, of.middle, of.end, of["2"]].join("\t"));
};

const FIELDS = ["year", "quarter", "month", "week", "day", "hour", "minute", "second"];
const NAMED = ["era", "year", "quarter", "month", "week", "weekday", "day", "dayperiod", "hour", "minute", "second", "zone"];
const relative = (source, tag, sections) => {
  const { fields } = source.main("dates", tag, "dateFields").dates;
  sections.relative = {};
  for (const width of ["", "-short", "-narrow"]) {
    for (const field of FIELDS) {
      const of = fields[field + width];
      const named = {};
      for (const [key, value] of Object.entries(of)) if (key.startsWith("relative-type-")) named[key.slice(14)] = value;
      put(sections.relative, field + width, [named, plurals(of["relativeTime-type-past"], "relativeTimePattern") ?? {}, plurals(of["relativeTime-type-future"], "relativeTimePattern") ?? {}]);
    }
    for (const field of NAMED) put(sections.relative, `name/${field}${width}`, fields[field + width]?.displayName);
  }
};

const displayed = (source, tag, sections) => {
  const of = (file) => source.main("localenames", tag, file)?.localeDisplayNames ?? {};
  const list = (names) => Object.fromEntries(Object.entries(names ?? {}).filter(([key]) => !/-alt-(variant|secondary|stand-alone|menu|core|extension|biot|chagos|official)/.test(key)));
  sections.language = list(of("languages").languages);
  sections.region = list(of("territories").territories);
  for (const key of Object.keys(sections.region)) if (/^[A-Z]{2}[a-z]|^\d{3}.+/.test(key)) delete sections.region[key];
  sections.script = list(of("scripts").scripts);
  const display = of("localeDisplayNames");
  sections.display = {};
  put(sections.display, "pattern", display.localeDisplayPattern?.localePattern);
  put(sections.display, "separator", display.localeDisplayPattern?.localeSeparator);
  for (const [key, name] of Object.entries(display.types?.calendar ?? {})) if (!key.includes("-alt-")) put(sections.display, `calendar/${key}`, name);
};

let codes;
export const of = (source, tag) => {
  codes ??= Object.keys(source.main("numbers", "en", "currencies").numbers.currencies);
  const sections = {};
  numbers(source, tag, sections);
  currencies(source, tag, sections, codes);
  units(source, tag, sections);
  dates(source, tag, sections);
  zones(source, tag, sections);
  lists(source, tag, sections);
  relative(source, tag, sections);
  displayed(source, tag, sections);
  return sections;
};

// What is no locale's.
export const supplemental = (source) => {
  const sections = { digits: {}, places: {}, hours: {}, calendar: {}, metazone: {}, alias: {}, periods: {}, territory: {}, golden: {}, primary: {}, default: {}, tender: {} };
  for (const [name, { _type, _digits }] of Object.entries(source.core("numberingSystems").numberingSystems)) if (_type === "numeric") sections.digits[name] = _digits;
  for (const [code, { _digits }] of Object.entries(source.core("currencyData").currencyData.fractions)) sections.places[code] = _digits;
  for (const list of Object.values(source.core("currencyData").currencyData.region)) {
    for (const of of list) for (const [code, { _to, _tender }] of Object.entries(of)) if (_to === undefined && _tender !== "false") sections.tender[code] = "1";
  }
  for (const [key, { _preferred, _allowed }] of Object.entries(source.core("timeData").timeData)) sections.hours[key.replace("_", "-")] = `${_preferred} ${_allowed}`;
  for (const [region, preferred] of Object.entries(source.core("calendarPreferenceData").calendarPreferenceData)) put(sections.calendar, region, [preferred].flat().join(" "));
  const { metazoneInfo, metazones } = source.core("metaZones").metaZones;
  const walk = (of, path) => {
    if (!Array.isArray(of)) {
      for (const [name, inner] of Object.entries(of)) walk(inner, path === "" ? name : `${path}/${name}`);
      return;
    }
    const minutes = (text) => (text === undefined ? "" : Date.parse(`${text.replace(" ", "T")}Z`) / 60_000);
    sections.metazone[path] = of.map(({ usesMetazone: { _mzone, _from, _to } }, i) => {
      // Where one ends and no other begins, there is none.
      const ends = _to !== undefined && of[i + 1]?.usesMetazone._from !== _to;
      return `${_mzone}\t${minutes(_from)}${ends ? `\t\t${minutes(_to)}` : ""}`;
    }).join("\t");
  };
  walk(metazoneInfo.timezone, "");
  for (const { mapZone: { _other, _type, _territory } } of metazones) sections.golden[`${_other}/${_territory}`] = _type;
  for (const [key, of] of Object.entries(source.bcp47("timezone").tz)) {
    if (typeof of !== "object" || of._alias === undefined) continue;
    const [canonical, ...others] = of._alias.split(" ");
    for (const other of others) sections.alias[other] = canonical;
    if (/^[a-z]{2}/.test(key) && key.length === 5) sections.territory[canonical] = key.slice(0, 2).toUpperCase();
  }
  for (const tag of source.content()) sections.default[tag] = "1";
  for (const [tag, rules] of Object.entries(source.core("dayPeriods").dayPeriodRuleSet)) put(sections.periods, tag, rules);
  for (const [region, zone] of Object.entries(source.core("primaryZones").primaryZones)) sections.primary[region] = typeof zone === "string" ? zone : json(zone);
  return sections;
};
