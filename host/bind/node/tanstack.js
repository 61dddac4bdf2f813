// TanStack AI's `IsolateDriver`, so that its code mode runs code here.

import { Runtime, RunError, valueOf } from './index.js'

/** The name that the script around the code has for itself. */
const OWN = '__ampoule'
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/
const MIB = 1024 * 1024

/** @typedef {import('./tanstack.js').IsolateConfig} IsolateConfig */
/** @typedef {import('./index.js').Outcome<{ result?: unknown }>} Outcome */

/**
 * @param {import('./tanstack.js').AmpouleIsolateDriverOptions} [options]
 * @returns {import('./tanstack.js').IsolateDriver}
 */
export function createAmpouleIsolateDriver({ runtime = new Runtime(), onEvent, ...options } = {}) {
  return {
    async createContext(config) {
      const unfit = Object.keys(config.bindings).find((name) => !IDENTIFIER.test(name) || name === OWN)
      if (unfit !== undefined) throw new Error(`the binding "${unfit}" is not a JavaScript identifier, or is reserved: rename the tool`)
      const controller = new AbortController()
      const signal = options.signal ? AbortSignal.any([options.signal, controller.signal]) : controller.signal
      return {
        async execute(code) {
          const tools = { [OWN]: { call: dispatcher(config.bindings) } }
          const limits = { ...bounds(config), ...options.limits }
          const run = runtime.start(script(code, Object.keys(config.bindings)), { ...options, language: 'javascript', tools, limits, signal })
          if (onEvent) for await (const event of run.events()) onEvent(event)
          return result(/** @type {Outcome} */ (await run.outcome))
        },
        async dispose() {
          controller.abort()
        },
      }
    },
  }
}

/** @param {IsolateConfig} config */
function bounds({ timeout, memoryLimit }) {
  return {
    ...(timeout !== undefined && { wallTime: timeout }),
    ...(memoryLimit !== undefined && { memory: memoryLimit * MIB }),
  }
}

/** @param {IsolateConfig['bindings']} bindings */
function dispatcher(bindings) {
  return {
    description: 'Calls a binding.',
    inputSchema: { type: 'object', properties: { name: { type: 'string' }, args: {} }, required: ['name'] },
    /** @param {{ name: string, args?: unknown }} call */
    async execute({ name, args }) {
      const binding = Object.hasOwn(bindings, name) ? bindings[name] : undefined
      if (!binding) throw new Error(`unknown tool "${name}"`)
      return (await binding.execute(args ?? {})) ?? null
    },
  }
}

/**
 * The code, with its bindings. What stands before it is on its first line: places in errors are its own.
 * @param {string} code
 * @param {string[]} names
 */
function script(code, names) {
  const bindings = names.map((name) => `${name} = (args) => ${OWN}.call({ name: '${name}', args })`)
  const declared = bindings.length > 0 ? `const ${bindings.join(', ')};` : ''
  return `return await (async (${OWN}) => { ${declared} return { result: await (async () => { ${code}\n})() } })(tools.${OWN})`
}

/**
 * @param {Outcome} outcome
 * @returns {import('./tanstack.js').ExecutionResult<any>}
 */
function result(outcome) {
  const logs = outcome.output.map(({ level, text }) => (level in PREFIXES ? `${PREFIXES[level]}: ${text}` : text))
  try {
    return { success: true, value: valueOf(outcome).result, logs }
  } catch (error) {
    if (!(error instanceof RunError)) throw error
    const thrown = outcome.ending === 'threw' ? outcome.error : undefined
    const code = outcome.ending === 'limit' ? outcome.limit : outcome.ending
    return { success: false, error: { name: thrown?.name ?? error.name, message: error.message, stack: thrown?.stack, code }, logs }
  }
}

/** @type {Record<string, string>} */
const PREFIXES = { error: 'ERROR', warn: 'WARN', info: 'INFO' }
