// What calls pass on their way to their tools.

import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AmpouleError, CallError, DeniedError, Runtime, ToolResult, valueOf } from 'ampoule'

/** @typedef {import('ampoule').Layer} Layer */

const runtime = new Runtime()
after(() => runtime.close())

const tools = {
  double: { execute: (/** @type {any} */ { n }) => 2 * n },
  refund: { execute() {} },
  broken: {
    execute() {
      throw new Error('the shop is closed')
    },
  },
}

/**
 * What a script returns whose calls pass these layers.
 * @param {string} code
 * @param {Layer[]} layers
 * @param {import('ampoule').RunOptions} [options]
 */
const value = async (code, layers, options) => valueOf(await runtime.run(code, { language: 'javascript', tools, layers, ...options }))

/** @param {string} call */
const caught = (call) => `try { return await host.${call} } catch (error) { return [error.kind, error.message] }`

test('a call passes layers from the outermost on', async () => {
  const seen = /** @type {any[]} */ ([])
  const outer = /** @type {Layer} */ (
    async (call, next) => {
      seen.push(call)
      const result = await next()
      seen.push(result)
      return result
    }
  )
  /** @type {Layer} */
  const inner = (call, next) => next({ n: call.arguments.n + 1 })
  assert.equal(await value('return await host.double({ n: 20 })', [outer, inner], { principal: 'ada' }), 42)
  const [{ server, tool, arguments: given, number, principal, run }, result] = seen
  assert.deepEqual([server, tool, given, number, principal], ['host', 'double', { n: 20 }, 0, 'ada'])
  assert.match(run, /-/)
  assert.deepEqual(result, new ToolResult({ structuredContent: 42 }))
})

test('those of the runtime are around those of a run', async () => {
  const order = /** @type {string[]} */ ([])
  /** @type {(name: string) => Layer} */
  const named = (name) => (_, next) => {
    order.push(name)
    return next()
  }
  const layered = new Runtime({ layers: [named('runtime')] })
  const options = { tools, layers: [named('run')] }
  assert.equal(valueOf(await layered.run('return await host.double({ n: 1 })', options)), 2)
  assert.equal(valueOf(await layered.run('return await host.double({ n: 1 })', { tools })), 2)
  await layered.close()
  assert.deepEqual(order, ['runtime', 'run', 'runtime'])
})

test('a call that is denied says so, in both languages', async () => {
  /** @type {Layer} */
  const deny = () => {
    throw new DeniedError('not on a Sunday')
  }
  assert.deepEqual(await value(caught('double({ n: 1 })'), [deny]), ['denied', 'not on a Sunday'])
  const python = 'try:\n    await host.double(n=1)\nexcept ToolError as error:\n    return [error.kind, str(error)]'
  assert.deepEqual(await value(python, [deny], { language: 'python' }), ['denied', 'not on a Sunday'])
})

test('what a layer throws is what the script catches', async () => {
  /** @type {[Layer, string, string][]} */
  const cases = [
    [() => Promise.reject(new CallError('try again', 'timed-out')), 'timed-out', 'try again'],
    [() => Promise.reject(new RangeError('too far')), 'failed', 'too far'],
    [() => 1n, 'failed', 'Do not know how to serialize a BigInt'],
    [
      async (_, next) => {
        await next()
        return next()
      },
      'failed',
      'a call can be sent on only once: `next` was called before',
    ],
  ]
  for (const [layer, kind, said] of cases) assert.deepEqual(await value(caught('double({ n: 1 })'), [layer]), [kind, said])
})

test('a layer sees failures, and can fix them', async () => {
  const seen = /** @type {ToolResult[]} */ ([])
  const mend = /** @type {Layer} */ (
    async (_, next) => {
      const result = await next()
      seen.push(result)
      return result.isError ? { mended: true } : result
    }
  )
  /** @type {Layer} */
  const denies = () => {
    throw new DeniedError('no')
  }
  const catches = /** @type {Layer} */ (
    async (_, next) => {
      try {
        return await next()
      } catch (error) {
        return error instanceof DeniedError && `caught: ${error.message}`
    }
    }
  )
  assert.deepEqual(await value('return await host.broken()', [mend]), { mended: true })
  assert.match(JSON.stringify(seen[0]?.content), /the shop is closed/)
  assert.equal(await value('return await host.double({ n: 1 })', [catches, denies]), 'caught: no')
  assert.equal(await value('return await host.refund()', [mend]), null)
})

test('a layer may answer without the tool', async () => {
  /** @type {[Layer, unknown][]} */
  const cases = [
    [(call) => [call.tool, call.arguments], ['broken', {}]],
    [() => new ToolResult({ content: [{ type: 'text', text: 'a text' }] }), 'a text'],
    [() => new ToolResult({ content: [{ type: 'text', text: 'sold out' }], isError: true }), ['failed', 'sold out']],
  ]
  for (const [layer, gives] of cases) assert.deepEqual(await value(caught('broken()'), [layer]), gives)
})

test('layers see the AsyncLocalStorage of the caller that started the run', async () => {
  const user = new AsyncLocalStorage()
  const layer = /** @type {Layer} */ (
    async () => {
      await sleep(1)
      return user.getStore()
    }
  )
  const seen = await user.run('ada', () => value('return await host.double({ n: 1 })', [layer]))
  assert.equal(seen, 'ada')
})

test('a call that is given up is over for its layers', async () => {
  const forever = { execute: () => new Promise(() => {}) }
  const ended = /** @type {string[]} */ ([])
  const passed = /** @type {AbortSignal[]} */ ([])
  const waits = /** @type {Layer} */ (
    async (call, next) => {
      passed.push(call.signal)
      try {
        return await next()
      } catch (error) {
        if (error instanceof CallError) ended.push(error.kind)
        throw error
    }
    }
  )
  const outcome = await runtime.run('await host.forever()', { tools: { forever }, layers: [waits], limits: { wallTime: 200 } })
  assert.equal(outcome.ending, 'limit')
  for (let waited = 0; !passed[0]?.aborted && waited < 100; waited++) await sleep(20)
  assert.deepEqual([ended, passed[0]?.aborted], [['cancelled'], true])
})

test('a value other than a layer is refused', async () => {
  const wrong = /** @type {any} */ ([() => 1, [1], 'layer', {}])
  for (const layers of wrong) {
    if (Array.isArray(layers)) assert.throws(() => new Runtime({ layers: /** @type {any} */ (layers) }), AmpouleError)
    await assert.rejects(runtime.run('return 1', { layers }), { code: 'usage', message: /must be an array of functions/ })
  }
})
