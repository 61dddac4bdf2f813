// Cloudflare codemode's `Executor`, so that its `createCodeTool` runs code here.

import { Runtime, RunError, valueOf } from './index.js'

/** Names that the script around the code has for itself. */
const OWN = '__ampoule'
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/
/** @typedef {import('./codemode.js').Functions} Functions */

export class AmpouleExecutor {
  #runtime
  #options

  /** @param {import('./codemode.js').AmpouleExecutorOptions} [options] */
  constructor({ runtime, ...options } = {}) {
    this.#runtime = runtime ?? new Runtime()
    this.#options = options
  }

  /**
   * @param {string} code
   * @param {import('./codemode.js').ResolvedProvider[] | Functions} providersOrFns
   * @param {import('./codemode.js').ExecuteOptions} [options]
   * @returns {Promise<import('./codemode.js').ExecuteResult>}
   */
  async execute(code, providersOrFns, { connectors = [] } = {}) {
    try {
      const providers = Array.isArray(providersOrFns) ? providersOrFns : [{ name: 'codemode', fns: providersOrFns }]
      const all = [...providers.map(provided), ...connectors.map(connected)]
      const unfit = problem(all.map(({ name }) => name))
      if (unfit) return { result: undefined, error: unfit }
      const tools = { [OWN]: { call: dispatcher(all) } }
      const { limits, signal } = this.#options
      const running = this.#runtime.run(script(code, all), { language: 'javascript', tools, limits, signal })
      const outcome = /** @type {import('./index.js').Outcome<{ result?: unknown }>} */ (await running)
      return { ...result(outcome), logs: outcome.output.map(shown) }
    } catch (error) {
      return { result: undefined, error: error instanceof Error ? error.message : String(error) }
    }
  }
}

/**
 * @typedef {{ name: string, prelude?: string, find: (tool: string) => ((...args: unknown[]) => Promise<unknown>) | undefined }} Provider
 */

/**
 * A provider's functions, which codemode calls by identifiers made of their names.
 * @param {import('./codemode.js').ResolvedProvider} provider
 * @returns {Provider}
 */
function provided({ name, fns, prelude }) {
  const called = new Map(Object.entries(fns).flatMap(([name, fn]) => [[identifier(name), fn], [name, fn]]))
  return { name, prelude, find: (tool) => called.get(tool) }
}

/** @param {string} name */
function identifier(name) {
  const plain = name.replace(/[-.\s]/g, '_').replace(/[^\w$]/g, '')
  return /^\d/.test(plain) ? `_${plain}` : plain
}

/** A connector has every requested method.
 * @param {import('./codemode.js').ConnectorBinding} connector
 * @returns {Provider}
 */
function connected({ name, binding }) {
  return { name, find: (method) => async (...args) => controlled(await binding.callTool(method, args[0])) }
}

/**
 * What codemode's runtime answers instead of a result. It knows by this message that a run is to be tried again later.
 * @param {any} answer
 */
function controlled(answer) {
  if (answer?.__codemode_control__ === 'pause') throw new Error('__CODEMODE_PAUSE__')
  if (answer?.__codemode_control__ === 'error') throw new Error(String(answer.message))
  return answer
}

/** @param {string[]} names */
function problem(names) {
  const unfit = names.find((name) => !IDENTIFIER.test(name) || name === OWN)
  if (unfit !== undefined) return `Provider name "${unfit}" is not a valid JavaScript identifier, or reserved`
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) return `Duplicate provider name "${twice}"`
}

/**
 * The one tool by which the script around the code calls providers' functions, whatever arguments they take.
 * @param {Provider[]} providers
 */
function dispatcher(providers) {
  const named = new Map(providers.map((provider) => [provider.name, provider]))
  return {
    description: 'Calls a function of a provider.',
    inputSchema: { type: 'object', properties: { provider: { type: 'string' }, tool: { type: 'string' }, args: { type: 'array' } } },
    /** @param {{ provider: string, tool: string, args: unknown[] }} call */
    async execute({ provider, tool, args }) {
      const fn = named.get(provider)?.find(tool)
      if (!fn) throw new Error(`Tool "${tool}" not found`)
      return fn(...args)
    },
  }
}

/**
 * The code, within its providers. What stands before it is on its first line, but for preludes: places in errors are its own.
 * @param {string} code
 * @param {Provider[]} providers
 */
function script(code, providers) {
  const proxy = (/** @type {string} */ name) =>
    `const ${name} = new Proxy({}, { get: (own, tool) => Object.hasOwn(own, tool) || typeof tool !== 'string' ? own[tool] : async (...args) => { try { return await ${OWN}.call({ provider: '${name}', tool, args }) } catch (error) { throw new Error(error.message) } } });`
  const proxies = providers.map(({ name }) => proxy(name)).join(' ')
  const preludes = providers.map(({ prelude }) => (prelude ? `${prelude}\n` : '')).join('')
  const body = isFunction(code) ? code : `async () => {\n${code}\n}`
  return `return await (async (${OWN}) => { ${proxies} ${preludes}return { result: await (${body}\n)() } })(tools.${OWN})`
}

/**
 * Whether code is as codemode's `normalizeCode` leaves it, a function; otherwise it is the body of one.
 * @param {string} code
 */
function isFunction(code) {
  const rest = code.trim().replace(/^async\b\s*/, '')
  if (!rest.startsWith('(')) return /^(?:function\b|[A-Za-z_$][\w$]*\s*=>)/.test(rest)
  let depth = 0
  const end = [...rest].findIndex((letter) => {
    if (letter === '(') depth++
    return letter === ')' && --depth === 0
  })
  return /^\s*=>/.test([...rest].slice(end + 1).join(''))
}

/**
 * The value of the code is wrapped by the script around it, so that no value differs from `null`.
 * @param {import('./index.js').Outcome<{ result?: unknown }>} outcome
 */
function result(outcome) {
  try {
    return { result: valueOf(outcome).result }
  } catch (error) {
    if (!(error instanceof RunError)) throw error
    return { result: undefined, error: outcome.ending === 'threw' ? outcome.error.message : error.message }
  }
}

/** @param {import('./index.js').Line} line */
function shown({ level, text }) {
  return level === 'warn' || level === 'error' ? `[${level}] ${text}` : text
}
