// Lists, plurals, relative times, names and orders in many locales.
// What Node 20.20 (ICU 78, CLDR 48.0) prints and the guest (CLDR 48.2, later rules of ECMA-402) prints otherwise is left out, with a reason:
// fr-CH, fr-ML, ps-PK, sr-Cyrl-ME and English of European countries changed in CLDR; pt-CV has signs of its own for one currency.
const LOCALES = (
  "af af-NA ak am ar ar-AE ar-BH ar-DJ ar-DZ ar-EG ar-EH ar-ER ar-IL ar-IQ ar-JO ar-KM ar-KW ar-LB ar-LY ar-MA ar-MR ar-OM ar-PS " +
  "ar-QA ar-SA ar-SD ar-SO ar-SS ar-SY ar-TD ar-TN ar-YE as az az-Latn ba be bg blo bn bn-IN br bs bs-Latn ca ca-AD ca-FR ceb chr cs " +
  "cv cy da da-GL de de-AT de-BE de-CH de-DE de-IT de-LI de-LU dsb el el-CY en en-001 en-AE en-AU en-CA en-GB en-US eo es es-419 " +
  "es-AR es-BO es-BR es-BZ es-CL es-CO es-CR es-CU es-DO es-EA es-EC es-ES es-GQ es-GT es-HN es-IC es-MX es-NI es-PA es-PE es-PH " +
  "es-PR es-PY es-SV es-US es-UY es-VE et eu fa fa-AF fi fil fo fo-DK fr fr-BE fr-BF fr-BI fr-BJ fr-BL fr-CA fr-CD fr-CF fr-CG fr-CI " +
  "fr-CM fr-DJ fr-DZ fr-FR fr-GA fr-GF fr-GN fr-GP fr-GQ fr-HT fr-KM fr-LU fr-MA fr-MC fr-MF fr-MG fr-MQ fr-MR fr-MU fr-NC fr-NE " +
  "fr-PF fr-PM fr-RE fr-RW fr-SC fr-SN fr-SY ga ga-GB gd gl gu ha ha-GH ha-NE he he-IL hi hi-IN hi-Latn hr hr-BA hsb hu hy ia id ig " +
  "is it it-CH it-IT it-SM ja ja-JP jv ka kk kk-Arab kk-Cyrl km kn ko ko-CN ko-KP ko-KR kok kok-Deva ky lo lt lv mi mk ml mn mr ms " +
  "ms-BN ms-ID my nb nb-SJ ne ne-IN nl nl-AW nl-BE nl-NL nn no or pa pa-Guru pcm pl pl-PL ps pt pt-AO pt-BR pt-CH pt-GQ pt-GW pt-LU " +
  "pt-MO pt-MZ pt-PT pt-ST pt-TL qu qu-BO qu-EC rm ro ro-MD ru ru-BY ru-KG ru-RU sc sd sd-Arab shn shn-TH si sk sl so so-DJ so-ET sq " +
  "sq-MK sq-XK sr sr-Cyrl sr-Cyrl-BA sr-Cyrl-XK sr-Latn sr-Latn-BA sr-Latn-ME sr-Latn-XK sr-RS sv sv-AX sv-FI sv-SE sw sw-CD sw-KE ta " +
  "ta-LK ta-MY te tg th ti ti-ER tk tr tr-CY tr-TR tt uk ur ur-IN uz uz-Latn vec vi wo xh yo yo-BJ yue yue-Hans yue-Hant zh zh-CN " +
  "zh-HK zh-Hans zh-Hans-HK zh-Hans-MO zh-Hans-MY zh-Hans-SG zh-Hant zh-Hant-HK zh-Hant-MO zh-Hant-MY zh-TW zu"
).split(" ");
let seed = 3;
const below = (count) => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
};
const pick = (list) => list[below(list.length)];
const some = (options) => Object.fromEntries(Object.entries(options).filter(() => below(2)).map(([name, values]) => [name, pick(values)]));
const shown = (make) => {
  try {
    return JSON.stringify(make());
  } catch (error) {
    return `${error.name}: ${error.message}`;
  }
};

const UNITS = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"];
const WIDTHS = ["long", "short", "narrow"];
for (let i = 0; i < 200; i++) {
  const locale = pick(LOCALES);
  const style = pick(WIDTHS);
  const type = pick(["conjunction", "disjunction", "unit"]);
  console.log(locale, style, type, shown(() => new Intl.ListFormat(locale, { style, type }).format(["a", "b", "c", "d"].slice(0, 1 + below(4)))));
  const [numeric, unit, value] = [pick(["always", "auto"]), pick(UNITS), pick([0, 1, -1, 2, -2, 5, 21, -1234.5])];
  console.log(locale, style, numeric, unit, value, shown(() => new Intl.RelativeTimeFormat(locale, { style, numeric }).format(value, unit)));
  // ICU4X has newer plurals of some languages, and newer ordinals of many.
  const kind = /^(ca|en|fr|hu|it|sv|uk|zh)\b/.test(locale) ? pick(["cardinal", "ordinal"]) : "cardinal";
  if (!/^(ba|qu|shn|tg|tt)\b/.test(locale)) console.log(locale, kind, shown(() => [0, 1, 2, 3, 5, 11, 21, 100, 1.5, 1e6].map((number) => new Intl.PluralRules(locale, { type: kind }).select(number)).join(" ")));
  console.log(locale, shown(() => [
    new Intl.DisplayNames(locale, { type: "region", style }).of(pick(["US", "DE", "JP", "419", "001"])),
    new Intl.DisplayNames(locale, { type: "language", style }).of(pick(["en", "de-AT", "zh-Hans", "pt-BR", "sr-Latn", "es-419"])),
    new Intl.DisplayNames(locale, { type: "currency" }).of(pick(["USD", "EUR", "JPY"])),
    new Intl.DisplayNames(locale, { type: "script", style }).of(pick(["Latn", "Cyrl", "Arab"])),
  ]));
}
const WORDS = ["a", "A", "ä", "Ä", "z", "å", "ö", "o", "ø", "č", "c", "d", "ch", "h", "ñ", "n", "ll", "l", "ij", "y", "я", "ж", "а", "ß", "ss", "10", "9", "é", "e", "-", " ", "あ", "ア", "漢", "字"];
for (const locale of ["en", "de", "de-u-co-phonebk", "sv", "da", "nb", "cs", "sk", "es", "es-u-co-trad", "fr", "fr-CA", "pl", "hu", "lt", "tr", "ru", "uk", "ja", "zh", "zh-Hant", "ko", "hr"]) {
  const order = (options) => [...WORDS].sort(new Intl.Collator(locale, options).compare).join(" ");
  console.log(locale, shown(() => [order(), order({ numeric: true, caseFirst: "upper" }), ["base", "accent", "case", "variant"].map((sensitivity) => ["ä", "A", "b"].map((letter) => new Intl.Collator(locale, { sensitivity }).compare("a", letter)))]));
}
console.log(["tr", "az", "lt", "el", "de", undefined].map((locale) => ["iIıİ ß ΆΣ ì".toLocaleUpperCase(locale), "IİÌ ΑΣ".toLocaleLowerCase(locale)].join(" ")).join(" | "));
for (const granularity of ["grapheme", "word", "sentence"]) {
  console.log(granularity, shown(() => [...new Intl.Segmenter("en", { granularity }).segment("Hi, wörld! It's 3.5 👩‍👩‍👧 e\u0301. Dr. Who? Yes.")].map(({ segment, isWordLike }) => (isWordLike ? `<${segment}>` : segment))));
}
for (const tag of ["EN-us", "zh-hans-cn", "de-DE-u-co-phonebk", "iw", "sr-Latn-RS-u-nu-latn", "en_US", "x", "cmn", "art-lojban", "de-1996", "sl-rozaj-biske"]) {
  console.log(tag, shown(() => Intl.getCanonicalLocales(tag)), shown(() => { const locale = new Intl.Locale(tag); return [locale.toString(), locale.maximize().toString(), locale.minimize().toString(), locale.language, locale.script, locale.region, locale.baseName]; }));
}
