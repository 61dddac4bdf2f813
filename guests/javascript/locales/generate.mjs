// Makes locales.bin of CLDR, as npm's packages cldr-* have it: `npm ci && node generate.mjs`.
//
// What a locale has is in sections. A section has keys, which are the same in all locales, and a locale has a line for each
// key of it, in their order. A locale has only what its parent does not have already: a line with \x01 and a number stands
// for so many keys that are the parent's. src/web/locales.rs reads it.

import { readFileSync, writeFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import * as sections from "./sections.mjs";

const root = new URL("node_modules/", import.meta.url);
const read = (path) => JSON.parse(readFileSync(new URL(path, root), "utf8"));
const core = (name) => read(`cldr-core/supplemental/${name}.json`).supplemental;

// The locales that ICU has, too: with data enough for a person to read dates and numbers in.
const covered = read("cldr-core/coverageLevels.json").effectiveCoverageLevels;
const all = read("cldr-core/availableLocales.json").availableLocales.full;
const language = (tag) => tag.split("-")[0];
const withScript = (tag) => tag.split("-").slice(0, 2).join("-");
const hasScript = (tag) => tag.split("-")[1]?.length === 4;
// Scripts that ICU has, too, though CLDR does not count what they cover.
const OTHERS = ["pa-Arab", "uz-Arab"];
const isKept = (tag) => tag === "und" || OTHERS.includes(withScript(tag)) || covered[hasScript(tag) ? withScript(tag) : language(tag)] !== undefined;
const kept = all.filter((tag) => isKept(tag) && !/-[a-z0-9]{5,}$|POSIX/i.test(tag));

const { parentLocale: given } = core("parentLocales").parentLocales;
const parentOf = (tag) => {
  if (tag === "und") return undefined;
  const listed = given[tag];
  if (listed !== undefined) return listed === "root" ? "und" : listed;
  const parts = tag.split("-");
  return parts.length > 1 ? parts.slice(0, -1).join("-") : "und";
};
// Each with its parent before it.
const order = kept.toSorted((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1));
function depth(tag) {
  return tag === "und" ? 0 : 1 + depth(parentOf(tag));
}
const present = new Set(order);
const nearest = (tag) => (tag === undefined || present.has(tag) ? tag : nearest(parentOf(tag)));

const source = {
  core,
  content: () => read("cldr-core/defaultContent.json").defaultContent,
  bcp47: (name) => read(`cldr-bcp47/bcp47/${name}.json`).keyword.u,
  main: (folder, tag, file) => {
    try {
      return read(`cldr-${folder}-full/main/${tag}/${file}.json`).main[tag];
    } catch {
      return undefined;
    }
  },
};
const supplemental = sections.supplemental(source);
const names = [...sections.NAMES, ...Object.keys(supplemental)];
const values = new Map(order.map((tag) => [tag, { ...sections.of(source, tag), ...(tag === "und" ? supplemental : {}) }]));

const keys = {};
for (const name of names) {
  const found = new Set();
  for (const locale of values.values()) for (const key of Object.keys(locale[name] ?? {})) found.add(key);
  keys[name] = [...found].sort();
}

const ABSENT = "\x02";
const inherited = (tag, name, key) => {
  for (let at = tag; at !== undefined; at = nearest(parentOf(at))) {
    const value = values.get(at)[name]?.[key];
    if (value !== undefined) return value;
  }
  return undefined;
};
const lines = (tag, name) => {
  const own = values.get(tag)[name] ?? {};
  const above = nearest(parentOf(tag));
  const written = [];
  let skipped = 0;
  for (const key of keys[name]) {
    const parents = above === undefined ? undefined : inherited(above, name, key);
    const value = own[key] ?? (sections.isWhole(name) && parents !== undefined && parents !== ABSENT ? ABSENT : undefined);
    if (value === undefined || value === parents) {
      skipped++;
      continue;
    }
    if (skipped > 0) written.push(`\x01${skipped}`);
    skipped = 0;
    if (value.includes("\n")) throw new Error(`${tag} ${name} ${key} has a line end`);
    written.push(value);
  }
  return written.map((line) => `${line}\n`).join("");
};

// The packed file: the texts that say what there is, then slices. A slice is what all locales of a language have in the
// sections of a group, compressed.
const sorted = order.toSorted((a, b) => (a < b ? -1 : 1));
const place = new Map(sorted.map((tag, i) => [tag, i]));
const languages = [...new Set(sorted.map(language))];
const groups = [...new Set(names.map(sections.groupOf))];

// Places where each begins, and the last one ends; then all.
const packed = (buffers) => {
  const head = Buffer.alloc(4 * (buffers.length + 1));
  let at = head.length;
  buffers.forEach((buffer, i) => {
    head.writeUInt32LE(at, 4 * i);
    at += buffer.length;
  });
  head.writeUInt32LE(at, 4 * buffers.length);
  return Buffer.concat([head, ...buffers]);
};
const slice = (of, group) => {
  const texts = [];
  for (const name of names.filter((name) => sections.groupOf(name) === group)) {
    for (const tag of sorted.filter((tag) => language(tag) === of)) texts.push(Buffer.from(lines(tag, name)));
  }
  return texts.every((text) => text.length === 0) ? Buffer.alloc(0) : deflateRawSync(packed(texts), { level: 9, memLevel: 9 });
};
const whole = packed([
  Buffer.from(names.map((name) => `${name}\t${groups.indexOf(sections.groupOf(name))}`).join("\n")),
  Buffer.from(sorted.map((tag) => `${tag}\t${tag === "und" ? "" : place.get(nearest(parentOf(tag)))}\t${languages.indexOf(language(tag))}`).join("\n")),
  ...names.map((name) => Buffer.from(keys[name].join("\n"))),
  ...languages.flatMap((of) => groups.map((group) => slice(of, group))),
]);
writeFileSync(new URL("locales.bin", import.meta.url), whole);
console.log(`${sorted.length} locales of ${languages.length} languages in ${whole.length} bytes`);
