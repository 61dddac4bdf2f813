// Drives `ampoule serve` with the official TypeScript client: node client.mjs PACKAGES AMPOULE.
// Prints what it saw as JSON.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [packages, ampoule] = process.argv.slice(2);
const installed = createRequire(join(packages, "of.js"));
const sdk = (part) => import(pathToFileURL(installed.resolve(`@modelcontextprotocol/sdk/client/${part}.js`)));
const { Client } = await sdk("index");
const { StdioClientTransport } = await sdk("stdio");

const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command: ampoule, args: ["serve"], env: process.env, stderr: "ignore" }));
const execute = (code, options) => client.callTool({ name: "execute_code", arguments: { code } }, undefined, options);
const text = (result) => result.content[0].text;

const saw = { tools: (await client.listTools()).tools.map((tool) => tool.name) };
saw.returns = text(await execute("return (await tools.demo.listProducts({})).total > 0"));
const threw = await execute("throw new TypeError('not today')");
saw.throws = { isError: threw.isError, text: text(threw) };

const progress = [];
const waiting = "await new Promise((done) => setTimeout(done, 2500)); return 'waited'";
saw.waited = text(await execute(waiting, { onprogress: (told) => progress.push(told.progress) }));
saw.progress = progress;

// The run tells that it is there by its tickets, and is given up then.
const tickets = async () => Number(text(await execute("return (await tools.demo.listTickets({ limit: 1 })).total")));
const opening = `for (;;) {
  await tools.demo.createTicket({ customerId: "CUS-0001", subject: "again", text: "and again" });
  await new Promise((done) => setTimeout(done, 5));
}`;
const before = await tickets();
const gaveUp = new AbortController();
const endless = execute(opening, { signal: gaveUp.signal }).then(() => "answered", () => "given up");
while ((await tickets()) < before + 3);
gaveUp.abort();
saw.cancelled = await endless;
const settled = `let same = 0, last = -1;
for (let round = 0; round < 50 && same < 3; round++) {
  const { total } = await tools.demo.listTickets({ limit: 1 });
  same = total === last ? same + 1 : 0;
  last = total;
  await new Promise((done) => setTimeout(done, 100));
}
return same === 3;`;
saw.settled = text(await execute(settled));

// The same as a task, which 2025-11-25 has.
const task = { name: "execute_code", arguments: { code: waiting } };
saw.task = [];
for await (const message of client.experimental.tasks.callToolStream(task)) {
  const { type, result, error } = message;
  if (saw.task.at(-1) !== type) saw.task.push(type);
  if (result) saw.task.push(text(result));
  if (error) saw.task.push(error.message);
}
saw.tasks = (await client.experimental.tasks.listTasks()).tasks.map(({ status }) => status);

const many = Array.from({ length: 50 }, (_, number) => execute(`return ${number}`));
saw.many = (await Promise.all(many)).map(text);
await client.close();
console.log(JSON.stringify(saw));
