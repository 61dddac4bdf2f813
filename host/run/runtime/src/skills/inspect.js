// What a skill's module exports, with its signatures as they are written: run inside an isolate, as the code is somebody's.
import * as skill from "./skills/NAME";

const source = env.source;
// The text with blanks for what is in strings, comments and regular expressions.
const plain = [...source].length === source.length ? skimmed(source) : skimmed(source.replace(/[^\x00-\x7f]/g, "_"));

function skimmed(text) {
  const all = /\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*|"(?:\\[^]|[^"\\\n])*"|'(?:\\[^]|[^'\\\n])*'|`(?:\\[^]|[^`\\])*`|(?<=[(,=:[!&|?{};]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\n])*\]|[^/\n\\])+\//g;
  return text.replace(all, (found) => " ".repeat(found.length));
}

// Behind the bracket that closes the one at `at`.
function closed(at) {
  let depth = 0;
  for (; at < plain.length; at++) {
    const letter = plain[at];
    if ("([{<".includes(letter)) depth++;
    else if (")]}".includes(letter) || (letter === ">" && plain[at - 1] !== "=")) depth--;
    if (depth === 0) return at + 1;
  }
  return at;
}

const spaces = (at) => at + /^\s*/.exec(plain.slice(at, at + 1000))[0].length;

// Behind the type that begins at `at`: it ends before a body, an arrow or a line's end.
function typeEnd(at) {
  let open = true;
  for (at = spaces(at); at < plain.length; ) {
    const letter = plain[at];
    if ("([<".includes(letter) || (letter === "{" && open)) {
      at = closed(at);
      open = false;
    } else if (letter === "{" || letter === ";" || letter === "=" || (letter === "\n" && !open)) {
      return at;
    } else {
      if ("|&,:".includes(letter)) open = true;
      else if (letter.trim() !== "") open = false;
      at++;
    }
  }
  return at;
}

// Where the arguments that begin at `at`, and what is given, end; none if there are none.
function signatureEnd(at) {
  at = spaces(at);
  if (plain[at] === "<") at = spaces(closed(at));
  if (plain[at] !== "(") return undefined;
  const end = closed(at);
  return plain[spaces(end)] === ":" ? typeEnd(spaces(end) + 1) : end;
}

function declared(name, value) {
  const escaped = name.replace(/\$/g, "\\$");
  const before = "(?<![\\w$.])(?:export\\s+(?:default\\s+)?)?";
  const asFunction = new RegExp(`${before}(?:async\\s+)?function\\s*\\*?\\s*${escaped}(?![\\w$])`).exec(plain);
  const asConstant = new RegExp(`${before}(?:const|let|var)\\s+${escaped}(?![\\w$])\\s*(?::[^=]*)?=\\s*(?:async\\s*)?`).exec(plain);
  const found = asFunction ?? asConstant;
  if (found === null) return { signature: typeof value === "function" ? `${name}(…)` : name, about: "" };
  const behind = found.index + found[0].length;
  const end = signatureEnd(behind);
  const written = end === undefined ? "" : source.slice(behind, end).trim();
  const result = /^function\b|^async\b/.test(found[0].replace(/^export\s+(default\s+)?/, "")) && /\basync\b/.test(found[0]);
  const signature = name + (written === "" && typeof value === "function" ? "(…)" : written);
  return { signature: signature.replace(/\s+/g, " "), about: comment(found.index), result };
}

// The first sentence of the comment that ends where something begins.
function comment(at) {
  const before = source.slice(Math.max(0, at - 4000), at).trimEnd();
  let text = "";
  if (before.endsWith("*/")) text = before.slice(before.lastIndexOf("/*") + 2, -2);
  else if (/(?:^|\n)[ \t]*\/\/[^\n]*$/.test(before)) text = /(?:^|\n)[ \t]*\/\/([^\n]*)$/.exec(before)[1];
  const lines = text.split("\n").map((line) => line.replace(/^\s*\*?\s?/, "").trim());
  const first = lines.slice(0, lines.findIndex((line, at) => at > 0 && (line === "" || line[0] === "@")) >>> 0).join(" ").trim();
  return /^.*?[.!?](?=\s|$)/.exec(first)?.[0] ?? first;
}

const functions = Object.keys(skill).slice(0, 50).map((name) => {
  const { signature, about } = declared(name, skill[name]);
  return { name, signature: signature.slice(0, 400), about: about.slice(0, 300) };
});
return functions;
