// Runs of scripts whose calls may need somebody's approval: such a run is parked until there is an answer.

import { DeniedError, ParkRequest } from './errors.js'
import { Runtime } from './runtime.js'
import { named } from './tools.js'

/** How soon a run is parked whose calls wait for an answer. */
const SOON = '10ms'
const DENIED = 'the user did not approve this call'

/** @typedef {import('../index.js').PassingCall} PassingCall */
/** @typedef {import('../index.js').ParkedRun} ParkedRun */
/** @typedef {import('../approvals.js').Decision} Decision */

export class ApprovedRuns {
  #options
  #tools
  #rules
  #approve

  /**
   * @param {import('../index.js').Tools} tools
   * @param {import('../approvals.js').ApprovalOptions} options
   */
  constructor(tools, { runtime, approve, ...options }) {
    /** Where they run. */
    this.runtime = runtime ?? new Runtime()
    this.#options = options
    const { given, rules } = separated(tools)
    this.#tools = given
    this.#rules = rules
    this.#approve = matcher(approve)
    /** Whether any call may need approval. */
    this.asks = rules.size > 0 || approve !== undefined
  }

  /** The tools, those that need approval among them. */
  get tools() {
    return this.#tools
  }

  /** @param {string} code whether it may call what needs approval, as far as its text says */
  mayAsk(code) {
    if (typeof this.#options.grant !== 'undefined' && this.#approve !== NOTHING) return true
    const plain = squeezed(code)
    return [...this.#rules.keys()].some((name) => plain.includes(squeezed(name.slice(name.indexOf('.') + 1))))
  }

  /**
   * Starts a script.
   * @param {string} code
   * @param {import('../approvals.js').StartOptions} [options]
   */
  start(code, { label, signal, context } = {}) {
    const parkAfter = this.asks ? SOON : undefined
    const layers = this.#layers(new Map())
    return this.runtime.start(code, { ...this.#options, tools: this.#tools, layers, parkAfter, label, signal, context })
  }

  /**
   * Continues a parked run. The calls that it waits for are decided so.
   * @param {ParkedRun} parked
   * @param {Decision | Map<number, Decision>} decision for all of them, or by their numbers
   * @param {import('../approvals.js').StartOptions} [options]
   */
  resume(parked, decision, { label, signal, context } = {}) {
    const decisions = decision instanceof Map ? decision : new Map(parked.waiting.map(({ call }) => [call, decision]))
    const { principal, groups } = this.#options
    const layers = this.#layers(decisions)
    return this.runtime.start({ resume: parked.run }, { tools: this.#tools, layers, label, signal, context, principal, groups })
  }

  /** The runs that wait for an answer. */
  async parked() {
    const runs = await this.runtime.parked({ principal: this.#options.principal })
    return runs.filter(({ state }) => state === 'left')
  }

  /** @param {ParkedRun} parked it is given up */
  async forget({ run }) {
    await this.runtime.removeParked(run, { principal: this.#options.principal })
  }

  /** @param {Map<number, Decision>} decisions */
  #layers(decisions) {
    const own = this.#options.layers ?? []
    /** @type {import('../index.js').Layer} */
    const asking = async (call, next) => {
      const decision = decisions.get(call.number)
      if (decision) {
        if (!decision.approved) throw new DeniedError(decision.reason || DENIED)
      } else if (await this.#needsApproval(call)) {
        throw new ParkRequest()
      }
      return next()
    }
    return this.asks ? [...own, asking] : own
  }

  /** @param {PassingCall} call */
  async #needsApproval(call) {
    const rule = this.#rules.get(`${call.server}.${call.tool}`)
    if (typeof rule === 'function') return Boolean(await rule(call.arguments, { toolCallId: `${call.run}:${call.number}`, messages: [] }))
    return Boolean(rule) || Boolean(await this.#approve(call))
  }
}

/** @param {PassingCall} _ */
const NOTHING = (_) => false

/**
 * The tools as scripts may call all of them, and what says of some whether a call needs approval.
 * @param {import('../index.js').Tools} tools
 */
function separated(tools) {
  const given = /** @type {Record<string, Record<string, import('../index.js').Tool>>} */ ({})
  const rules = /** @type {Map<string, any>} */ (new Map())
  for (const [server, name, tool] of named(tools)) {
    const { needsApproval, ...rest } = tool
    if (needsApproval) rules.set(`${server}.${name}`, needsApproval)
    given[server] = { ...given[server], [name]: rest }
  }
  return { given, rules }
}

/**
 * Which calls need approval: a function, or patterns such as `github.delete_*`.
 * @param {import('../approvals.js').ApprovalOptions['approve']} approve
 * @returns {(call: PassingCall) => boolean | Promise<boolean>}
 */
function matcher(approve) {
  if (approve === undefined) return NOTHING
  if (typeof approve === 'function') return approve
  const patterns = typeof approve === 'string' ? approve.split(',') : approve
  const rules = patterns.map((pattern) => {
    const parts = pattern.trim().split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    const whole = pattern.includes('.') || pattern.trim() === '*' ? '' : '\\..*'
    return new RegExp(`^${parts.join('.*')}${whole}$`)
  })
  return ({ server, tool }) => rules.some((rule) => rule.test(`${server}.${tool}`))
}

/**
 * A name as all languages spell it.
 * @param {string} text
 */
function squeezed(text) {
  return text.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase()
}

/**
 * What an answer says of calls: one decision for all, or one for each by its number. What is not approved is denied.
 * @param {any} answer
 * @param {{ call: number }[]} waiting
 * @returns {Map<number, Decision>}
 */
export function decisionsOf(answer, waiting) {
  const { answers, approved, reason } = answer ?? {}
  const decision = (/** @type {number} */ call) => {
    const own = answers?.[call]
    if (answers === undefined) return { approved: approved === true, reason }
    return { approved: own === true, reason: typeof own === 'string' ? own : undefined }
  }
  return new Map(waiting.map(({ call }) => [call, decision(call)]))
}
