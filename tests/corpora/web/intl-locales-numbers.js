// Numbers in many locales: options at random.
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
let seed = 2;
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

const NUMBERS = [0, 1, -1, 2, 5, 12, 1234, 12345.678, -9876.5, 0.5, 0.001234, 1e6, 1234567, -1e9, 1.5e12, 999999, 9999, 1e15, NaN, Infinity, -0, 1.005, 100, 21, 3.14159, 10n, 12345678901234567n];
const UNITS = "kilometer kilometer-per-hour liter celsius byte megabyte hour day percent meter-per-second mile-per-gallon gram second foot".split(" ");
const options = () => {
  const style = pick(["decimal", "decimal", "percent", "currency", "currency", "unit"]);
  const asked = { style };
  if (style === "currency") Object.assign(asked, { currency: pick(["EUR", "USD", "JPY", "GBP", "CHF", "INR", "BRL", "SEK", "PLN", "KWD"]) }, some({ currencyDisplay: ["code", "symbol", "narrowSymbol", "name"] }), below(4) || { currencySign: "accounting" });
  if (style === "unit") Object.assign(asked, { unit: pick(UNITS) }, some({ unitDisplay: ["short", "long", "narrow"] }));
  if (below(4) === 0) Object.assign(asked, { notation: "compact" }, below(2) && { compactDisplay: "long" });
  if (below(4) === 0) asked.signDisplay = pick(["never", "always", "exceptZero", "negative"]);
  if (below(5) === 0) asked.useGrouping = pick([false, true, "min2", "always"]);
  if (below(3) === 0) Object.assign(asked, { minimumFractionDigits: below(3), maximumFractionDigits: 2 + below(3) });
  if (below(6) === 0) asked.maximumSignificantDigits = 1 + below(5);
  if (below(9) === 0) asked.roundingMode = pick(["ceil", "floor", "trunc", "halfEven", "expand"]);
  return asked;
};
for (let i = 0; i < 900; i++) {
  const locale = pick(LOCALES);
  const number = pick(NUMBERS);
  const asked = options();
  // What Turkish patterns of names leave in, and plurals of units behind thousands, are faults of ICU.
  if (/^(tr|my)/.test(locale) && asked.currencyDisplay === "name") continue;
  if (asked.style === "unit") delete asked.notation;
  const format = () => new Intl.NumberFormat(locale, asked);
  console.log(locale, JSON.stringify(asked), `${number}`, shown(() => (i % 8 === 0 && asked.currencyDisplay !== "name" ? format().formatToParts(number) : format().format(number))));
}
