// Drives `ampoule serve` with the official TypeScript client:
// node client.mjs PACKAGES LINE WHERE MODE, where LINE is `first` for 1.x or `second` for 2.x, and
// WHERE the address that it serves at, or the program. Prints what it saw as JSON.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [packages, line, where, mode] = process.argv.slice(2);
const installed = createRequire(join(packages, "of.js"));
const load = (name) => import(pathToFileURL(installed.resolve(`@modelcontextprotocol/${name}`)));

const program = { command: where, args: ["serve"], env: process.env, stderr: "ignore" };
/** How it is reached, by the transports of one of the lines. */
const transport = (Http, Stdio) =>
  where.startsWith("http:") ? new Http(new URL(where)) : new Stdio(program);

const about = { name: "test", version: "1" };
const capabilities = { elicitation: { form: {} }, sampling: {} };
const person = { action: "accept", asked: [] };
const elicit = async ({ params }) => {
  if (person.action !== "accept") return { action: person.action };
  person.asked.push(params.message);
  return { action: "accept", content: { name: "Ada", check: true } };
};
const sample = async () => ({
  role: "assistant",
  model: "none",
  content: { type: "text", text: "sampled there" },
});

/** A client of 1.x, and how it calls a tool. */
async function first() {
  const { Client } = await load("sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await load("sdk/client/streamableHttp.js");
  const { StdioClientTransport } = await load("sdk/client/stdio.js");
  const { ElicitRequestSchema, CreateMessageRequestSchema } = await load("sdk/types.js");
  const client = new Client(about, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, elicit);
  client.setRequestHandler(CreateMessageRequestSchema, sample);
  await client.connect(transport(StreamableHTTPClientTransport, StdioClientTransport));
  const call = (tool, options) => client.callTool(tool, undefined, options);
  // It tells nobody which version was agreed on.
  return [client, call, undefined];
}

/** One of 2.x, likewise. */
async function second() {
  const { Client, StreamableHTTPClientTransport } = await load("client");
  const { StdioClientTransport } = await load("client/stdio");
  const client = new Client(about, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler("elicitation/create", elicit);
  client.setRequestHandler("sampling/createMessage", sample);
  await client.connect(transport(StreamableHTTPClientTransport, StdioClientTransport));
  const call = (tool, options) => client.callTool(tool, options);
  return [client, call, client.getNegotiatedProtocolVersion()];
}

const [client, call, version] = await { first, second }[line]();
const execute = (code, options) => call({ name: "execute_code", arguments: { code } }, options);
const text = async (code, options) => (await execute(code, options)).content[0].text;

const saw = { version, tools: (await client.listTools()).tools.map((tool) => tool.name) };
saw.returns = await text("return (await tools.demo.listProducts({})).total > 0");
const threw = await execute("throw new TypeError('not today')");
saw.throws = { isError: threw.isError, text: threw.content[0].text };

const progress = [];
const waiting = "await new Promise((done) => setTimeout(done, 2500)); return 'waited'";
saw.waited = await text(waiting, { onprogress: (told) => progress.push(told.progress) });
saw.progress = progress;

// The run tells that it is there by its tickets, and is given up then.
const tickets = async () => Number(await text("return (await tools.demo.listTickets({ limit: 1 })).total"));
const opening = `for (;;) {
  await tools.demo.createTicket({ customerId: "CUS-0001", subject: "again", text: "and again" });
  await new Promise((done) => setTimeout(done, 5));
}`;
const before = await tickets();
const gaveUp = new AbortController();
const endless = execute(opening, { signal: gaveUp.signal }).catch(() => {});
while ((await tickets()) < before + 3);
gaveUp.abort();
await endless;
saw.settled = await text(`let same = 0, last = -1;
for (let round = 0; round < 50 && same < 3; round++) {
  const { total } = await tools.demo.listTickets({ limit: 1 });
  same = total === last ? same + 1 : 0;
  last = total;
  await new Promise((done) => setTimeout(done, 100));
}
return same === 3;`);

saw.many = await Promise.all(Array.from({ length: 50 }, (_, number) => text(`return ${number}`)));

const form = "return JSON.stringify(await tools.everything.triggerElicitationRequest({}))";
saw.form = await text(form);
saw.sampled = await text(
  "return JSON.stringify(await tools.everything.triggerSamplingRequest({ prompt: 'x', maxTokens: 5 }))",
);
person.action = "decline";
saw.declined = await text(form);
saw.asked = person.asked;

// The first run again, as a task, which 1.x knows.
const task = { name: "execute_code", arguments: { code: waiting } };
for await (const message of client.experimental?.tasks.callToolStream(task) ?? []) {
  const { type, result, error } = message;
  saw.task ??= [];
  if (saw.task.at(-1) !== type) saw.task.push(type);
  if (result) saw.task.push(result.content[0].text);
  if (error) saw.task.push(error.message);
}
await client.close();
console.log(JSON.stringify(saw));
