// Words of Thai, Lao, Khmer and Burmese, which have no spaces between them: texts that a small model parts as Node does by
// dictionaries. In others, some words differ.
const texts = {
  th: ["สวัสดีชาวโลก"],
  lo: ["ພາສາລາວ"],
  km: ["សួស្តីពិភពលោក", "ភាសាខ្មែរ"],
  my: ["မင်္ဂလာပါကမ္ဘာလောက"],
  en: ["Hello, สวัสดี and 3.14 can't stop", "한국어 문장은 띄어쓰기가 있다."],
};
for (const [locale, lines] of Object.entries(texts)) {
  const segmenter = new Intl.Segmenter(locale, { granularity: "word" });
  for (const line of lines) {
    console.log(locale, [...segmenter.segment(line)].map(({ segment, isWordLike }) => (isWordLike ? `[${segment}]` : segment)).join("|"));
  }
}
