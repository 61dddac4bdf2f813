// Tools as a host's functions: their declarations, and how a call is carried out.

import { desk, translated } from './desk.js'
import { AmpouleError } from './errors.js'
import { native } from './native.js'
import { checked, jsonSchema } from './schema.js'

/** The server of tools that are given without one. */
const SERVER = 'host'

/**
 * @typedef {import('../index.js').Tool} Tool
 * @typedef {import('./call.js').Call} Call
 * @typedef {InstanceType<typeof native.NativeTools>} NativeTools
 * @typedef {{ servers: NativeTools[], find: (server: string, name: string) => Tool | undefined }} Prepared
 */

/** Tools that were declared before: to declare some takes longer than a small run. */
const known = /** @type {WeakMap<object, Prepared>} */ (new WeakMap())

/**
 * Tools as the native part knows them. They are looked at once: what changes in the object afterwards changes nothing.
 * @param {import('../index.js').Tools} tools
 * @returns {Prepared}
 */
export function prepared(tools) {
  if (!isObject(tools)) throw AmpouleError.usage('`tools` must be an object: tools by their names')
  const before = known.get(tools)
  if (before) return before
  const found = /** @type {Map<string, Map<string, Tool>>} */ (new Map())
  for (const [server, name, tool] of named(tools)) {
    if (typeof tool.execute !== 'function' || tool.needsApproval) continue
    const those = found.get(server) ?? new Map()
    found.set(server, those.set(name, tool))
  }
  const servers = [...found].map(([server, those]) => {
    const declared = JSON.stringify([...those].map(([name, tool]) => declaration(name, tool)))
    return translated(() => new native.NativeTools(desk, server, declared))
  })
  const made = { servers, find: (/** @type {string} */ server, /** @type {string} */ name) => found.get(server)?.get(name) }
  known.set(tools, made)
  return made
}

/**
 * @param {import('../index.js').Tools} tools
 * @returns {Generator<[string, string, Tool]>}
 */
export function* named(tools) {
  for (const [name, value] of Object.entries(tools)) {
    if (isTool(held(name, value))) yield [SERVER, name, value]
    else for (const [inner, tool] of Object.entries(value)) yield [name, inner, held(`${name}.${inner}`, tool)]
  }
}

/**
 * @template T
 * @param {string} name
 * @param {T} value
 */
function held(name, value) {
  if (isObject(value)) return value
  throw AmpouleError.usage(`\`${name}\` is not a tool: a tool is an object with \`inputSchema\` and \`execute\``)
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Whether it is a tool, rather than a group of tools. A tool may lack `execute`: then the client carries it out.
 * @param {any} value
 * @returns {value is Tool}
 */
function isTool(value) {
  return typeof value.execute === 'function' || typeof value.description === 'string' || typeof value.type === 'string' || 'inputSchema' in value
}

/**
 * A tool as MCP describes one.
 * @param {string} name
 * @param {Tool} tool
 */
function declaration(name, tool) {
  try {
    return {
      name,
      title: tool.title,
      description: typeof tool.description === 'string' ? tool.description : undefined,
      inputSchema: jsonSchema(tool.inputSchema, 'input') ?? { type: 'object' },
      outputSchema: jsonSchema(tool.outputSchema, 'output'),
      undo: tool.undo,
    }
  } catch (error) {
    throw AmpouleError.usage(`the tool \`${name}\`: ${message(error)}`, error)
  }
}

/**
 * Carries a call out. It never throws: what the tool does is an answer.
 * @param {Tool | undefined} tool
 * @param {Call} call
 * @param {unknown} context
 * @returns {Promise<{ json?: string, failure?: string }>}
 */
export async function answer(tool, call, context) {
  try {
    if (!tool?.execute) throw new Error('unknown tool')
    const input = await checked(tool.inputSchema, JSON.parse(call.json))
    const result = await last(await tool.execute(input, told(call, context)))
    return { json: JSON.stringify(result) ?? 'null' }
  } catch (error) {
    return { failure: message(error) }
  }
}

/**
 * The second argument of a tool. Copies of it have the signal, too.
 * @param {Call} call
 * @param {any} context
 * @returns {import('../index.js').ToolCallOptions}
 */
function told(call, context) {
  return {
    toolCallId: call.id,
    messages: [],
    get abortSignal() {
      return call.signal
    },
    context,
    experimental_context: context,
  }
}

/**
 * The last yielded value: earlier ones are for observers.
 * @param {any} result
 */
async function last(result) {
  if (typeof result?.[Symbol.asyncIterator] !== 'function') return result
  let value
  for await (value of result);
  return value
}

/** @param {unknown} error */
export function message(error) {
  const text = error instanceof Error ? error.message || error.name : String(error)
  return text || 'it failed'
}
