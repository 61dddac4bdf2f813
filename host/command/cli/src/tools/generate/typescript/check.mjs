// Checks scripts as Ampoule runs them: `node check.mjs report.ts`, or all of them. For `tsc`, a `return` at the top of a file is
// an error, behind which it does not look; here such a script is the body of a function. `tsconfig.json` says how strictly.
import path from "node:path";
import process from "node:process";
import ts from "typescript";

const HEAD = "export default async function () {";

const returns = (node) => ts.isReturnStatement(node) || (!ts.isFunctionLike(node) && !ts.isClassLike(node) && ts.forEachChild(node, returns));
const isExport = (node) => ts.isExportDeclaration(node) || ts.isExportAssignment(node) || ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

/** Where the function begins that a script's statements are in: behind its imports. */
const beginning = (source) => {
  if (!source.statements.some(returns) || source.statements.some((node) => ts.canHaveModifiers(node) && isExport(node))) return undefined;
  return source.statements.findLast(ts.isImportDeclaration)?.end ?? 0;
};

const folder = import.meta.dirname;
const stop = (diagnostic) => {
  throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"));
};
const { fileNames, options } = ts.getParsedCommandLineOfConfigFile(path.join(folder, "tsconfig.json"), {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic: stop });
const named = process.argv.slice(2).map((file) => path.resolve(file).replaceAll("\\", "/"));
const host = ts.createCompilerHost(options);
const { readFile } = host;
const scripts = new Map();
host.readFile = (name) => {
  const text = readFile(name);
  if (text === undefined || !/(?<!\.d)\.[mc]?[jt]s$/.test(name) || name.includes("/node_modules/")) return text;
  const source = ts.createSourceFile(name, text, ts.ScriptTarget.Latest);
  const at = beginning(source);
  if (at === undefined) return text;
  scripts.set(name, { source, at });
  return `${text.slice(0, at)}${HEAD}${text.slice(at)}\n}`;
};

const roots = named.length === 0 ? fileNames : [...named, path.join(folder, "tools.d.ts")];
const program = ts.createProgram(roots, options, host);
const inScript = (diagnostic) => {
  const script = scripts.get(diagnostic.file?.fileName);
  if (script === undefined || diagnostic.start < script.at) return diagnostic;
  return { ...diagnostic, file: script.source, start: Math.max(script.at, diagnostic.start - HEAD.length) };
};
const problems = ts.getPreEmitDiagnostics(program).map(inScript);
const format = process.stdout.isTTY ? ts.formatDiagnosticsWithColorAndContext : ts.formatDiagnostics;
process.stdout.write(format(problems, { getCanonicalFileName: (name) => name, getCurrentDirectory: process.cwd, getNewLine: () => "\n" }));
process.exitCode = problems.length === 0 ? 0 : 1;
