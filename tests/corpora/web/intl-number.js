// Numbers in en-US, in every style.
const show = (f) => {
  try {
    console.log(JSON.stringify(f()));
  } catch (e) {
    console.log(e.name, e.message);
  }
};
const values = [
  0, -0, 1, -1, 0.5, -0.5, 1.005, 1.5, 2.5, 2.675, 0.1 + 0.2, 9.995, 10, 99.5, 999.9, 999.95, 999.9995, 1000, 1234.5, -1234.567, 9999, 9999.5, 12345, 123456.789,
  999999, 999500, 1e6, 1.25e9, 1e12, 1e15, 1e16, 1e21, 123456789012345680000, 5e-324, 1e-7, 0.00001234, 0.0495, 0.0505, NaN, Infinity, -Infinity, 1.7976931348623157e308,
  123n, -12345678901234567890n, 0n,
];
const options = [
  undefined, {}, { maximumFractionDigits: 0 }, { minimumFractionDigits: 2 }, { minimumFractionDigits: 2, maximumFractionDigits: 2 }, { maximumFractionDigits: 10 },
  { maximumSignificantDigits: 3 }, { minimumSignificantDigits: 4 }, { minimumSignificantDigits: 2, maximumSignificantDigits: 5 }, { minimumIntegerDigits: 3 },
  { useGrouping: false }, { useGrouping: true }, { useGrouping: "min2" }, { signDisplay: "always" }, { signDisplay: "never" }, { signDisplay: "exceptZero" },
  { signDisplay: "negative" }, { style: "percent" }, { style: "percent", maximumFractionDigits: 1 }, { style: "percent", minimumFractionDigits: 2 },
  { style: "currency", currency: "USD" }, { style: "currency", currency: "eur", maximumFractionDigits: 0 }, { style: "currency", currency: "JPY" },
  { style: "currency", currency: "CHF" }, { style: "currency", currency: "KWD" }, { style: "currency", currency: "USD", currencyDisplay: "code" },
  { style: "currency", currency: "USD", currencyDisplay: "name" }, { style: "currency", currency: "CAD", currencyDisplay: "narrowSymbol" },
  { style: "currency", currency: "USD", currencySign: "accounting" }, { style: "currency", currency: "USD", signDisplay: "always" },
  { style: "currency", currency: "JPY", currencyDisplay: "name" }, { style: "currency", currency: "XYZ" },
  { style: "unit", unit: "kilometer" }, { style: "unit", unit: "kilometer-per-hour" }, { style: "unit", unit: "celsius" }, { style: "unit", unit: "megabyte", unitDisplay: "narrow" },
  { style: "unit", unit: "day", unitDisplay: "long" }, { style: "unit", unit: "percent" }, { style: "unit", unit: "foot", unitDisplay: "long" },
  { notation: "compact" }, { notation: "compact", compactDisplay: "long" }, { notation: "compact", maximumFractionDigits: 1 }, { notation: "compact", minimumFractionDigits: 2 },
  { notation: "compact", maximumSignificantDigits: 3 }, { notation: "compact", style: "currency", currency: "USD" }, { notation: "compact", style: "percent" },
  { notation: "compact", compactDisplay: "long", style: "currency", currency: "USD" }, { notation: "compact", style: "unit", unit: "meter" },
  { notation: "scientific" }, { notation: "engineering" }, { notation: "scientific", maximumFractionDigits: 1 },
  { roundingMode: "ceil", maximumFractionDigits: 1 }, { roundingMode: "floor", maximumFractionDigits: 1 }, { roundingMode: "trunc", maximumFractionDigits: 1 },
  { roundingMode: "expand", maximumFractionDigits: 0 }, { roundingMode: "halfEven", maximumFractionDigits: 0 }, { roundingMode: "halfTrunc", maximumFractionDigits: 0 },
  { roundingMode: "halfCeil", maximumFractionDigits: 0 }, { roundingMode: "halfFloor", maximumFractionDigits: 2 }, { trailingZeroDisplay: "stripIfInteger", minimumFractionDigits: 2 },
];
for (const option of options) {
  console.log(JSON.stringify(option));
  show(() => values.map((value) => value.toLocaleString("en-US", option)).join(" | "));
}
const currencies = "USD EUR GBP JPY INR CNY KRW AUD CAD NZD HKD MXN BRL ILS VND TWD PHP CHF SEK NOK DKK PLN CZK HUF TRY ZAR RUB SGD THB IDR MYR AED SAR EGP NGN KES UAH RON CLP COP ARS PEN KWD BHD JOD OMR TND XAF XOF PKR BDT ISK";
for (const currency of currencies.split(" ")) {
  for (const currencyDisplay of ["symbol", "narrowSymbol", "code", "name"]) {
    const format = new Intl.NumberFormat("en-US", { style: "currency", currency, currencyDisplay });
    console.log(currency, currencyDisplay, format.format(2), format.format(-1234.5678));
  }
}
const units = "acre bit byte celsius centimeter day degree fahrenheit fluid-ounce foot gallon gigabit gigabyte gram hectare hour inch kilobit kilobyte kilogram kilometer liter megabit megabyte meter microsecond mile millimeter milliliter millisecond minute month nanosecond ounce percent petabyte pound second stone terabit terabyte week yard year mile-per-hour mile-per-gallon meter-per-second liter-per-kilometer byte-per-second kilobit-per-second gram-per-liter kilometer-per-hour";
for (const unit of units.split(" ")) {
  for (const unitDisplay of ["short", "narrow", "long"]) {
    const format = new Intl.NumberFormat("en-US", { style: "unit", unit, unitDisplay });
    console.log(unit, unitDisplay, [0, 1, 2, 1.5, -1234].map(format.format).join(" | "));
  }
}
const parts = (value, option) => show(() => new Intl.NumberFormat("en-US", option).formatToParts(value));
parts(-1234567.891);
parts(0.256, { style: "percent", maximumFractionDigits: 1 });
parts(-12, { style: "currency", currency: "CHF", currencySign: "accounting" });
parts(-12, { style: "currency", currency: "USD", currencyDisplay: "name" });
parts(1234, { notation: "compact" });
parts(1234, { notation: "compact", compactDisplay: "long" });
parts(-0.00123, { notation: "scientific" });
parts(12, { style: "unit", unit: "celsius" });
parts(3, { style: "unit", unit: "mile", unitDisplay: "long" });
parts(NaN);
parts(-Infinity, { style: "currency", currency: "EUR" });
for (const bad of [
  { style: "currency" }, { style: "currency", currency: "x" }, { style: "unit" }, { style: "unit", unit: "foo" }, { minimumFractionDigits: 101 }, { maximumFractionDigits: -1 },
  { minimumFractionDigits: 5, maximumFractionDigits: 2 }, { minimumSignificantDigits: 0 }, { minimumSignificantDigits: 5, maximumSignificantDigits: 2 }, { minimumIntegerDigits: 22 },
  { signDisplay: "x" }, { notation: "x" }, { currencyDisplay: "x", style: "currency", currency: "USD" },
]) show(() => new Intl.NumberFormat("en-US", bad).format(1));
show(() => (1).toLocaleString("en-US", { style: "x" }));
show(() => (1).toLocaleString("not a locale"));
show(() => (1).toLocaleString("en_US"));
show(() => (1234.5).toLocaleString(["en-US", "de"]));
show(() => (1234.5).toLocaleString());
show(() => (1234.5).toLocaleString("en"));
show(() => Intl.NumberFormat().format("12345678901234567890.123"));
show(() => new Intl.NumberFormat("en-US").format("1e3"));
show(() => new Intl.NumberFormat("en-US").format("abc"));
show(() => new Intl.NumberFormat("en-US").format(null));
show(() => new Intl.NumberFormat("en-US").format());
show(() => new Intl.NumberFormat("en-US").format(true));
show(() => [3, 1.5].map(Intl.NumberFormat("en-US", { minimumFractionDigits: 1 }).format));
show(() => [1234.5, 1e6].toLocaleString());
show(() => [1234.5, 1e6].toLocaleString("en-US", { style: "currency", currency: "USD" }));
for (const option of [undefined, { style: "currency", currency: "usd" }, { style: "unit", unit: "mile" }, { style: "percent" }, { notation: "compact" }, { maximumSignificantDigits: 3 }, { useGrouping: false }]) {
  show(() => new Intl.NumberFormat("en-US", option).resolvedOptions());
}
show(() => [typeof Intl.NumberFormat, Object.prototype.toString.call(Intl), Object.prototype.toString.call(new Intl.NumberFormat()), new Intl.NumberFormat() instanceof Intl.NumberFormat, Intl.NumberFormat() instanceof Intl.NumberFormat]);
