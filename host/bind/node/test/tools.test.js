// Functions as tools.

import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AmpouleError, Runtime, valueOf } from 'ampoule'
import * as z from 'zod'

const runtime = new Runtime()
after(() => runtime.close())

/**
 * What a script in JavaScript returns that has these tools.
 * @param {string} code
 * @param {import('ampoule').Tools} tools
 */
const value = async (code, tools) => valueOf(await runtime.run(code, { language: 'javascript', tools }))

test('functions, async or not, and what they return', async () => {
  const tools = {
    now: { execute: (/** @type {any} */ { n }) => ({ n }) },
    later: {
      async execute(/** @type {any} */ { n }) {
        await sleep(1)
        return [n]
      },
    },
    nothing: { execute() {} },
    last: {
      async *execute() {
        yield 'first'
        yield 'last'
      },
    },
  }
  const code = 'return [await host.now({ n: 1 }), await host.later({ n: 2 }), await host.nothing(), await tools.host.last({})]'
  assert.deepEqual(await value(code, tools), [{ n: 1 }, [2], null, 'last'])
})

test('a method keeps its object', async () => {
  class Shop {
    name = 'corner'
    execute() {
      return this.name
    }
  }
  assert.equal(await value('return await host.where()', { where: new Shop() }), 'corner')
})

test('what a tool throws is a ToolError with its message', async () => {
  const tools = {
    fail: {
      /** @param {any} input */
      execute({ kind }) {
        if (kind === 'text') throw 'grüße'
        if (kind === 'unsaid') throw new RangeError()
        if (kind === 'rejects') return Promise.reject(new Error('later'))
        if (kind === 'bigint') return 1n
        throw new Error('the shop is closed')
      },
    },
  }
  const code = `
    const told = []
    for (const kind of ['error', 'text', 'unsaid', 'rejects', 'bigint']) {
      try { await host.fail({ kind }) } catch (error) { told.push([error.name, error.message]) }
    }
    return told`
  const told = /** @type {string[][]} */ (await value(code, tools))
  const [, unwritable] = told.pop() ?? []
  assert.match(unwritable ?? '', /BigInt/)
  assert.deepEqual(told, [
    ['ToolError', 'the shop is closed'],
    ['ToolError', 'grüße'],
    ['ToolError', 'RangeError'],
    ['ToolError', 'later'],
  ])
})

const Item = z.object({
  name: z.string().describe('What it is called.'),
  price: z.number().positive(),
  colors: z.array(z.enum(['red', 'blue'])).default([]),
})
const order = {
  description: 'Orders an item.',
  inputSchema: z.object({ item: Item, count: z.number().int().default(1) }),
  outputSchema: z.object({ total: z.number() }),
  /** @param {{ item: z.infer<typeof Item>, count: number }} input */
  execute: ({ item, count }) => ({ total: item.price * count, colors: item.colors }),
}

test("zod's schemas are declared, checked, and their defaults filled in", async () => {
  const declared = runtime.declarations({ shop: { order } })
  assert.match(declared, /Orders an item\./)
  assert.match(declared, /What it is called\./)
  assert.match(declared, /colors\?: \("red" \| "blue"\)\[\]/)
  assert.match(declared, /total: number/)
  assert.match(runtime.declarations({ shop: { order } }, 'python'), /async def order\(/)
  const code = "return await shop.order({ item: { name: 'a', price: 2 }, count: 3 })"
  assert.deepEqual(await value(code, { shop: { order } }), { total: 6, colors: [] })
  for (const [given, says] of [
    ["{ item: { name: 'a', price: -1 } }", /price/],
    ["{ item: { name: 'a', price: 1 }, count: 'many' }", /count/],
    ['{ itm: 1 }', /item/],
  ]) {
    const outcome = await runtime.run(`await shop.order(${given})`, { language: 'javascript', tools: { shop: { order } } })
    assert.ok(outcome.ending === 'threw')
    assert.match(outcome.error.message, /** @type {RegExp} */ (says))
  }
})

test('what JSON Schema cannot say is checked by the schema', async () => {
  const even = z.object({ n: z.number().refine((n) => n % 2 === 0, 'this is odd') })
  const tools = { half: { inputSchema: even, execute: (/** @type {any} */ { n }) => n / 2 } }
  assert.equal(await value('return await host.half({ n: 4 })', tools), 2)
  const code = 'try { await host.half({ n: 3 }) } catch (error) { return error.message }'
  assert.equal(await value(code, tools), 'the arguments do not fit: n: this is odd')
})

test('a JSON Schema as it is', async () => {
  const inputSchema = { type: 'object', properties: { n: { type: 'number', description: 'How many.' } }, required: ['n'] }
  const tools = { double: { description: 'Doubles.', inputSchema, execute: (/** @type {any} */ { n }) => 2 * n } }
  assert.match(runtime.declarations(tools), /Doubles\.[^]*How many\.[^]*n: number/)
  assert.equal(await value('return await host.double({ n: 4 })', tools), 8)
  await assert.rejects(value("return await host.double({ n: 'x' })", tools), /ToolError/)
})

test('an invalid schema is reported with the name of its tool', () => {
  const execute = () => 1
  const old = { '~standard': { version: 1, vendor: 'zod', validate() {} } }
  for (const [inputSchema, says] of /** @type {[any, RegExp][]} */ ([
    [7, /^the tool `odd`: its schema is not one/],
    [old, /^the tool `odd`: zod does not say .* zod does from 4\.2 on$/],
    [{ jsonSchema: Promise.resolve({}) }, /^the tool `odd`: its schema is a promise: await it/],
  ])) {
    assert.throws(
      () => runtime.declarations({ odd: { inputSchema, execute } }),
      (error) => error instanceof AmpouleError && error.code === 'usage' && says.test(error.message),
    )
  }
})

test('what nobody carries out, and what a person must allow, is left out', async () => {
  const tools = {
    shown: { description: 'A client carries it out.', inputSchema: { type: 'object' } },
    asked: { needsApproval: true, execute: () => 1 },
    there: { execute: () => 1 },
  }
  assert.deepEqual(await value('return Object.keys(host)', tools), ['there'])
})

test('groups of tools are servers', async () => {
  const get = { execute: (/** @type {any} */ { key }) => key }
  const tools = { 'my-shop': { get }, bank: { get }, get }
  const code = "return await tools.my_shop.get({ key: 'a' }) + await bank.get({ key: 'b' }) + await host.get({ key: 'c' })"
  assert.equal(await value(code, tools), 'abc')
})

test('a tool gets the id of its call, and the context', async () => {
  let told = /** @type {any[]} */ ([])
  const tools = { f: { execute: (/** @type {any} */ _, /** @type {any} */ options) => void told.push({ ...options }) } }
  const run = runtime.start('await Promise.all([host.f(), host.f()])', { language: 'javascript', tools, context: { user: 'Ada' } })
  valueOf(await run.outcome)
  assert.deepEqual(told.map(({ toolCallId }) => toolCallId).sort(), [`${run.id}:0`, `${run.id}:1`])
  for (const { context, experimental_context, messages, abortSignal } of told) {
    assert.deepEqual([context, experimental_context, messages], [{ user: 'Ada' }, { user: 'Ada' }, []])
    assert.ok(abortSignal instanceof AbortSignal && !abortSignal.aborted)
  }
})

test('tools see the AsyncLocalStorage of who started the run', async () => {
  const user = new AsyncLocalStorage()
  const tools = {
    who: {
      async execute() {
        await sleep(1)
        return user.getStore()
      },
    },
  }
  const names = ['Ada', 'Grace']
  const seen = await Promise.all(names.map((name) => user.run(name, () => value('return await host.who()', tools))))
  assert.deepEqual(seen, names)
})

test('a tool whose run is cancelled gets an abort signal', async () => {
  const waits = new Promise((resolve) => {
    const tools = {
      wait: {
        execute(/** @type {any} */ _, /** @type {any} */ { abortSignal }) {
          abortSignal.addEventListener('abort', () => resolve('told'))
          run.cancel()
          return new Promise(() => {})
        },
      },
    }
    const run = runtime.start('await host.wait()', { language: 'javascript', tools })
  })
  assert.equal(await waits, 'told')
})

test('a tool whose call its script cancels gets an abort signal', async () => {
  let aborted = false
  const tools = {
    wait: {
      execute: (/** @type {any} */ _, /** @type {any} */ { abortSignal }) =>
        new Promise((resolve) => {
          abortSignal.addEventListener('abort', () => {
            aborted = true
            resolve(undefined)
          })
        }),
    },
    was: {
      async execute() {
        for (let n = 0; n < 1000 && !aborted; n++) await sleep(10)
        return aborted
      },
    },
  }
  const code = `
import asyncio
try:
    await asyncio.wait_for(host.wait(), 0.05)
except TimeoutError:
    return await host.was()
`
  assert.equal(valueOf(await runtime.run(code, { language: 'python', tools })), true)
})

test('calls of one run are made at once', async () => {
  let [there, open] = [0, () => {}]
  const everybody = new Promise((resolve) => (open = () => resolve(undefined)))
  const tools = {
    meet: {
      async execute() {
        if (++there === 8) open()
        await everybody
        return there
      },
    },
  }
  assert.equal(await value('return (await Promise.all(Array.from({ length: 8 }, () => host.meet()))).length', tools), 8)
})

test('a tool may run a script', async () => {
  const tools = {
    inner: {
      execute: async (/** @type {any} */ { n }) => valueOf(await runtime.run(`return ${n} + 1`, { language: 'javascript' })),
    },
  }
  assert.equal(await value('return await host.inner({ n: await host.inner({ n: 1 }) })', tools), 3)
})

test('a tool that waits stops no other run', async () => {
  let open = () => {}
  const gate = new Promise((resolve) => (open = () => resolve(true)))
  const tools = { wait: { execute: () => gate } }
  const waiting = Array.from({ length: 40 }, () => value('return await host.wait()', tools))
  for (let n = 0; n < 5; n++) assert.equal(await value('return 7', {}), 7)
  open()
  assert.ok((await Promise.all(waiting)).every((gone) => gone === true))
})
