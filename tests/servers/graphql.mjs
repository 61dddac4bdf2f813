// A GraphQL API of a shop: GraphQL's reference implementation behind an HTTP server.
//
//     node graphql.mjs FOLDER SCHEMA open|closed|old
//
// FOLDER holds `node_modules`, and SCHEMA is a file with the types. A `closed` server does not say
// its schema, and an `old` one understands no questions that are newer than 2018. The first line of
// output has the server's address; each later line is a document that the server got.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, file, manner] = process.argv.slice(2);
const { resolve } = createRequire(pathToFileURL(`${folder}/node_modules/`));
const { buildSchema, graphql, specifiedRules, NoSchemaIntrospectionCustomRule, parse, validate } =
  await import(pathToFileURL(resolve("graphql")));

const schema = buildSchema(readFileSync(file, "utf8"));
const products = new Map([
  ["1", { id: "1", name: "Ball", color: "RED", price: 3.5, tags: ["round"], maker: { name: "Ada", since: 1999 } }],
  ["2", { id: "2", name: "Kite", color: "BLUE", price: 7, tags: [], maker: { name: "Eve", since: 2001 } }],
]);
const roots = {
  product: ({ id }) => products.get(id) ?? null,
  products: ({ first, filter }) => {
    const found = [...products.values()].filter((it) => !filter?.color || it.color === filter.color);
    return { total: found.length, nodes: found.slice(0, first) };
  },
  broken: () => ({ id: "3", name: "Vase", price: () => { throw new Error("no price, hunter2-token"); } }),
  find: () => [
    { __typename: "Product", ...products.get("1") },
    { __typename: "Maker", name: "Ada", since: 1999 },
  ],
  rename: ({ id, input }) => Object.assign(products.get(id), input),
  removeProduct: ({ id }) => products.delete(id),
};
const rules = manner === "closed" ? [...specifiedRules, NoSchemaIntrospectionCustomRule] : specifiedRules;

const answer = async ({ query, variables, operationName }) => {
  if (!query.includes("__schema")) console.log(query.replaceAll(/\s+/g, " ").trim());
  if (manner === "old" && query.includes("isOneOf")) {
    return { errors: [{ message: 'Cannot query field "isOneOf" on type "__Type".' }] };
  }
  const wrong = validate(schema, parse(query), rules);
  if (wrong.length) return { errors: wrong };
  return graphql({ schema, source: query, rootValue: roots, variableValues: variables, operationName });
};

const server = createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  const send = (status, value) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };
  if (request.url === "/schema.graphql") return response.end(readFileSync(file, "utf8"));
  if (request.headers.authorization !== "Bearer hunter2-token") {
    return send(401, { message: "say who you are" });
  }
  const { errors, data } = await answer(JSON.parse(body));
  send(errors && data === undefined ? 400 : 200, { errors, data });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/graphql`));
