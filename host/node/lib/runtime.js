// The runtime, and its runs.

import { ask, carry, desk, letGo, translated } from './desk.js'
import { native } from './native.js'
import { answer, prepared } from './tools.js'

/** @typedef {import('../index.js').RunOptions} RunOptions */

export class Runtime {
  #native

  /** @param {import('../index.js').RuntimeOptions} [options] */
  constructor(options = {}) {
    this.#native = translated(() => new native.NativeRuntime(desk, JSON.stringify(options)))
  }

  /**
   * @template [T=unknown]
   * @param {string} code
   * @param {RunOptions} [options]
   * @returns {Promise<import('../index.js').Outcome<T>>}
   */
  async run(code, options) {
    return /** @type {Run<T>} */ (this.start(code, options)).outcome
  }

  /**
   * @template [T=unknown]
   * @param {string} code
   * @param {RunOptions} [options]
   * @returns {Run<T>}
   */
  start(code, options = {}) {
    return new Run(this.#native, code, options)
  }

  /**
   * @param {import('../index.js').Tools} tools
   * @param {import('../index.js').Language} [language]
   */
  declarations(tools, language = 'typescript') {
    return translated(() => this.#native.declarations(language, prepared(tools).servers))
  }

  /** @param {import('../index.js').Language} language */
  async warm(language) {
    await ask((number) => this.#native.warm(language, number)).told
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
  /** It is there as long as its runs are. */
  #runtime
  #native

  /**
   * @param {InstanceType<typeof native.NativeRuntime>} runtime
   * @param {string} code
   * @param {RunOptions} options
   */
  constructor(runtime, code, { tools = {}, signal, context, ...rest }) {
    this.#runtime = runtime
    const { servers, find } = prepared(tools)
    const options = JSON.stringify({ ...rest, code })
    const { asked, told } = ask((number) => runtime.start(options, servers, number))
    this.#native = asked
    const over = new AbortController()
    carry(this.id, ({ call, server, tool, json }) =>
      answer(find(server, tool), json, { toolCallId: `${this.id}:${call}`, messages: [], abortSignal: over.signal, context }),
    )
    /** @type {Promise<import('../index.js').Outcome<T>>} */
    this.outcome = this.#until(told, signal).finally(() => {
      letGo(this.id)
      over.abort()
    })
    // Whoever listens to events alone is not to be ended by it.
    this.outcome.catch(() => {})
  }

  get id() {
    return this.#native.id
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
