// Sorting, plurals, lists and relative times in en-US.
const show = (f) => {
  try {
    console.log(JSON.stringify(f()));
  } catch (e) {
    console.log(e.name, e.message);
  }
};
const words = ["banana", "Apple", "cherry", "apple", "Banana", "éclair", "eclair", "zebra", "Zebra", "äpfel", "apfel", "naïve", "naive", "résumé", "resume", "Résumé", "10", "9", "2", "a-b", "ab", "a b", "_x", "x", "", " ", "ß", "ss", "ñ", "n", "o", "ö", "z", "Å", "a10", "a9", "a2", "item 10", "item 2", "!", "@", "#", "$", "co-op", "coop", "CO-OP"];
show(() => [...words].sort((a, b) => a.localeCompare(b)));
show(() => [...words].sort(new Intl.Collator("en-US").compare));
show(() => [...words].sort(new Intl.Collator("en-US", { numeric: true }).compare));
show(() => [...words].sort(new Intl.Collator("en-US", { caseFirst: "upper" }).compare));
show(() => ["_", "-", ",", ";", ":", "!", "?", ".", "'", '"', "(", ")", "[", "]", "{", "}", "@", "*", "/", "\\", "&", "#", "%", "`", "^", "+", "<", "=", ">", "|", "~", "$", "0", "9", "a", "A", "b", "B", " ", "z", "Z"].reverse().sort((a, b) => a.localeCompare(b)).join(""));
for (const sensitivity of ["base", "accent", "case", "variant"]) {
  show(() => [["a", "A"], ["a", "á"], ["a", "b"], ["A", "á"], ["résumé", "RESUME"], ["a", "a"]].map(([a, b]) => a.localeCompare(b, "en-US", { sensitivity })));
}
for (const [a, b] of [["a", "b"], ["b", "a"], ["a", "a"], ["a", "A"], ["A", "a"], ["a", "B"], ["", "a"], ["a10", "a9"], ["résumé", "resume"], ["résumé", "Resume"], ["co-op", "coop"], ["1", "a"], ["10", "9"], ["é", "e\u0301"], ["日", "本"], ["a", "я"], ["я", "日"], ["α", "z"], ["a\u0000", "a"], ["😀", "a"]]) {
  show(() => [a, b, a.localeCompare(b), a.localeCompare(b, undefined, { numeric: true })]);
}
show(() => ["file10.txt", "file9.txt", "file010.txt", "File1.txt", "file1.txt"].sort((a, b) => a.localeCompare(b, undefined, { numeric: true, sensitivity: "base" })));
show(() => ["v1.10", "v1.9", "v1.2.10", "v1.2.9"].sort(new Intl.Collator(undefined, { numeric: true }).compare));
show(() => new Intl.Collator("en-US", { sensitivity: "base" }).resolvedOptions());
show(() => "a".localeCompare(undefined));
show(() => new Intl.Collator("en-US", { sensitivity: "x" }));
for (const type of ["cardinal", "ordinal"]) {
  const rules = new Intl.PluralRules("en-US", { type });
  show(() => [0, 1, 2, 3, 4, 10, 11, 12, 13, 21, 22, 23, 101, 111, 112, 1.5, 0.1, -1, 1e6, NaN, Infinity].map((n) => rules.select(n)));
  show(() => [...rules.resolvedOptions().pluralCategories].sort());
}
show(() => new Intl.PluralRules("en-US", { minimumFractionDigits: 1 }).select(1));
show(() => new Intl.PluralRules("en-US", { type: "x" }));
for (const type of ["conjunction", "disjunction", "unit"]) {
  for (const style of ["long", "short", "narrow"]) {
    const list = new Intl.ListFormat("en-US", { type, style });
    show(() => [[], ["A"], ["A", "B"], ["A", "B", "C"], ["A", "B", "C", "D"]].map((items) => list.format(items)));
  }
}
show(() => new Intl.ListFormat("en-US").formatToParts(["A", "B", "C"]));
show(() => new Intl.ListFormat("en-US").format([1]));
for (const style of ["long", "short", "narrow"]) {
  for (const numeric of ["always", "auto"]) {
    const relative = new Intl.RelativeTimeFormat("en-US", { style, numeric });
    for (const unit of ["second", "minutes", "hour", "days", "week", "month", "quarters", "year"]) {
      show(() => [-1234.5, -2, -1, -0.5, -0, 0, 0.5, 1, 2, 1000].map((value) => relative.format(value, unit)));
    }
  }
}
show(() => new Intl.RelativeTimeFormat("en-US").formatToParts(-1234, "day"));
show(() => new Intl.RelativeTimeFormat("en-US", { numeric: "auto" }).formatToParts(1, "day"));
show(() => new Intl.RelativeTimeFormat("en-US").format(1, "foo"));
show(() => new Intl.RelativeTimeFormat("en-US").format(NaN, "day"));
show(() => Intl.getCanonicalLocales(["EN-us", "zh-hant-tw", "de", "en-US"]));
show(() => Intl.getCanonicalLocales("bad locale"));
show(() => Intl.NumberFormat.supportedLocalesOf(["en-US", "en-GB"]));
