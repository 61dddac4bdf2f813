// Dates and times in many locales and zones: options at random.
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
let seed = 1;
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

const ZONES = (
  "UTC America/New_York America/Los_Angeles America/Chicago America/Sao_Paulo America/St_Johns Europe/London Europe/Berlin Europe/Dublin Europe/Moscow " +
  "Asia/Tokyo Asia/Kolkata Asia/Shanghai Asia/Kathmandu Asia/Dubai Australia/Sydney Pacific/Auckland Pacific/Honolulu Africa/Cairo Africa/Lagos"
).split(" ");
const STYLES = ["full", "long", "medium", "short"];
const USUAL = [
  {}, { year: "numeric", month: "long", day: "numeric" }, { year: "numeric", month: "short", day: "numeric" }, { year: "numeric", month: "2-digit", day: "2-digit" },
  { weekday: "long", year: "numeric", month: "long", day: "numeric" }, { month: "long", year: "numeric" }, { month: "short", day: "numeric" }, { month: "numeric", day: "numeric" },
  { hour: "2-digit", minute: "2-digit" }, { hour: "2-digit", minute: "2-digit", second: "2-digit" }, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }, { weekday: "long" }, { month: "long" },
  { weekday: "short", month: "short", day: "numeric" }, { year: "numeric", month: "long", day: "numeric", hour: "2-digit", minute: "2-digit" },
  { weekday: "short", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short" }, { year: "2-digit", month: "numeric", day: "numeric" }, { weekday: "short", hour: "numeric" },
  { hour: "numeric", minute: "numeric", timeZoneName: "long" }, { timeZoneName: "shortOffset", hour: "numeric", minute: "numeric" }, { timeZoneName: "longOffset" }, { minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 },
];
const options = () => {
  const kind = below(5);
  if (kind < 2) return { ...pick(USUAL) };
  if (kind < 4) return { ...(below(3) && { dateStyle: pick(STYLES) }), ...(below(2) && { timeStyle: pick(STYLES) }) };
  return some({ weekday: ["short", "long"], year: ["numeric", "2-digit"], month: ["numeric", "2-digit", "short", "long"], day: ["numeric", "2-digit"], hour: ["numeric", "2-digit"], minute: ["numeric", "2-digit"] });
};
// V8 itself ends at parts of patterns that are put together of several.
const hasParts = (asked) => asked.dateStyle !== undefined || asked.timeStyle !== undefined;
for (let i = 0; i < 900; i++) {
  const locale = pick(LOCALES);
  const zone = pick(ZONES);
  const time = Date.UTC(1972 + below(60), below(12), 1 + below(28), below(24), below(60), below(60), below(1000));
  // Only this calendar is here.
  const asked = { calendar: "gregory", timeZone: zone, ...options() };
  // CLDR 48.2 has other parts of the day in Korean.
  if (/^ko/.test(locale) && (asked.hour || asked.timeStyle)) continue;
  const format = () => new Intl.DateTimeFormat(locale, asked);
  const { calendar, ...rest } = asked;
  console.log(locale, JSON.stringify(rest), time, shown(() => (i % 8 === 0 && hasParts(rest) ? format().formatToParts(time) : format().format(time))));
}
