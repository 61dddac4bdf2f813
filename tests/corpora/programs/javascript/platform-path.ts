import * as path from "node:path"; import { Buffer as NodeBuffer } from "node:buffer";
const { posix } = path;
const cases: ReadonlyArray<readonly [string, ...string[]]> = [["a", "b", "../c"], ["/a", "/b"], ["", ""], ["a/", "./b/", ""], ["..", "x", "..", "..", "y"], ["/", "..", "a"]];
for (const parts of cases) console.log(JSON.stringify(parts), path.join(...parts), posix.normalize(parts.join("/")), posix.resolve("/base", ...parts));
for (const p of ["/a/b/c.txt", "c.tar.gz", ".env", "dir/", "/", "", "a.", "a/.b.c", "..", "x/../y.z"]) console.log(JSON.stringify(p), path.basename(p), path.dirname(p), JSON.stringify(path.extname(p)), path.isAbsolute(p), JSON.stringify(path.parse(p)));
for (const [from, to] of [["/a/b/c", "/a/d"], ["/a", "/a"], ["/", "/x/y"], ["/a/b", "/a/b/c/d"], ["/foo/bar", "/foo/barbaz"]] as const) console.log(path.relative(from, to) || "(same)");
console.log(path.format({ root: "/", base: "x.y", name: "ignored" }), path.format({ name: "n", ext: "e" }), path.delimiter);
try { (path.join as (...args: unknown[]) => string)(1); } catch (error) { console.log((error as NodeJS.ErrnoException).name, (error as { code?: string }).code); }
const tree = (paths: string[]): string[] => { const root: Record<string, any> = {}; for (const p of paths) p.split("/").reduce((node, part) => (node[part] ??= {}), root); const draw = (node: Record<string, any>, indent = ""): string[] => Object.keys(node).sort().flatMap((k, i, all) => { const last = i === all.length - 1; return [`${indent}${last ? "└── " : "├── "}${k}`, ...draw(node[k], indent + (last ? "    " : "│   "))]; }); return draw(root); }; console.log(tree(["src/index.ts", "src/lib/a.ts", "src/lib/b.ts", "README.md", "test/index.test.ts"]).join("\n"));
const common = (list: string[]): string => list.map((p) => p.split("/")).reduce((a, b) => a.slice(0, a.findIndex((x, i) => x !== b[i]) === -1 ? undefined : a.findIndex((x, i) => x !== b[i]))).join("/"); console.log(common(["/a/b/c", "/a/b/d/e", "/a/b"]), NodeBuffer.from("x").toString("hex"), NodeBuffer === Buffer);
declare namespace NodeJS { interface ErrnoException extends Error { code?: string } }
