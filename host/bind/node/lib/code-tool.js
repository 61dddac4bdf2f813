// One tool by which a model calls others, from a script.

import { RunError, valueOf } from './errors.js'
import { Runtime } from './runtime.js'

/** @typedef {import('../index.js').CodeToolOptions} CodeToolOptions */

const WORDS = {
  typescript: 'TypeScript or JavaScript',
  javascript: 'JavaScript',
  python: 'Python',
}

const FIRST = 'Runs a script that calls tools, in a sandbox'
const THEN = 'Call several tools in one script, and return only what is needed.'

/** How many characters of a result a model gets. */
const LENGTH = 24_000

let shared = /** @type {Runtime | undefined} */ (undefined)

/**
 * @param {import('../index.js').Tools} tools
 * @param {CodeToolOptions} [options]
 * @returns {import('../index.js').CodeTool}
 */
export function codeTool(tools, { language = 'typescript', description, declared, resultLength = LENGTH, ...options } = {}) {
  const { runtime = (shared ??= new Runtime()), ...rest } = options
  // A grant may allow HTTP requests.
  const first = description ?? `${FIRST}${rest.grant === undefined ? ' without network' : ''}. ${THEN}`
  const rule = `Write ${WORDS[language]}: statements with \`await\` and \`return\`. Tools:`
  const declarations = [runtime.declarations(tools, language), ...(declared ? [declared] : [])].join('\n')
  return {
    description: [first, rule, declarations].join('\n\n'),
    inputSchema: CODE,
    async execute({ code }, told = {}) {
      const context = told.context ?? told.experimental_context
      const outcome = await runtime.run(code, { ...rest, language, tools, signal: told.abortSignal, context })
      return resultOf(outcome, resultLength)
    },
  }
}

/**
 * The result of a script: its value, and the lines that it printed.
 * @param {import('../index.js').Outcome} outcome
 * @param {number} [most] characters of its value
 * @returns {import('../index.js').CodeResult}
 */
export function resultOf(outcome, most) {
  const logs = outcome.output.map(({ text }) => text)
  const result = cut(returned(outcome), most)
  return logs.length > 0 ? { result, logs } : { result }
}

/**
 * What a run returned. The error of one that returned nothing says what it printed: a model reads no more than the message.
 * @param {import('../index.js').Outcome} outcome
 */
function returned(outcome) {
  try {
    return valueOf(outcome)
  } catch (error) {
    if (error instanceof RunError && error.printed) error.message += `\n\nIt had printed:\n${error.printed.trimEnd()}`
    throw error
  }
}

/**
 * @param {unknown} value
 * @param {number} [most]
 */
function cut(value, most = LENGTH) {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (text.length <= most) return value
  return `${text.slice(0, most)}… (${text.length - most} more characters: return less)`
}

const properties = { code: { type: 'string', description: 'The script' } }
const schema = () => ({ type: 'object', properties, required: ['code'], additionalProperties: false })

/** @type {import('../index.js').StandardSchema<{ code: string }>} */
const CODE = {
  '~standard': {
    version: 1,
    vendor: 'ampoule',
    validate: (value) =>
      typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'string'
        ? { value: { code: value.code } }
        : { issues: [{ message: '`code` is missing, or no text', path: ['code'] }] },
    jsonSchema: { input: schema, output: schema },
  },
}
