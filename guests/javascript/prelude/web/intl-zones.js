// Time zones: their offsets, and what people call them.

export default ({ native, primordials, intl }) => {
  const { RangeError } = primordials;
  const { zoneName, zoneOffset } = native;
  const { entries, supplemental, text } = intl;
  const UTC = /^(Etc\/)?(UTC|UCT|GMT|GMT[+-]?0|Greenwich|Universal|Zulu)$/;

  const pad = (value) => `${value}`.padStart(2, "0");

  // The zone that an option names: its identifier, and a fixed offset in seconds if it is one.
  const find = (option) => {
    const name = `${option}`;
    const offset = /^([+-])([01]\d|2[0-3])(?::?([0-5]\d))?$/.exec(name);
    if (offset !== null) {
      const [, sign, hours, minutes = "00"] = offset;
      const seconds = (Number(hours) * 60 + Number(minutes)) * 60;
      return { name: `${seconds === 0 ? "+" : sign}${hours}:${minutes}`, fixed: sign === "-" ? -seconds : seconds };
    }
    const known = zoneName(name);
    if (known === undefined) throw new RangeError(`Invalid time zone specified: ${name}`);
    if (UTC.test(known)) return { name: "UTC", fixed: 0 };
    return { name: known };
  };

  // How far from UTC it is at a time, in seconds, and whether that is summer time.
  const at = (zone, time) => {
    if (zone.fixed !== undefined) return { offset: zone.fixed, isSummer: false };
    const both = zoneOffset(zone.name, time);
    const offset = Math.floor(both / 2);
    return { offset, isSummer: both - offset * 2 === 1 };
  };

  // The name that CLDR knows the zone by.
  const canonical = (name) => (name === "UTC" ? "Etc/UTC" : supplemental("alias", name) ?? name);

  const metazone = (name, time) => {
    const periods = supplemental("metazone", canonical(name))?.split("\t");
    let found;
    for (let i = 0; periods !== undefined && i < periods.length; i += 2) {
      if (periods[i + 1] === "" || time >= Number(periods[i + 1]) * 60_000) found = periods[i];
    }
    return found === "" ? undefined : found;
  };

  // GMT+5:30, GMT-05:00
  const gmt = (place, system, offset, isLong) => {
    const [plus, minus] = (text(place, "zone", "hour") ?? "+HH:mm;-HH:mm").split(";");
    const all = Math.abs(offset);
    const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
    const [, sign, hour, separator, after] = /^(.*?)(H+)(\W*)mm(.*)$/s.exec(offset < 0 ? minus : plus);
    const digits = (value) => intl.inDigits(system, value);
    let shown = sign + digits(isLong ? pad(hours) : `${hours}`);
    if (isLong || minutes > 0 || seconds > 0) shown += separator + digits(pad(minutes));
    if (seconds > 0) shown += separator + digits(pad(seconds));
    const isWhole = isLong || minutes > 0 || seconds > 0;
    return (text(place, "zone", "gmt") ?? "GMT{0}").replace("{0}", isWhole ? shown + after : shown);
  };

  // Kinds of names, in the order of the data.
  const KINDS = { longGeneric: 0, longStandard: 1, longDaylight: 2, shortGeneric: 3, shortStandard: 4, shortDaylight: 5 };
  const named = (place, key, kind) => text(place, "zone", key)?.split("\t")[KINDS[kind]] || undefined;
  const nameOf = (place, zone, time, kind) => {
    const own = named(place, canonical(zone.name), kind);
    if (own !== undefined) return own;
    const meta = metazone(zone.name, time);
    return meta === undefined ? undefined : named(place, `meta:${meta}`, kind);
  };

  const HALF_YEAR = 184 * 86_400_000;
  const location = (locale, zone) => {
    const name = canonical(zone.name);
    const region = supplemental("territory", name);
    const { place } = locale;
    const inRegion = () => entries(locale.root, "territory").filter(([, other]) => other === region).length;
    const isOnly = region !== undefined && (supplemental("primary", region) === name || inRegion() === 1);
    const country = isOnly ? text(place, "region", region) : undefined;
    const city = country ?? text(place, "city", name) ?? name.slice(name.lastIndexOf("/") + 1).replaceAll("_", " ");
    return (text(place, "zone", "region") ?? "{0}").replace("{0}", city);
  };
  const generic = (locale, zone, time, width, now) => {
    const { place } = locale;
    const meta = metazone(zone.name, time);
    if (meta === undefined && named(place, canonical(zone.name), `${width}Generic`) === undefined) return undefined;
    let name = nameOf(place, zone, time, `${width}Generic`);
    const changes = now.isSummer || at(zone, time - HALF_YEAR).isSummer || at(zone, time + HALF_YEAR).isSummer;
    if (!changes) {
      const standard = nameOf(place, zone, time, `${width}Standard`);
      if (standard !== undefined && (name === undefined || standard !== name)) return standard;
    }
    if (name === undefined) return undefined;
    const golden = supplemental("golden", `${meta}/${locale.region}`) ?? supplemental("golden", `${meta}/001`);
    if (golden !== undefined && golden !== canonical(zone.name)) {
      const usual = at({ name: golden }, time);
      if (usual.offset !== now.offset || usual.isSummer !== now.isSummer) {
        const city = text(place, "city", canonical(zone.name)) ?? canonical(zone.name).split("/").at(-1).replaceAll("_", " ");
        name = (text(place, "zone", "fallback") ?? "{1} ({0})").replace("{1}", name).replace("{0}", city);
      }
    }
    return name;
  };

  // What a zone is called at a time.
  const display = (locale, system, zone, time, style) => {
    const now = at(zone, time);
    const short = () => gmt(locale.place, system, now.offset, false);
    const long = () => gmt(locale.place, system, now.offset, true);
    const isOffset = zone.fixed !== undefined && zone.name !== "UTC";
    if (style === "shortOffset") return short();
    if (style === "longOffset") return long();
    const isNamed = style === "short" || style === "long";
    if (isOffset && !(isNamed && zone.fixed === 0)) return style.startsWith("short") ? short() : long();
    if (isNamed) {
      // The offset of zero is called what it is called in Greenwich.
      const name = nameOf(locale.place, isOffset ? { name: "Etc/GMT" } : zone, time, `${style}${now.isSummer ? "Daylight" : "Standard"}`);
      return name ?? (style === "short" ? short() : long());
    }
    if (zone.name === "UTC") return style === "shortGeneric" ? short() : long();
    const width = style === "shortGeneric" ? "short" : "long";
    return generic(locale, zone, time, width, now) ?? location(locale, zone);
  };

  return { zones: { at, find, display } };
};
