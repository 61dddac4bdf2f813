// Time zones: offsets at random times since 1970, names without regard to case, and offsets as zones.
// Times are before 2026, since when rules have changed that Node 20.20 does not know.
const ZONES = (
  "Africa/Abidjan Africa/Algiers Africa/Bangui Africa/Blantyre Africa/Cairo Africa/Casablanca Africa/Conakry Africa/Djibouti " +
  "Africa/Freetown Africa/Johannesburg Africa/Khartoum Africa/Lagos Africa/Luanda Africa/Malabo Africa/Mbabane Africa/Nairobi " +
  "Africa/Nouakchott Africa/Sao_Tome Africa/Windhoek America/Anguilla America/Argentina/La_Rioja America/Argentina/San_Juan " +
  "America/Argentina/Ushuaia America/Bahia America/Belem America/Boa_Vista America/Buenos_Aires America/Cancun America/Cayenne " +
  "America/Chihuahua America/Cordoba America/Creston America/Danmarkshavn America/Denver America/Edmonton America/Fort_Nelson " +
  "America/Godthab America/Grenada America/Guayaquil America/Havana America/Indiana/Marengo America/Indiana/Vevay " +
  "America/Indianapolis America/Jamaica America/Kentucky/Monticello America/Lima America/Lower_Princes America/Manaus " +
  "America/Matamoros America/Menominee America/Mexico_City America/Monterrey America/Nassau America/New_York America/Noronha " +
  "America/North_Dakota/New_Salem America/Paramaribo America/Port_of_Spain America/Punta_Arenas America/Regina America/Santarem " +
  "America/Sao_Paulo America/St_Barthelemy America/St_Lucia America/Swift_Current America/Tijuana America/Vancouver America/Yakutat " +
  "Antarctica/DumontDUrville Antarctica/McMurdo Antarctica/Syowa Arctic/Longyearbyen Asia/Amman Asia/Aqtobe Asia/Baghdad Asia/Bangkok " +
  "Asia/Bishkek Asia/Chita Asia/Dhaka Asia/Dushanbe Asia/Hebron Asia/Irkutsk Asia/Jerusalem Asia/Karachi Asia/Kolkata " +
  "Asia/Krasnoyarsk Asia/Kuwait Asia/Makassar Asia/Nicosia Asia/Omsk Asia/Pontianak Asia/Qostanay Asia/Riyadh Asia/Saigon " +
  "Asia/Samarkand Asia/Singapore Asia/Tashkent Asia/Thimphu Asia/Ulaanbaatar Asia/Vientiane Asia/Yekaterinburg Atlantic/Bermuda " +
  "Atlantic/Faeroe Atlantic/South_Georgia Australia/Adelaide Australia/Darwin Australia/Lindeman Australia/Perth EST5EDT Etc/GMT+5 " +
  "Europe/Andorra Europe/Belgrade Europe/Brussels Europe/Busingen Europe/Dublin Europe/Helsinki Europe/Jersey Europe/Kiev " +
  "Europe/Kirov Europe/London Europe/Malta Europe/Monaco Europe/Paris Europe/Riga Europe/San_Marino Europe/Simferopol " +
  "Europe/Stockholm Europe/Ulyanovsk Europe/Vienna Europe/Warsaw Indian/Antananarivo Indian/Cocos Indian/Mahe Indian/Mayotte " +
  "Pacific/Auckland Pacific/Easter Pacific/Fakaofo Pacific/Galapagos Pacific/Guam Pacific/Kosrae Pacific/Marquesas Pacific/Niue " +
  "Pacific/Pago_Pago Pacific/Ponape Pacific/Saipan Pacific/Tongatapu Pacific/Wallis US/Pacific"
).split(" ");
let seed = 4;
const below = (count) => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
};
for (const timeZone of ZONES) {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const long = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "long", month: "numeric" });
  const times = Array.from({ length: 6 }, () => Date.UTC(1970 + below(56), below(12), 1 + below(28), below(24), below(60)));
  console.log(timeZone, times.map((time) => format.format(time)).join(" | "), "|", long.format(times[0]));
}
// The half hours around the changes of a year.
for (const timeZone of ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Europe/Dublin", "Africa/Casablanca"]) {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "short", timeStyle: "long" });
  const nameAt = (time) => format.formatToParts(time).find((part) => part.type === "timeZoneName").value;
  const day = 86_400_000;
  const half = 1_800_000;
  for (let start = Date.UTC(2024, 0, 1); start < Date.UTC(2025, 0, 1); start += day) {
    if (nameAt(start) === nameAt(start + day)) continue;
    for (let time = start + half; time <= start + day; time += half) {
      if (nameAt(time) !== nameAt(time - half)) console.log(timeZone, format.format(time - half), format.format(time));
    }
  }
}
for (const timeZone of ["america/new_york", "EUROPE/PARIS", "utc", "Etc/GMT-14", "UTC"]) {
  console.log(timeZone, new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone, new Date(1e12).toLocaleString("de-DE", { timeZone }));
}
for (const timeZone of ["", "Mars/Olympus", "Europe", "+25:00", "GMT+1", "Europe/Berlin ", "../../etc/passwd"]) {
  try {
    new Date(0).toLocaleString("en-US", { timeZone });
    console.log("no error", timeZone);
  } catch (error) {
    console.log(error.name, error.message);
  }
}
