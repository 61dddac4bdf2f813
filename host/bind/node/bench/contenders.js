// Sandboxes that do the same work: a trivial run, calls of a host function, and JSON that the host has.

import { createRequire } from 'node:module'
import { Runtime, valueOf } from 'ampoule'

/**
 * @typedef {{
 *   name: string, version: string,
 *   work: Record<'trivial' | 'calls' | 'rows', () => Promise<unknown>>,
 *   close: () => Promise<void>,
 * }} Contender
 */

const require = createRequire(import.meta.url)
/** @param {string} name @returns {string} */
const versionOf = (name) => require(`${name}/package.json`).version

const ROWS = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `row ${id}`, tags: ['a', 'b'], price: id + 0.5 }))
/** The host has it as text: each sandbox reads it, as it would read an answer of some service. */
const TEXT = JSON.stringify(ROWS)

const TRIVIAL = '6 * 7'
const SUM = 'rows.reduce((sum, { price }) => sum + Math.floor(price), 0)'

/** @returns {Promise<Contender>} */
export async function ampoule() {
  const runtime = new Runtime()
  const tools = { next: { execute: (/** @type {any} */ { n }) => n }, rows: { execute: () => JSON.parse(TEXT) } }
  /** @param {string} code */
  const run = async (code) => valueOf(await runtime.run(code, { language: 'javascript', tools }))
  return {
    name: 'ampoule',
    version: versionOf('ampoule'),
    work: {
      trivial: () => run(`return ${TRIVIAL}`),
      calls: () => run('let sum = 0; for (let n = 0; n < 1000; n++) sum += await host.next({ n }); return sum'),
      rows: () => run(`const rows = await host.rows(); return ${SUM}`),
    },
    close: () => runtime.close(),
  }
}

/** @returns {Promise<Contender>} */
export async function isolatePerRun() {
  const { default: ivm } = await import('isolated-vm')
  return {
    name: 'isolated-vm, an isolate for each run',
    version: versionOf('isolated-vm'),
    work: inIsolates(async (use) => {
      const isolate = new ivm.Isolate({ memoryLimit: 128 })
      try {
        return await use(isolate, await isolate.createContext())
      } finally {
        isolate.dispose()
      }
    }, ivm),
    close: async () => {},
  }
}

/** What is left of a run in its isolate is there for the next, outside of its context. @returns {Promise<Contender>} */
export async function contextPerRun() {
  const { default: ivm } = await import('isolated-vm')
  const isolate = new ivm.Isolate({ memoryLimit: 128 })
  return {
    name: 'isolated-vm, a context for each run',
    version: versionOf('isolated-vm'),
    work: inIsolates(async (use) => {
      const context = await isolate.createContext()
      try {
        return await use(isolate, context)
      } finally {
        context.release()
      }
    }, ivm),
    close: async () => isolate.dispose(),
  }
}

/**
 * @typedef {import('isolated-vm')} Ivm
 * @param {(use: (isolate: import('isolated-vm').Isolate, context: import('isolated-vm').Context) => Promise<unknown>) => Promise<unknown>} fresh
 * @param {any} ivm
 * @returns {Contender['work']}
 */
function inIsolates(fresh, ivm) {
  return {
    trivial: () => fresh((_, context) => context.eval(TRIVIAL, { timeout: 60_000 })),
    calls: () =>
      fresh(async (_, context) => {
        await context.global.set('next', new ivm.Reference(async (/** @type {number} */ n) => n))
        const code = '(async () => { let sum = 0; for (let n = 0; n < 1000; n++) sum += await next.apply(undefined, [n], { result: { promise: true } }); return sum })()'
        return context.eval(code, { promise: true, timeout: 60_000 })
      }),
    rows: () =>
      fresh(async (_, context) => {
        await context.global.set('text', TEXT)
        return context.eval(`{ const rows = JSON.parse(text); ${SUM} }`, { timeout: 60_000 })
      }),
  }
}

/** Its functions are called on this thread, which waits for them and for the run. @returns {Promise<Contender>} */
export async function quickjs() {
  const { getQuickJS } = await import('quickjs-emscripten')
  const module = await getQuickJS()
  /**
   * @param {string} code
   * @param {(context: import('quickjs-emscripten').QuickJSContext) => void} [prepare]
   */
  const run = async (code, prepare) => {
    const context = module.newContext()
    try {
      prepare?.(context)
      const value = context.unwrapResult(context.evalCode(code))
      const result = context.dump(value)
      value.dispose()
      return result
    } finally {
      context.dispose()
    }
  }
  return {
    name: 'quickjs-emscripten, a context for each run',
    version: versionOf('quickjs-emscripten'),
    work: {
      trivial: () => run(TRIVIAL),
      calls: () =>
        run('let sum = 0; for (let n = 0; n < 1000; n++) sum += next(n); sum', (context) => {
          const next = context.newFunction('next', (n) => context.newNumber(context.getNumber(n)))
          context.setProp(context.global, 'next', next)
          next.dispose()
        }),
      rows: () =>
        run(`{ const rows = JSON.parse(text); ${SUM} }`, (context) => {
          const text = context.newString(TEXT)
          context.setProp(context.global, 'text', text)
          text.dispose()
        }),
    },
    close: async () => {},
  }
}
