// A company's issuer: npm's `oidc-provider`, which gives a machine tokens for a server, and people who
// sign in by the client `console`.
//
//     node issuer.mjs FOLDER AUDIENCE [HOST REDIRECT]
//
// FOLDER holds `node_modules`. The issuer calls itself by HOST, and that client leads to REDIRECT. The
// first line of output has the issuer's address. After that, each line of input is answered by one:
// `token ALGORITHM LIFE` by a token that is signed so and lives for so many seconds, `rotate` when the
// issuer has other keys, `person NAME LIFE` when it is NAME who signs in next, with tokens of that life.

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

// Output is for answers alone; `oidc-provider` gives advice there.
console.info = console.error;
const [folder, audience, host = "127.0.0.1", redirect] = process.argv.slice(2);
const { resolve } = createRequire(pathToFileURL(`${folder}/node_modules/`));
const load = (name) => import(pathToFileURL(resolve(name)));
const { Provider } = await load("oidc-provider");
const { exportJWK, generateKeyPair } = await load("jose");

const server = createServer((request, response) => answer(request, response));
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const issuer = `http://${host}:${server.address().port}`;
const client = { client_id: "agent", client_secret: "a secret of a test" };
const people = {
  client_id: "console",
  client_secret: "a secret of the console",
  grant_types: ["authorization_code", "refresh_token"],
  redirect_uris: [redirect],
  response_types: ["code"],
};

/** How the next token is signed, how long it lives, and who signs in. */
let [alg, life, person] = ["RS256", 60, "ada"];
let rotations = 0;

const made = async (kind, kid) => {
  const { privateKey } = await generateKeyPair(kind, { extractable: true });
  return { ...(await exportJWK(privateKey)), use: "sig", kid: `${kid}-${rotations}` };
};

/** An issuer at the same address, with keys of its own. */
const provider = async () => {
  const keys = [await made("RS256", "rsa"), await made("ES256", "p256"), await made("Ed25519", "ed")];
  /** Whoever signs in has agreed to everything. */
  const agreed = async ({ oidc }) => {
    const grant = new oidc.provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId });
    grant.addOIDCScope("openid offline_access");
    grant.addResourceScope(audience, "mcp run");
    await grant.save();
    return grant;
  };
  const provider = new Provider(issuer, {
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_, { uid }) => `/people/${uid}` },
    loadExistingGrant: agreed,
    issueRefreshToken: () => true,
    jwks: { keys },
    cookies: { keys: ["cookies of a test"] },
    clients: [
      {
        ...client,
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
        token_endpoint_auth_method: "client_secret_post",
      },
      ...(redirect ? [people] : []),
    ],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        getResourceServerInfo: (_, resource) => ({
          scope: "mcp run",
          audience: resource,
          accessTokenFormat: "jwt",
          accessTokenTTL: Number(life),
          jwt: { sign: { alg } },
        }),
      },
    },
  });
  const others = provider.callback();
  return async (request, response) => {
    if (!request.url.startsWith("/people/")) return others(request, response);
    // Nobody is asked for a password: it is known who signs in.
    return provider.interactionFinished(request, response, { login: { accountId: person } });
  };
};
let answer = await provider();

const token = async () => {
  const form = { ...client, grant_type: "client_credentials", scope: "mcp", resource: audience };
  const body = new URLSearchParams(form);
  const answered = await fetch(`${issuer}/token`, { method: "POST", body });
  return (await answered.json()).access_token;
};

const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
say(issuer);
for await (const line of createInterface({ input: process.stdin })) {
  const [word, ...more] = line.trim().split(" ");
  if (word === "rotate") {
    rotations += 1;
    answer = await provider();
    say("rotated");
  } else if (word === "person") {
    [person, life = life] = more;
    say(person);
  } else {
    [alg, life] = more;
    say(await token());
  }
}
process.exit(0);
