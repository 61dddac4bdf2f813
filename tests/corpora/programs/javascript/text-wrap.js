const wrap = (text, width, indent = "") => text.split(/\s+/).reduce((lines, word) => { const last = lines.at(-1); if (last !== undefined && (last + " " + word).trimStart().length <= width) lines[lines.length - 1] = `${last} ${word}`; else lines.push(indent + word); return lines; }, []);
const text = "Lorem ipsum dolor sit amet, consectetur adipiscing elit — sed do eiusmod tempor incididunt ut labore et dolore magna aliqua.";
for (const width of [20, 40]) console.log(wrap(text, width).join("\n"), "\n---");
const justify = (line, width) => { const words = line.split(" "); if (words.length === 1) return line; let gaps = width - words.join("").length; return words.map((w, i) => { const left = words.length - 1 - i; if (!left) return w; const n = Math.ceil(gaps / left); gaps -= n; return w + " ".repeat(n); }).join(""); };
console.log(wrap(text, 30).map((l) => `|${justify(l, 30)}|`).join("\n"));
const dedent = (strings, ...values) => { const raw = strings.reduce((s, part, i) => s + values[i - 1] + part); const lines = raw.replace(/^\n|\n\s*$/g, "").split("\n"); const margin = Math.min(...lines.filter((l) => l.trim()).map((l) => l.match(/^ */)[0].length)); return lines.map((l) => l.slice(margin)).join("\n"); };
console.log(dedent`
    title: ${"x"}
      nested: ${1 + 1}

    end
`);
console.log("abc".padStart(6, "12"), "abc".padEnd(6) + "|", "x".padStart(0), "😀".padStart(4, "ab"), "abc".padEnd(5, ""), "ab".repeat(3), "a-b-c".split("-", 2), "abcdef".slice(-3, -1), "abcdef".substring(4, 1), "abc".at(-1), "abcabc".lastIndexOf("bc", 3), "abc".charAt(9) === "", "a,b".concat(1, null), "x".localeCompare("y"), " \t\n x\u00a0".trim(), "abc".includes("", 5), "Abc".startsWith("b", 1), "abc".endsWith("b", 2), "abc".indexOf(""), "a".codePointAt(5));
const truncate = (s, n) => (s.length > n ? `${s.slice(0, n - 1).trimEnd()}…` : s), title = (s) => s.toLowerCase().replace(/(^|\s)\S/g, (c) => c.toUpperCase()), camel = (s) => s.replace(/[-_\s]+(.)?/g, (_, c) => c?.toUpperCase() ?? ""), kebab = (s) => s.replace(/([a-z])([A-Z])/g, "$1-$2").replace(/[\s_]+/g, "-").toLowerCase(); console.log(truncate(text, 20), title("the QUICK fox"), camel("foo-bar_baz qux"), kebab("fooBar Baz_Qux"), [..."racecar"].reverse().join("") === "racecar", "mississippi".split("").filter((c, i, a) => a.indexOf(c) === i).join(""));
