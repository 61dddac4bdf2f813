// Currencies and units in English. The tables are text until they are first used.

export default () => {
  const table = (text) => {
    const rows = { __proto__: null };
    for (const line of text.trim().split("\n")) {
      const [name, ...cells] = line.trim().split("|");
      rows[name] = cells;
    }
    return rows;
  };
  const lazy = (text) => {
    let rows;
    return (name) => (rows ??= table(text))[name];
  };

  // Code | symbol | narrow symbol | name of one | of several | digits; what is empty is the code, or as before it, or 2.
  const currency = lazy(`
    USD|$|$|US dollar|US dollars
    EUR|€|€|euro|euros
    GBP|£|£|British pound|British pounds
    JPY|¥|¥|Japanese yen|Japanese yen|0
    INR|₹|₹|Indian rupee|Indian rupees
    CNY|CN¥|¥|Chinese yuan|Chinese yuan
    KRW|₩|₩|South Korean won|South Korean won|0
    AUD|A$|$|Australian dollar|Australian dollars
    CAD|CA$|$|Canadian dollar|Canadian dollars
    NZD|NZ$|$|New Zealand dollar|New Zealand dollars
    HKD|HK$|$|Hong Kong dollar|Hong Kong dollars
    MXN|MX$|$|Mexican peso|Mexican pesos
    BRL|R$|R$|Brazilian real|Brazilian reals
    ILS|₪|₪|Israeli new shekel|Israeli new shekels
    VND|₫|₫|Vietnamese dong|Vietnamese dong|0
    TWD|NT$|$|New Taiwan dollar|New Taiwan dollars
    PHP|₱|₱|Philippine peso|Philippine pesos
    CHF|||Swiss franc|Swiss francs
    SEK||kr|Swedish krona|Swedish kronor
    NOK||kr|Norwegian krone|Norwegian kroner
    DKK||kr|Danish krone|Danish kroner
    PLN||zł|Polish zloty|Polish zlotys
    CZK||Kč|Czech koruna|Czech korunas
    HUF||Ft|Hungarian forint|Hungarian forints|0
    TRY||₺|Turkish lira|Turkish Lira
    ZAR||R|South African rand|South African rand
    RUB||₽|Russian ruble|Russian rubles
    SGD||$|Singapore dollar|Singapore dollars
    THB||฿|Thai baht|Thai baht
    IDR||Rp|Indonesian rupiah|Indonesian rupiahs|0
    MYR||RM|Malaysian ringgit|Malaysian ringgits
    AED|||UAE dirham|UAE dirhams
    SAR|||Saudi riyal|Saudi riyals
    EGP||E£|Egyptian pound|Egyptian pounds
    NGN||₦|Nigerian naira|Nigerian nairas
    KES|||Kenyan shilling|Kenyan shillings
    UAH||₴|Ukrainian hryvnia|Ukrainian hryvnias
    RON||lei|Romanian leu|Romanian lei
    CLP||$|Chilean peso|Chilean pesos|0
    COP||$|Colombian peso|Colombian pesos|0
    ARS||$|Argentine peso|Argentine pesos
    PEN|||Peruvian sol|Peruvian soles
    KWD|||Kuwaiti dinar|Kuwaiti dinars|3
    BHD|||Bahraini dinar|Bahraini dinars|3
    JOD|||Jordanian dinar|Jordanian dinars|3
    OMR|||Omani rial|Omani rials|3
    TND|||Tunisian dinar|Tunisian dinars|3
    XAF|FCFA|FCFA|Central African CFA franc|Central African CFA francs|0
    XOF|F CFA|F CFA|West African CFA franc|West African CFA francs|0
    PKR||Rs|Pakistani rupee|Pakistani rupees|0
    BDT||৳|Bangladeshi taka|Bangladeshi takas
    ISK||kr|Icelandic króna|Icelandic krónur|0
  `);

  // Name | short | short of several | narrow | name of several; what is empty is as before it, the last one the name with an s.
  const unit = lazy(`
    acre|ac
    bit|bit
    byte|byte||B
    celsius|°C|||degrees Celsius
    centimeter|cm
    day|day|days|d
    degree|deg||°
    fahrenheit|°F||°|degrees Fahrenheit
    fluid-ounce|fl oz|||fluid ounces
    foot|ft||′|feet
    gallon|gal
    gigabit|Gb
    gigabyte|GB
    gram|g
    hectare|ha
    hour|hr||h
    inch|in||″|inches
    kilobit|kb
    kilobyte|kB
    kilogram|kg
    kilometer|km
    liter|L
    megabit|Mb
    megabyte|MB
    meter|m
    microsecond|μs
    mile|mi
    millimeter|mm
    milliliter|mL
    millisecond|ms
    minute|min||m
    month|mth|mths|m
    nanosecond|ns
    ounce|oz
    percent|%|||percent
    petabyte|PB
    pound|lb||#
    second|sec||s
    stone|st|||stones
    terabit|Tb
    terabyte|TB
    week|wk|wks|w
    yard|yd
    year|yr|yrs|y
    mile-per-hour|mph|||miles per hour
    mile-per-gallon|mpg|||miles per gallon
  `);
  // What stands after "per", where it is not the short name.
  const PER = { __proto__: null, hour: "h", second: "s", minute: "min", day: "d", week: "w", month: "m", year: "y" };
  const SINGULAR = { __proto__: null, celsius: "degree Celsius", fahrenheit: "degree Fahrenheit" };

  const currencyOf = (code) => {
    const [symbol, narrow, one, many, places] = currency(code) ?? [];
    return { symbol: symbol || code, narrow: narrow || symbol || code, one: one || code, many: many || code, places: Number(places ?? 2) };
  };

  // How a unit is written for one and for several, or undefined if it is none.
  const unitOf = (name, display) => {
    const row = unit(name);
    if (row === undefined) return compoundOf(name, display);
    const [short, several, narrow, many] = row;
    if (display === "short") return { one: short, many: several || short };
    if (display === "narrow") return { one: narrow || short, many: narrow || short };
    const singular = SINGULAR[name] ?? name.replaceAll("-", " ");
    return { one: singular, many: many || `${singular}s` };
  };
  const compoundOf = (name, display) => {
    const at = name.indexOf("-per-");
    const above = at === -1 ? undefined : unitOf(name.slice(0, at), display);
    const below = at === -1 ? undefined : unitOf(name.slice(at + 5), display);
    if (above === undefined || below === undefined) return undefined;
    const joint = display === "long" ? ` per ${below.one}` : `/${PER[name.slice(at + 5)] ?? below.one}`;
    return { one: above.one + joint, many: above.many + joint };
  };

  return { numberData: { currencyOf, unitOf } };
};
