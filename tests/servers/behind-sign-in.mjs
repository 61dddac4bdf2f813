// An MCP server that wants to know who asks, and its authorization server: npm's `oidc-provider`
// and the official SDK, at two origins of this machine. Ada signs in without being asked, or who the
// browser's header `x-account` names. Beside the MCP server is an HTTP API, and a GraphQL API; each
// takes tokens for itself alone. The client `by-hand` is registered already.
//
//     node behind-sign-in.mjs FOLDER LIFE
//
// FOLDER holds `node_modules`, and access tokens live for LIFE seconds. The first line of output
// has the servers' addresses. After that, each line of input says how they go on, in words, and is
// answered by a line that says what happened: the authorization server `fails`, or `rejects` what is
// to be refreshed, or `holds` back the tokens that it gives; the tokens that there are have `ended`.

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

// Output is for answers alone; `oidc-provider` gives advice there.
console.info = console.error;
const [folder, life] = process.argv.slice(2);
const { resolve } = createRequire(pathToFileURL(`${folder}/node_modules/`));
const load = (name) => import(pathToFileURL(resolve(name)));
const { Provider } = await load("oidc-provider");
const { createLocalJWKSet, exportJWK, generateKeyPair, jwtVerify } = await load("jose");
const { default: express } = await load("express");
const sdk = "@modelcontextprotocol/sdk/server";
const { McpServer } = await load(`${sdk}/mcp.js`);
const { StreamableHTTPServerTransport } = await load(`${sdk}/streamableHttp.js`);
const { requireBearerAuth } = await load(`${sdk}/auth/middleware/bearerAuth.js`);
const { InvalidTokenError } = await load(`${sdk}/auth/errors.js`);

const listening = (server) =>
  new Promise((done) => {
    server.listen(0, "127.0.0.1", () => done(`http://127.0.0.1:${server.address().port}`));
  });

// Both addresses are known before there is anything at them.
const authority = createServer();
const issuer = await listening(authority);
const web = createServer();
const origin = await listening(web);
const resource = `${origin}/mcp`;
const metadata = "/.well-known/oauth-protected-resource/mcp";
const [api, graphql, coded] = ["api", "graphql", "coded"].map((path) => `${origin}/${path}`);
const resources = [resource, api, graphql, coded];

/** How they go on. */
let words = [];
/** What is no longer taken, whatever it says of itself. */
let ended = new Set();
/** What happened, and every text that nobody but the client may see. */
const told = { clients: 0, given: 0, refreshes: 0, refusals: 0, revocations: 0, secrets: [] };
/** What the servers were sent as `Authorization`, and what was written at the API, by whom. */
told.bearers = [];
told.written = [];

const key = await generateKeyPair("ES256", { extractable: true });
const jwk = { ...(await exportJWK(key.privateKey)), alg: "ES256", use: "sig", kid: "tests" };
const provider = new Provider(issuer, {
  jwks: { keys: [jwk] },
  clientDefaults: { id_token_signed_response_alg: "ES256" },
  clients: [
    {
      client_id: "by-hand",
      client_secret: "secret-by-hand",
      application_type: "native",
      redirect_uris: ["http://127.0.0.1/auth/callback"],
      grant_types: ["authorization_code", "refresh_token"],
    },
  ],
  cookies: { keys: ["cookies of a test"] },
  scopes: ["openid", "offline_access", "notes"],
  claims: { openid: ["sub"] },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
  issueRefreshToken: (_, client) => client.grantTypeAllowed("refresh_token"),
  rotateRefreshToken: true,
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: (_, __, oneOf) => oneOf,
      useGrantedResource: () => false,
      getResourceServerInfo: (_, indicator) => ({
        scope: "notes",
        audience: resources.includes(indicator) ? indicator : "nobody",
        accessTokenFormat: "jwt",
        accessTokenTTL: Number(life),
        jwt: { sign: { alg: "ES256" } },
      }),
    },
  },
});

provider.on("authorization_code.saved", (code) => told.secrets.push(code.jti));
provider.on("registration_create.success", () => (told.clients += 1));
provider.use(async (ctx, next) => {
  if (ctx.path === "/token" && words.includes("fails")) {
    ctx.status = 500;
    return;
  }
  await next();
  const answer = ctx.body ?? {};
  for (const name of ["access_token", "refresh_token", "id_token", "client_secret"]) {
    if (answer[name]) told.secrets.push(answer[name]);
  }
  const grant = ctx.oidc?.params?.grant_type;
  if (ctx.path === "/token" && grant === "authorization_code") {
    told.given += 1;
    // Whoever asked is not there any more when this ends.
    while (words.includes("holds")) await new Promise((done) => setTimeout(done, 20));
  }
  if (ctx.path === "/token" && grant === "refresh_token") {
    told[ctx.status === 200 ? "refreshes" : "refusals"] += 1;
  }
  if (ctx.path === "/token/revocation" && ctx.status === 200) told.revocations += 1;
});
// What a server forgot is as good as what it revoked.
const { find } = provider.RefreshToken;
provider.RefreshToken.find = function (...asked) {
  return words.includes("rejects") ? undefined : find.apply(this, asked);
};

/** Signs somebody in, and grants the request. */
const interact = async (request, response) => {
  const accountId = request.headers["x-account"] ?? "ada";
  const { prompt, params } = await provider.interactionDetails(request, response);
  if (prompt.name === "login") {
    const result = { login: { accountId } };
    return provider.interactionFinished(request, response, result);
  }
  const grant = new provider.Grant({ accountId, clientId: params.client_id });
  grant.addOIDCScope("openid offline_access notes");
  for (const indicator of [params.resource ?? resource].flat()) grant.addResourceScope(indicator, "notes");
  const result = { consent: { grantId: await grant.save() } };
  return provider.interactionFinished(request, response, result);
};
const answer = provider.callback();
authority.on("request", (request, response) => {
  if (!request.url.startsWith("/interaction/")) return answer(request, response);
  interact(request, response).catch((error) => response.writeHead(500).end(String(error)));
});

const { kty, crv, x, y } = jwk;
const keys = createLocalJWKSet({ keys: [{ kty, crv, x, y, alg: "ES256", kid: jwk.kid }] });
const verifier = {
  async verifyAccessToken(token) {
    // Clocks differ, and a machine may be slow: that a token was replaced is seen by the count.
    const expected = { issuer, audience: resource, clockTolerance: 60 };
    if (ended.has(token)) throw new InvalidTokenError("it has ended");
    const { payload } = await jwtVerify(token, keys, expected).catch((error) => {
      throw new InvalidTokenError(error.code);
    });
    return {
      token,
      clientId: payload.client_id,
      scopes: payload.scope.split(" "),
      expiresAt: payload.exp + 60,
      extra: { who: payload.sub },
    };
  },
};
const notes = () => {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  const whoami = { description: "Says who asks.", annotations: { readOnlyHint: true } };
  server.registerTool("whoami", whoami, ({ authInfo }) => ({
    content: [{ type: "text", text: authInfo.extra.who }],
  }));
  server.registerTool("leak", { description: "Repeats the token." }, () => ({ content: [] }));
  const repeat = { description: "Gives the token.", inputSchema: {} };
  server.registerTool("repeat", repeat, (_, { authInfo: { token } }) => ({
    content: [{ type: "text", text: `this is ${token}` }],
    structuredContent: { [token]: [token] },
  }));
  return server;
};
const app = express();
app.get(metadata, (_, response) => {
  response.json({ resource, authorization_servers: [issuer], scopes_supported: ["notes"] });
});
const signedIn = requireBearerAuth({
  verifier,
  requiredScopes: ["notes"],
  resourceMetadataUrl: origin + metadata,
});
app.post("/mcp", express.json(), signedIn, async (request, response) => {
  const { id, params } = request.body;
  if (params?.name === "leak") {
    // As servers do that print what they fail on.
    const error = { code: -32603, message: `the token ${request.auth.token} is strange` };
    return response.json({ jsonrpc: "2.0", id, error });
  }
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  await notes().connect(transport);
  return transport.handleRequest(request, response, request.body);
});
app.all("/mcp", signedIn, (_, response) => response.status(405).end());

/** Who asks, by a token for this audience. */
const who = async (request, audience) => {
  const token = request.headers.authorization?.replace(/^Bearer /, "");
  if (!token || ended.has(token)) return undefined;
  const verified = await jwtVerify(token, keys, { issuer, audience, clockTolerance: 60 }).catch(() => {});
  return verified?.payload.sub;
};
app.get("/api/me", async (request, response) => {
  const name = await who(request, api);
  return name ? response.json({ name }) : response.status(401).end();
});
app.post("/api/notes", express.json(), async (request, response) => {
  const name = await who(request, api);
  if (!name) return response.status(401).end();
  told.written.push({ name, text: request.body.text });
  return response.json({ name, text: request.body.text });
});

const type = (kind, name, ofType = null) => ({ kind, name, ofType });
const field = (name, args, of) => ({ name, description: null, args, type: of, isDeprecated: false, deprecationReason: null });
const named = type("NON_NULL", null, type("SCALAR", "String"));
const object = (name, fields) => ({ kind: "OBJECT", name, description: null, fields, inputFields: null, interfaces: [], enumValues: null, possibleTypes: null });
const scalar = (name) => ({ kind: "SCALAR", name, description: null, fields: null, inputFields: null, interfaces: null, enumValues: null, possibleTypes: null });
const me = type("NON_NULL", null, type("OBJECT", "Me"));
const schema = {
  queryType: { name: "Query" },
  mutationType: { name: "Mutation" },
  subscriptionType: null,
  types: [
    object("Query", [field("me", [], me)]),
    object("Mutation", [field("rename", [{ name: "name", description: null, type: named, defaultValue: null }], me)]),
    object("Me", [field("name", [], named)]),
    scalar("String"),
    scalar("Boolean"),
  ],
  directives: [],
};
/** What is asked of a GraphQL API, of somebody. */
const answered = ({ query, variables }, name) => {
  if (query.includes("__schema")) return { data: { __schema: schema } };
  if (!query.includes("rename")) return { data: { me: { name } } };
  told.written.push({ name, text: variables.name });
  return { data: { rename: { name: variables.name } } };
};
const protectedBy = (path) => `/.well-known/oauth-protected-resource${path}`;
for (const [path, audience] of [["/graphql", graphql], ["/coded", coded]]) {
  app.get(protectedBy(path), (_, response) => {
    response.json({ resource: audience, authorization_servers: [issuer], scopes_supported: ["notes"] });
  });
}
app.post("/graphql", express.json(), async (request, response) => {
  const name = await who(request, graphql);
  if (name) return response.json(answered(request.body, name));
  return response
    .set("WWW-Authenticate", `Bearer resource_metadata="${origin}${protectedBy("/graphql")}"`)
    .status(401)
    .json({ errors: [{ message: "say who you are" }] });
});
// As servers do that answer everything with 200. Anybody may ask for the schema.
app.post("/coded", express.json(), async (request, response) => {
  const name = await who(request, coded);
  const isOpen = request.body.query?.includes("__schema");
  if (name || isOpen) return response.json(answered(request.body, name));
  const extensions = { code: "UNAUTHENTICATED" };
  return response.json({ errors: [{ message: "say who you are", extensions }] });
});
web.on("request", (request, response) => {
  const { authorization } = request.headers;
  if (authorization && !told.bearers.includes(authorization)) told.bearers.push(authorization);
  app(request, response);
});

const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
say({ url: resource, issuer, api, graphql, coded, authorization: `${issuer}/auth`, token: `${issuer}/token` });
for await (const line of createInterface({ input: process.stdin })) {
  words = line.trim().split(" ");
  if (words.includes("ended")) ended = new Set(told.secrets);
  say(told);
}
process.exit(0);
