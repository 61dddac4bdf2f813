// Prints what TypeScript files are made of, as its compiler reads them: kinds of syntax, tags of comments and orders to the compiler, without names and texts.
const fs = require("node:fs");
const ts = require(process.argv[2]);

const shape = (node) => {
  const named = [ts.SyntaxKind.Identifier, ts.SyntaxKind.StringLiteral].includes(node.kind);
  const tags = ts.getJSDocTags(node).map((tag) => tag.tagName.text);
  const inside = [];
  ts.forEachChild(node, (child) => void inside.push(shape(child)));
  return [named ? "name" : ts.SyntaxKind[node.kind], ...tags.map((tag) => `@${tag}`), ...inside];
};

for (const path of process.argv.slice(3)) {
  const file = ts.createSourceFile(path, fs.readFileSync(path, "utf8"), ts.ScriptTarget.ES2023, true);
  const orders = [file.commentDirectives ?? [], file.parseDiagnostics, [...file.pragmas.keys()], file.referencedFiles].map((orders) => orders.length);
  console.log(JSON.stringify([orders, shape(file)]));
}
