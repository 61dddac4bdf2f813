// A company's issuer: npm's `oidc-provider`, which gives a machine tokens for a server.
//
//     node issuer.mjs FOLDER AUDIENCE
//
// FOLDER holds `node_modules`. The first line of output has the issuer's address. After that, each
// line of input is answered by one: `token ALGORITHM LIFE` by a token that is signed so and lives
// for so many seconds, `rotate` when the issuer has other keys.

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

// Output is for answers alone; `oidc-provider` gives advice there.
console.info = console.error;
const [folder, audience] = process.argv.slice(2);
const { resolve } = createRequire(pathToFileURL(`${folder}/node_modules/`));
const load = (name) => import(pathToFileURL(resolve(name)));
const { Provider } = await load("oidc-provider");
const { exportJWK, generateKeyPair } = await load("jose");

const server = createServer((request, response) => answer(request, response));
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const issuer = `http://127.0.0.1:${server.address().port}`;
const client = { client_id: "agent", client_secret: "a secret of a test" };

/** How the next token is signed, and how long it lives. */
let [alg, life] = ["RS256", 60];
let rotations = 0;

const made = async (kind, kid) => {
  const { privateKey } = await generateKeyPair(kind, { extractable: true });
  return { ...(await exportJWK(privateKey)), use: "sig", kid: `${kid}-${rotations}` };
};

/** An issuer at the same address, with keys of its own. */
const provider = async () => {
  const keys = [await made("RS256", "rsa"), await made("ES256", "p256"), await made("Ed25519", "ed")];
  return new Provider(issuer, {
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
    ],
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
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
};
let answer = (await provider()).callback();

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
    answer = (await provider()).callback();
    say("rotated");
  } else {
    [alg, life] = more;
    say(await token());
  }
}
process.exit(0);
