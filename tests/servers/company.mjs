// A company: its issuer, which exchanges tokens; an MCP server with an authorization server of its
// own, which takes the issuer's assertions; and an HTTP API and a GraphQL API, which take the issuer's own
// tokens.
//
//     node company.mjs FOLDER AUDIENCE
//
// FOLDER holds `node_modules`, and people's tokens are for AUDIENCE. The first line of output has the
// addresses. After that, each line of input is answered by one: `token NAME` by a token of somebody,
// and what else there is says how the issuer goes on, and is answered by what happened. It gives
// assertions for `another-server`, or for `another-audience`; it gives `ended` ones, `another-kind` of
// token, or the token `back` that it got.

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, audience] = process.argv.slice(2);
const { resolve } = createRequire(pathToFileURL(`${folder}/node_modules/`));
const load = (name) => import(pathToFileURL(resolve(name)));
const { SignJWT, createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } = await load("jose");
const { default: express } = await load("express");
const sdk = "@modelcontextprotocol/sdk/server";
const { McpServer } = await load(`${sdk}/mcp.js`);
const { StreamableHTTPServerTransport } = await load(`${sdk}/streamableHttp.js`);

const GRANTS = "urn:ietf:params:oauth:grant-type:";
const KINDS = "urn:ietf:params:oauth:token-type:";

const app = () => express().use(express.json()).use(express.urlencoded());
const listening = (app) =>
  new Promise((done) => {
    const server = createServer(app);
    server.listen(0, "127.0.0.1", () => done(`http://127.0.0.1:${server.address().port}`));
  });
const [idp, authority, web] = [app(), app(), app()];
const [issuer, authorizer, origin] = await Promise.all([idp, authority, web].map(listening));
const [resource, api, graphql] = ["mcp", "api", "graphql"].map((path) => `${origin}/${path}`);

/** How the issuer goes on. */
let words = [];
/** What happened, what servers were sent as `Authorization`, and what nobody else may see. */
const told = { exchanges: 0, assertions: 0, bearers: [], secrets: [] };

const { privateKey } = await generateKeyPair("ES256", { extractable: true });
const { kty, crv, x, y } = await exportJWK(privateKey);
const jwks = { keys: [{ kty, crv, x, y, alg: "ES256", use: "sig", kid: "company" }] };
const keys = createLocalJWKSet(jwks);
const signed = async (by, claims, typ, life = 3600) => {
  const now = Math.floor(Date.now() / 1000);
  const token = await new SignJWT({ iss: by, iat: now, exp: now + life, ...claims })
    .setProtectedHeader({ alg: "ES256", typ, kid: "company" })
    .setJti(crypto.randomUUID())
    .sign(privateKey);
  told.secrets.push(token);
  return token;
};
const basic = (id, secret) => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
const refuse = (response, error) => response.status(400).json({ error });

idp.get("/.well-known/openid-configuration", (_, response) => {
  response.json({ issuer, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` });
});
idp.get("/jwks", (_, response) => response.json(jwks));
idp.post("/token", async ({ body, headers }, response) => {
  const known = headers.authorization === basic("ampoule", "secret-of-ampoule");
  if (!known) return refuse(response, "invalid_client");
  const kind = body.subject_token_type === `${KINDS}access_token`;
  if (body.grant_type !== `${GRANTS}token-exchange` || !kind) return refuse(response, "invalid_request");
  const verified = await jwtVerify(body.subject_token, keys, { issuer, audience }).catch(() => {});
  if (!verified) return refuse(response, "invalid_grant");
  told.exchanges += 1;
  const { sub } = verified.payload;
  const give = (access_token, kind, token_type) =>
    response.json({ access_token, issued_token_type: KINDS + kind, token_type, expires_in: 3600 });
  if (words.includes("back")) return give(body.subject_token, "access_token", "Bearer");
  if (body.requested_token_type === `${KINDS}access_token` || words.includes("another-kind")) {
    return give(await signed(issuer, { sub, aud: body.resource }, "at+jwt"), "access_token", "Bearer");
  }
  const claims = {
    sub,
    aud: words.includes("another-server") ? "http://127.0.0.1:1" : body.audience,
    resource: words.includes("another-audience") ? "http://127.0.0.1:1/mcp" : body.resource,
    client_id: "ampoule-at-notes",
  };
  const life = words.includes("ended") ? -60 : 300;
  give(await signed(issuer, claims, "oauth-id-jag+jwt", life), "id-jag", "N_A");
});

authority.get("/.well-known/oauth-authorization-server", (_, response) => {
  response.json({
    issuer: authorizer,
    authorization_endpoint: `${authorizer}/authorize`,
    token_endpoint: `${authorizer}/token`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    grant_types_supported: [`${GRANTS}jwt-bearer`],
  });
});
authority.post("/token", async ({ body, headers }, response) => {
  told.assertions += 1;
  const known = headers.authorization === basic("ampoule-at-notes", "secret-at-notes");
  if (!known) return refuse(response, "invalid_client");
  if (body.grant_type !== `${GRANTS}jwt-bearer`) return refuse(response, "unsupported_grant_type");
  const expected = { issuer, audience: authorizer, typ: "oauth-id-jag+jwt" };
  const verified = await jwtVerify(body.assertion, keys, expected).catch(() => {});
  if (verified?.payload.resource !== resource) return refuse(response, "invalid_grant");
  const access_token = await signed(authorizer, { sub: verified.payload.sub, aud: resource }, "at+jwt");
  response.json({ access_token, token_type: "Bearer", expires_in: 3600 });
});

/** Who asks, by a token of this issuer for this audience. */
const who = async ({ headers }, issuer, audience) => {
  const { authorization } = headers;
  if (authorization && !told.bearers.includes(authorization)) told.bearers.push(authorization);
  const token = authorization?.replace(/^Bearer /, "");
  const verified = token && (await jwtVerify(token, keys, { issuer, audience }).catch(() => {}));
  return verified?.payload.sub;
};
web.get("/.well-known/oauth-protected-resource/mcp", (_, response) => {
  response.json({ resource, authorization_servers: [authorizer] });
});
web.post("/mcp", async (request, response) => {
  const sub = await who(request, authorizer, resource);
  if (!sub) {
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    response.set("WWW-Authenticate", `Bearer resource_metadata="${metadata}"`);
    return response.status(401).end();
  }
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  const whoami = { description: "Says who asks.", annotations: { readOnlyHint: true } };
  server.registerTool("whoami", whoami, () => ({ content: [{ type: "text", text: sub }] }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await server.connect(transport);
  return transport.handleRequest(request, response, request.body);
});
web.all("/mcp", (_, response) => response.status(405).end());
web.get("/api/me", async (request, response) => {
  const sub = await who(request, issuer, api);
  return sub ? response.json({ name: sub }) : response.status(401).end();
});
web.post("/graphql", async (request, response) => {
  const sub = await who(request, issuer, graphql);
  return sub ? response.json({ data: { me: { name: sub } } }) : response.status(401).end();
});

const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
say({ issuer, url: resource, api, graphql });
for await (const line of createInterface({ input: process.stdin })) {
  words = line.trim().split(" ");
  const [first, name] = words;
  say(first === "token" ? await signed(issuer, { sub: name, aud: audience }, "at+jwt") : told);
}
process.exit(0);
