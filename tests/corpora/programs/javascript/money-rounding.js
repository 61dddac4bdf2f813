for (const mode of ["ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc", "halfEven"]) {
  const f = new Intl.NumberFormat("en", { maximumFractionDigits: 0, roundingMode: mode });
  console.log(mode.padEnd(10), [-2.5, -1.5, -0.4, 0.5, 1.5, 2.5, 2.51].map((n) => f.format(n).padStart(3)).join(" "));
}
console.log([0.05, 0.10, 0.25].map((step) => [1.02, 1.03, 1.125].map((x) => +(Math.round(x / step) * step).toFixed(2))));
console.log(new Intl.NumberFormat("de-CH", { style: "currency", currency: "CHF", roundingIncrement: 5, minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(1.03));
console.log([1.005, 1.255, 8.345, 10.235].map((n) => [n.toFixed(2), Math.round((n + Number.EPSILON) * 100) / 100, new Intl.NumberFormat("en", { maximumFractionDigits: 2 }).format(n)]));
console.log(new Intl.NumberFormat("en", { maximumSignificantDigits: 3, maximumFractionDigits: 1, roundingPriority: "morePrecision" }).format(4.3219), new Intl.NumberFormat("en", { maximumSignificantDigits: 3, maximumFractionDigits: 1, roundingPriority: "lessPrecision" }).format(4.3219));
