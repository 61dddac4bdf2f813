// What calls pass on their way to their tools.

import { ask, desk } from './desk.js'
import { AmpouleError, CallError, DeniedError, ParkRequest } from './errors.js'
import { message } from './tools.js'

/**
 * @typedef {import('../index.js').Layer} Layer
 * @typedef {import('../index.js').PassingCall} PassingCall
 * @typedef {import('./call.js').Call} Call
 */

export class ToolResult {
  /** @param {import('../index.js').ToolResultFields} [fields] */
  constructor({ content = [], structuredContent, isError = false } = {}) {
    this.content = content
    this.structuredContent = structuredContent
    this.isError = isError
  }
}

/**
 * @param {unknown} layers
 * @returns {Layer[]}
 */
export function checkedLayers(layers = []) {
  if (Array.isArray(layers) && layers.every((layer) => typeof layer === 'function')) return layers
  throw AmpouleError.usage('`layers` must be an array of functions: `async (call, next) => next()`')
}

/**
 * Lets a call pass layers, the outermost first. It never throws: what they do is an answer.
 * @param {Layer[]} layers
 * @param {Call} call
 * @returns {Promise<{ json?: string, failure?: string }>}
 */
export async function passed(layers, call) {
  try {
    return { json: JSON.stringify(await through(layers, call, JSON.parse(call.json))) }
  } catch (error) {
    if (error instanceof ParkRequest) return { json: JSON.stringify({ kind: 'park', details: error.details ?? null }) }
    if (!(error instanceof CallError)) return { failure: message(error) }
    return { json: JSON.stringify({ kind: error.kind, message: error.message }) }
  }
}

/**
 * @param {Layer[]} layers
 * @param {Call} call
 * @param {Record<string, any>} args
 * @returns {Promise<ToolResult>}
 */
async function through([layer, ...inner], call, args) {
  if (layer === undefined) return further(call, args)
  const { server, tool, run, number, principal } = call
  /** @type {PassingCall} */
  const passing = {
    server,
    tool,
    arguments: args,
    run,
    number,
    principal,
    get signal() {
      return call.signal
    },
  }
  const result = await layer(passing, (changed = args) => through(inner, call, changed))
  return result instanceof ToolResult ? result : new ToolResult({ structuredContent: result ?? null })
}

/**
 * Sends a call on to its tool, or to what else is in between.
 * @param {Call} call
 * @param {unknown} args
 */
async function further(call, args) {
  if (call.sent) throw AmpouleError.usage('a call can be sent on only once: `next` was called before')
  call.sent = true
  const json = await ask((number) => desk.send(call.asked, JSON.stringify(args), number)).told
  if (json === null) throw new CallError('the call was cancelled', 'cancelled')
  const { kind, message, ...result } = JSON.parse(json)
  if (kind === 'denied') throw new DeniedError(message)
  if (kind !== undefined) throw new CallError(message, kind)
  return new ToolResult(result)
}
