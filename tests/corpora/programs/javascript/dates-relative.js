const now = Date.UTC(2024, 1, 29, 12);
const units = [["year", 31536e6], ["month", 2592e6], ["week", 6048e5], ["day", 864e5], ["hour", 36e5], ["minute", 6e4], ["second", 1e3]];
function relative(then, locale = "en", options = { numeric: "auto" }) {
  const difference = then - now;
  const [unit, size] = units.find(([, size]) => Math.abs(difference) >= size) ?? ["second", 1000];
  return new Intl.RelativeTimeFormat(locale, options).format(Math.round(difference / size), unit);
}
const moments = { soon: now + 30e3, "an hour ago": now - 36e5, yesterday: now - 864e5, "next week": now + 8 * 864e5, "two months": now - 62 * 864e5, "last year": now - 400 * 864e5 };
for (const [name, then] of Object.entries(moments)) console.log(name.padEnd(12), ["en", "de", "fr", "ja", "ar"].map((l) => relative(then, l)).join(" | "));
console.log(relative(now + 3 * 864e5, "pl", { numeric: "always", style: "short" }), relative(now, "es"), relative(now - 2 * 864e5, "ru"));
console.log(new Intl.RelativeTimeFormat("en").formatToParts(-1234.5, "days"));
for (const bad of [[1, "fortnight"], [Infinity, "day"]]) try { new Intl.RelativeTimeFormat("en").format(...bad); } catch (error) { console.log(error.name, error.message); }
const plural = new Intl.PluralRules("ru"), forms = { one: "день", few: "дня", many: "дней", other: "дня" };
console.log([1, 2, 5, 21, 1.5].map((n) => `${n} ${forms[plural.select(n)]}`), new Intl.PluralRules("en", { type: "ordinal" }).select(23), new Intl.PluralRules("ar").resolvedOptions().pluralCategories);
console.log(new Intl.ListFormat("de", { type: "conjunction" }).format(["Mo", "Di", "Mi"]), new Intl.ListFormat("en", { type: "disjunction", style: "short" }).format(["a", "b", "c"]), new Intl.ListFormat("ja").format(["一", "二"]), new Intl.ListFormat("en", { type: "unit", style: "narrow" }).format(["1h", "2m"]));
