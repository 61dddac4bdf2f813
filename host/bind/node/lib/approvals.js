// Runs of scripts whose calls may need somebody's approval: such a run is parked until there is an answer.

import { codeTool } from './code-tool.js'
import { translated } from './desk.js'
import { DeniedError, ParkRequest } from './errors.js'
import { native } from './native.js'
import { Runtime } from './runtime.js'
import { named } from './tools.js'

/** How soon a run is parked whose calls wait for an answer. */
const SOON = '10ms'
const DENIED = 'the user did not approve this call'

/** @typedef {import('../index.js').PassingCall} PassingCall */
/** @typedef {import('../index.js').Tools} Tools */
/** @typedef {import('../approvals.js').Decision} Decision */

/**
 * What drivers begin with: the runs of a tool's scripts, and the plain tool that it is described by.
 * @param {Tools} tools
 * @param {import('../approvals.js').CodeModeOptions} options
 */
export async function approvedCode(tools, { description, resultLength, ...options }) {
  const { language = 'typescript', grant, principal, groups } = options
  const runs = new ApprovedRuns(tools, { ...options, language })
  const declared = grant === undefined ? undefined : await runs.runtime.grantedDeclarations(grant, language, { principal, groups })
  const plain = codeTool(runs.tools, { runtime: runs.runtime, language, grant, description, declared })
  return { runs, plain, resultLength }
}

export class ApprovedRuns {
  #options
  #rules
  #approve

  /**
   * @param {Tools} tools
   * @param {import('../approvals.js').ApprovalOptions} options
   */
  constructor(tools, { runtime, approve, ...options }) {
    /** Where they run. */
    this.runtime = runtime ?? new Runtime()
    this.#options = options
    const { given, rules } = separated(tools)
    /** The tools, those that need approval among them. */
    this.tools = given
    this.#rules = rules
    this.#approve = matcher(approve)
    /** Whether any call may need approval. */
    this.asks = rules.size > 0 || this.#approve !== undefined
    /** Whether runs are parked: some calls may ask, and there is a folder. Without one, a call that asks fails, and says so. */
    this.parks = this.asks && this.runtime.parks
    /** The session of all these runs. */
    this.session = options.session
  }

  /**
   * Starts a script.
   * @param {string} code
   * @param {import('../approvals.js').StartOptions} [options]
   */
  start(code, options = {}) {
    const parking = this.parks ? { parkAfter: SOON } : { label: undefined }
    const layers = this.#layers(new Map())
    return this.runtime.start(code, { ...this.#options, tools: this.tools, layers, ...options, ...parking })
  }

  /**
   * Continues a parked run. Its outcome is kept: a framework may ask for it again.
   * @param {string} run
   * @param {Map<number, Decision>} decisions about the calls that it waits for, by their numbers
   * @param {import('../approvals.js').StartOptions} [options]
   */
  resume(run, decisions, options = {}) {
    const { principal, groups } = this.#options
    const layers = this.#layers(decisions)
    return this.runtime.start({ resume: run }, { tools: this.tools, layers, ...options, principal, groups, keepOutcome: true })
  }

  /** The runs that wait for an answer, and those whose outcome is kept. */
  async kept() {
    return this.parks ? await this.runtime.parked({ principal: this.#options.principal }) : []
  }

  /** @param {string} run it is given up */
  async forget(run) {
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
    if (typeof rule === 'function') {
      if (await rule(call.arguments, { toolCallId: `${call.run}:${call.number}`, messages: [] })) return true
    } else if (rule) {
      return true
    }
    return Boolean(await this.#approve?.(call))
  }
}

/**
 * The tools as scripts may call all of them, and what says of some whether a call needs approval.
 * @param {Tools} tools
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
 * Which calls need approval: a function, or patterns, which mean what they mean in `[approvals]`.
 * @param {import('../approvals.js').ApprovalOptions['approve']} approve
 * @returns {((call: PassingCall) => boolean | Promise<boolean>) | undefined}
 */
function matcher(approve) {
  if (approve === undefined || (Array.isArray(approve) && approve.length === 0)) return undefined
  if (typeof approve === 'function') return approve
  const patterns = translated(() => new native.NativePatterns(JSON.stringify(approve)))
  return ({ server, tool }) => patterns.matches(server, tool)
}
