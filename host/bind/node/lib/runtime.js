// The runtime, and its runs.

import { AsyncResource } from 'node:async_hooks'
import { ask, carry, desk, letGo, lookedAt, step, translated } from './desk.js'
import { AmpouleError } from './errors.js'
import { checkedLayers, passed } from './layers.js'
import { native } from './native.js'
import { answer, prepared } from './tools.js'

/** @typedef {import('../index.js').RunOptions} RunOptions */
/** @typedef {import('../index.js').DirectCall} DirectCall */
/** @typedef {import('../index.js').Undo} Undo */
/** @typedef {import('../index.js').Resume} Resume */
/** @typedef {import('../index.js').Language} Language */

/** @type {import('../index.js').Tools} */
const NO_TOOLS = {}

const READY = Promise.resolve()

export class Runtime {
  #native
  #layers

  /** @param {import('../index.js').RuntimeOptions} [options] */
  constructor({ layers, ...options } = {}) {
    this.#layers = checkedLayers(layers)
    const given = written(options)
    this.#native = translated(() => new native.NativeRuntime(desk, given))
  }

  /**
   * @template [T=unknown]
   * @param {string | DirectCall | Undo | Resume} code
   * @param {RunOptions} [options]
   * @returns {Promise<import('../index.js').Outcome<T>>}
   */
  async run(code, options) {
    return /** @type {Run<T>} */ (this.start(code, options)).outcome
  }

  /**
   * @template [T=unknown]
   * @param {string | DirectCall | Undo | Resume} code
   * @param {RunOptions} [options]
   * @returns {Run<T>}
   */
  start(code, options = {}) {
    return new Run(this.#native, this.#layers, code, options)
  }

  /**
   * @param {import('../index.js').Tools} tools
   * @param {Language} [language]
   */
  declarations(tools, language = 'typescript') {
    const { servers } = prepared(tools)
    return translated(() => this.#native.declarations(language, servers))
  }

  /**
   * @param {string | string[]} grant
   * @param {Language} [language]
   * @param {Pick<RunOptions, 'principal' | 'groups'>} [whose]
   */
  async grantedDeclarations(grant, language = 'typescript', { principal, groups } = {}) {
    const granted = written({ grant, principal, groups })
    return (await ask((number) => this.#native.granted(language, granted, number)).told) ?? ''
  }

  get parks() {
    return this.#native.parks
  }

  /** @param {Language} language */
  async warm(language) {
    await ask((number) => this.#native.warm(language, number)).told
  }

  /** @param {Pick<RunOptions, 'principal'>} [whose] */
  async parked({ principal } = {}) {
    const found = await ask((number) => this.#native.parked(principal, number)).told
    return /** @type {import('../index.js').ParkedRun[]} */ (JSON.parse(found ?? '[]'))
  }

  /**
   * @param {string} run
   * @param {Pick<RunOptions, 'principal'>} [whose]
   */
  async removeParked(run, { principal } = {}) {
    await ask((number) => this.#native.removeParked(run, principal, number)).told
  }

  async close() {
    await ask((number) => this.#native.close(number)).told
  }

  [Symbol.asyncDispose]() {
    return this.close()
  }
}

/** @template T */
class Run {
  /** Kept as long as its runs. */
  #runtime
  #native

  /**
   * @param {InstanceType<typeof native.NativeRuntime>} runtime
   * @param {import('../index.js').Layer[]} around the runtime's layers
   * @param {string | DirectCall | Undo | Resume} code
   * @param {RunOptions} options
   */
  constructor(runtime, around, code, { tools = NO_TOOLS, layers: own, signal, context, ...rest }) {
    this.#runtime = runtime
    const { servers, find } = prepared(tools)
    const layers = [...around, ...checkedLayers(own)]
    const layered = layers.length > 0
    const options = written({ ...rest, ...program(code) })
    step()
    const { asked, told } = ask((number) => runtime.start(options, servers, layered, number))
    this.#native = asked
    this.id = this.#native.id
    // Tools and layers see the `AsyncLocalStorage` of the caller that started the run.
    const started = layered || servers.length > 0 ? new AsyncResource('AmpouleRun') : undefined
    const carried = (/** @type {import('./call.js').Call} */ call) =>
      call.passing ? passed(layers, call) : answer(find(call.server, call.tool), call, context)
    if (started) carry(this.id, (call) => started.runInAsyncScope(carried, undefined, call))
    // Its first step may be done; the caller gets the run before anybody hears of that.
    void READY.then(lookedAt)
    /** @type {Promise<import('../index.js').Outcome<T>>} */
    this.outcome = this.#until(told, signal)
    // A caller that only listens to events must not end by an unhandled rejection.
    this.outcome.catch(() => {})
  }

  /**
   * @param {Promise<string | null>} told
   * @param {AbortSignal} [signal]
   */
  async #until(told, signal) {
    const cancel = () => this.cancel()
    if (signal?.aborted) cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      return JSON.parse((await told) ?? 'null')
    } finally {
      signal?.removeEventListener('abort', cancel)
      letGo(this.id)
    }
  }

  async *events() {
    const events = this.#native.events()
    for (;;) {
      const event = await ask((number) => events.next(number)).told
      if (event === null) return
      yield /** @type {import('../index.js').RunEvent} */ (JSON.parse(event))
    }
  }

  cancel() {
    this.#native.cancel()
  }

  async [Symbol.asyncDispose]() {
    this.cancel()
    await this.outcome.catch(() => {})
  }
}

/**
 * The script, or one call.
 * @param {unknown} code
 */
function program(code) {
  if (typeof code === 'string') return { code }
  if (typeof code === 'object' && code !== null) {
    if ('resume' in code) return { resume: code.resume }
    return 'undo' in code ? { undo: code.undo } : { call: code }
  }
  throw AmpouleError.usage(`\`code\` must be a script as a string, { server, tool, arguments }, { undo } or { resume }, not ${code === null ? 'null' : typeof code}`)
}

/**
 * Options as the native part reads them.
 * @param {object} options
 */
function written(options) {
  try {
    return JSON.stringify(options)
  } catch (error) {
    throw AmpouleError.usage(`options, \`env\` among them, must be what JSON is made of: ${error instanceof Error ? error.message : error}`, error)
  }
}
