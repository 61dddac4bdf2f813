// Cloudflare codemode's Executor, by itself and with the real package.

import assert from 'node:assert/strict'
import { register } from 'node:module'
import process from 'node:process'
import { test } from 'node:test'
import { Runtime } from 'ampoule'
import { AmpouleExecutor } from 'ampoule/codemode'
import * as z from 'zod'

// Only Workers have this module; what is run here needs no more of it than that it is there.
const WORKERS = 'data:text/javascript,export class WorkerEntrypoint {} export class RpcTarget {}'
const HOOKS = `
export const resolve = (name, context, next) =>
  name === 'cloudflare:workers' ? { url: ${JSON.stringify(WORKERS)}, shortCircuit: true } : next(name, context)
`
register(`data:text/javascript,${encodeURIComponent(HOOKS)}`)

const executor = new AmpouleExecutor({ limits: { wallTime: 10_000 } })
const codemode = {
  name: 'codemode',
  fns: {
    add: async (/** @type {any} */ { a, b }) => ({ sum: a + b }),
    'get-it': async () => undefined,
    fail: async () => {
      throw new RangeError('the shop is closed')
    },
  },
}

test('code calls functions of providers, by identifiers', async () => {
  const code = 'async () => [await codemode.add({ a: 1, b: 2 }), await codemode.get_it(), await state.read("a", 2)]'
  const state = { name: 'state', fns: { read: async (/** @type {unknown[]} */ ...given) => given } }
  const told = await executor.execute(code, [codemode, state])
  assert.deepEqual(told, { result: [{ sum: 3 }, null, ['a', 2]], logs: [] })
})

test('output, errors and limits are reported and not thrown', async () => {
  const printing = await executor.execute('async () => { console.log("a"); console.warn("b"); console.error("c"); return null }', [])
  assert.deepEqual(printing, { result: null, logs: ['a', '[warn] b', '[error] c'] })
  const failed = await executor.execute('async () => { console.log("a"); await codemode.fail() }', [codemode])
  assert.deepEqual(failed, { result: undefined, error: 'the shop is closed', logs: ['a'] })
  const caught = await executor.execute('async () => { try { await codemode.fail() } catch (error) { return error.message } }', [codemode])
  assert.deepEqual(caught, { result: 'the shop is closed', logs: [] })
  const missing = await executor.execute('async () => codemode.none()', [codemode])
  assert.equal(missing.error, 'Tool "none" not found')
  const syntax = await executor.execute('async () => { const = 1 }', [])
  assert.match(syntax.error ?? '', /./)
  const endless = new AmpouleExecutor({ limits: { fuel: 300_000_000 } })
  assert.match((await endless.execute('async () => { for (;;) {} }', [])).error ?? '', /limit `fuel`/)
  const cancelled = new AmpouleExecutor({ signal: AbortSignal.abort() })
  assert.match((await cancelled.execute('async () => { for (;;) {} }', [])).error ?? '', /cancelled/)
})

test('a body without a function, and a value other than an object', async () => {
  for (const code of ['return (1 + 2) * [1].map((n) => n)[0]', '() => 3', 'async function named() { return 3 }', 'x => 3', '(a = (() => 1)()) => 3']) {
    assert.deepEqual(await executor.execute(code, codemode.fns), { result: 3, logs: [] }, code)
  }
  assert.deepEqual(await executor.execute('async () => {}', []), { result: undefined, logs: [] })
})

test('preludes come first, and connectors are asked', async () => {
  const asked = /** @type {unknown[]} */ ([])
  const binding = {
    /** @param {string} method @param {unknown} args */
    async callTool(method, args) {
      asked.push([method, args])
      if (method === 'later') return { __codemode_control__: 'pause' }
      if (method === 'never') return { __codemode_control__: 'error', message: 'denied' }
      return 'done'
    },
  }
  const providers = [{ ...codemode, prelude: 'codemode.twice = async (n) => (await codemode.add({ a: n, b: n })).sum;' }]
  const connectors = [{ name: 'github', binding }]
  const told = await executor.execute('async () => [await codemode.twice(21), await github.merge({ n: 1 })]', providers, { connectors })
  assert.deepEqual(told.result, [42, 'done'])
  assert.deepEqual(asked, [['merge', { n: 1 }]])
  assert.equal((await executor.execute('async () => github.later()', [], { connectors })).error, '__CODEMODE_PAUSE__')
  assert.equal((await executor.execute('async () => github.never()', [], { connectors })).error, 'denied')
})

test('invalid names are reported', async () => {
  /** @type {import('ampoule/codemode').Functions} */
  const fns = {}
  for (const [names, says] of /** @type {[string[], RegExp][]} */ ([
    [['a b'], /"a b" is not a valid JavaScript identifier/],
    [['a', 'a'], /Duplicate provider name "a"/],
  ])) {
    const told = await executor.execute('async () => 1', names.map((name) => ({ name, fns })))
    assert.match(told.error ?? '', says)
  }
})

// Bun and Deno take no such hooks.
const skip = 'bun' in process.versions || 'deno' in process.versions

test("codemode's createCodeTool, for the AI SDK", { skip }, async () => {
  const { createCodeTool } = await import('@cloudflare/codemode/ai')
  const { tool } = await import('ai')
  const add = tool({
    description: 'Adds two numbers.',
    inputSchema: z.object({ a: z.number(), b: z.number().default(2) }),
    execute: async ({ a, b }) => ({ sum: a + b }),
  })
  const code = createCodeTool({ tools: { 'add-two': add }, executor })
  assert.match(String(code.description), /add_two/)
  const execute = /** @type {any} */ (code.execute)
  const options = { toolCallId: '1', messages: [] }
  assert.deepEqual(await execute({ code: 'const { sum } = await codemode.add_two({ a: 40 }); console.log("adding"); sum' }, options), {
    result: 42,
    logs: ['adding'],
  })
  await assert.rejects(execute({ code: 'await codemode.add_two({ a: "x" })' }, options), /Code execution failed/)
})

test("codemode's createBrowserCodeTool, which needs no Workers", async () => {
  const { createBrowserCodeTool } = await import('@cloudflare/codemode/browser')
  const runtime = new Runtime()
  const tools = {
    twice: {
      description: 'Doubles.',
      inputSchema: /** @type {const} */ ({ type: 'object', properties: { n: { type: 'number' } } }),
      execute: async (/** @type {any} */ { n }) => 2 * n,
    },
  }
  const code = createBrowserCodeTool({ tools, executor: new AmpouleExecutor({ runtime }) })
  assert.deepEqual(await code.execute({ code: 'async () => await codemode.twice({ n: 21 })' }), { result: 42 })
  await runtime.close()
})
