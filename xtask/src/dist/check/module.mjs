// What somebody does first with the module, and needs nothing else for than the packages.
import assert from 'node:assert/strict'
import { Runtime, valueOf } from 'ampoule'
import { AmpouleExecutor } from 'ampoule/codemode'

assert.equal(typeof AmpouleExecutor, 'function')
const number = { type: 'integer' }
const tools = {
  add: {
    description: 'Adds.',
    inputSchema: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
    execute: async ({ a, b }) => a + b,
  },
  double: {
    description: 'Doubles.',
    inputSchema: { type: 'object', properties: { n: number }, required: ['n'] },
    execute: ({ n }) => 2 * n,
  },
}
const runtime = new Runtime()
for (const [language, code] of [
  ['typescript', 'return await host.double({ n: await host.add({ a: 20, b: 1 }) })'],
  ['python', 'return await host.double(n=await host.add(a=20, b=1))'],
]) {
  const outcome = await runtime.run(code, { language, tools })
  assert.equal(valueOf(outcome), 42)
  console.log(language)
}
await runtime.close()
