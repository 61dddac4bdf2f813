// Code mode for the AI SDK: a tool made of the caller's tools and of MCP servers, whose nested calls can ask for approval.

import { approvedCode } from './lib/approvals.js'
import { resultOf } from './lib/code-tool.js'
import { decisionsOf, here, labelled, labelOf, outcomeOf, shownOf } from './lib/kept.js'

/** @typedef {import('./ai-sdk.js').CodeModeInput} Input */
/** @typedef {import('./ai-sdk.js').ToolOptions} ToolOptions */
/** @typedef {import('./index.js').OpenCall} OpenCall */
/** @typedef {import('./index.js').Outcome} Outcome */
/** @typedef {import('./index.js').ParkedRun} ParkedRun */
/** @typedef {import('./lib/approvals.js').ApprovedRuns} ApprovedRuns */
/** @typedef {Pick<import('./index.js').Run, 'events' | 'outcome'>} Run */

/** How many runs are known here that began before their tool was executed. */
const MOST_BEGUN = 1000

/** How the label begins of a run that a tool call has resumed: its approval was used. */
const AFTER = 'after '

/**
 * @param {import('./index.js').Tools} tools
 * @param {import('./ai-sdk.js').CodeModeOptions} [options]
 * @returns {Promise<import('./ai-sdk.js').CodeMode>}
 */
export async function codeMode(tools, { onEvent, thread, ...options } = {}) {
  const { runs, plain, resultLength } = await approvedCode(tools, options)
  return new CodeMode(runs, plain, { resultLength, onEvent, thread })
}

/** Its methods are functions of each instance: the AI SDK calls them on copies. */
class CodeMode {
  #runs
  #onEvent
  #length
  #thread
  /** Runs that began when it was asked whether they need approval, by their labels. */
  #begun = /** @type {Map<string, Run>} */ (new Map())

  /**
   * @param {ApprovedRuns} runs
   * @param {import('./index.js').CodeTool} plain
   * @param {Pick<import('./ai-sdk.js').CodeModeOptions, 'resultLength' | 'onEvent' | 'thread'>} options
   */
  constructor(runs, plain, { resultLength, onEvent, thread }) {
    this.#runs = runs
    this.#thread = thread ?? runs.session
    this.#length = resultLength
    this.#onEvent = onEvent
    const more = runs.parks ? '\n\nSome calls need approval. If the result says so, call this tool again with `resume` alone.' : ''
    this.description = plain.description + more
    this.inputSchema = runs.parks ? RESUMABLE : plain.inputSchema
    /** @type {(input: Input, told: ToolOptions) => AsyncGenerator<any>} */
    this.execute = (input, told) => this.#execute(input, told)
    this.needsApproval = runs.parks ? (/** @type {Input} */ input, /** @type {ToolOptions} */ told) => this.#asks(input, told) : undefined
    /** @type {(input: Input, told: ToolOptions) => Promise<any>} */
    this.toolApproval = async (input, told) => {
      const found = await this.#asking(input, told)
      return found && { type: 'user-approval', reason: shown(found.openCalls) }
    }
    this.waiting = async (/** @type {string} */ toolCallId, /** @type {Input} */ input) =>
      this.#found(await runs.kept(), input, toolCallId)?.openCalls ?? []
  }

  /**
   * @param {Input} input
   * @param {ToolOptions} told
   */
  async #asks(input, told) {
    return (await this.#asking(input, told)) !== undefined
  }

  /**
   * The run of a tool call that waits for approval. If it has not begun, it does, unless somebody has answered: the answer is for
   * a run that is gone, whose calls were shown, and not for another.
   * @param {Input} input
   * @param {ToolOptions} told
   */
  async #asking(input, told) {
    if (!this.#runs.parks) return undefined
    const kept = await this.#runs.kept()
    await this.#forget(kept, told.messages)
    const label = this.#label(input, told.toolCallId)
    if (labelled(kept, AFTER + label)) return undefined
    const found = this.#found(kept, input, told.toolCallId)
    if (found || input.code === undefined || this.#answerTo(label, told.messages)) return found
    let run = this.#begun.get(label)
    if (!run) {
      run = this.#start(input.code, told)
      this.#begun.set(label, run)
      for (const [oldest] of this.#begun) if (this.#begun.size > MOST_BEGUN) this.#begun.delete(oldest)
    }
    const { ending } = await run.outcome
    return ending === 'parked' ? this.#found(await this.#runs.kept(), input, told.toolCallId) : undefined
  }

  /**
   * @param {Input} input
   * @param {string} toolCallId
   */
  #label({ code, resume }, toolCallId) {
    return labelOf([this.#thread, toolCallId], code ?? resume ?? '')
  }

  /**
   * The run that waits for the approval of a tool call.
   * @param {ParkedRun[]} kept
   * @param {Input} input
   * @param {string} toolCallId
   */
  #found(kept, input, toolCallId) {
    const { resume } = input
    const waiting = kept.filter(({ state }) => state === 'left')
    if (resume === undefined) return labelled(waiting, this.#label(input, toolCallId))
    return waiting.find(({ run, openCalls }) => token(run, openCalls) === resume)
  }

  /**
   * Gives the runs up whose approval was denied: nobody asks for them again.
   * @param {ParkedRun[]} kept
   * @param {any[]} [messages]
   */
  async #forget(kept, messages = []) {
    const denied = answers(messages).filter(({ approved }) => !approved)
    const found = denied.map(({ toolCallId, input }) => this.#found(kept, input, toolCallId))
    await Promise.all(found.map((run) => run && this.#runs.forget(run.run).catch(() => {})))
  }

  /**
   * What somebody answered to the request for the approval of this very tool call.
   * @param {string} label
   * @param {any[]} [messages]
   */
  #answerTo(label, messages) {
    return answers(messages).findLast(({ toolCallId, input }) => this.#label(input, toolCallId) === label)
  }

  /**
   * @param {string} code
   * @param {ToolOptions} told
   */
  #start(code, told) {
    return this.#heard(this.#runs.start(code, { label: this.#label({ code }, told.toolCallId), ...optionsOf(told) }), told.toolCallId)
  }

  /**
   * @template {Run} R
   * @param {R} run
   * @param {string} toolCallId
   */
  #heard(run, toolCallId) {
    const listen = async () => {
      for await (const event of run.events()) this.#onEvent?.(event, { toolCallId })
    }
    if (this.#onEvent) void listen()
    return run
  }

  /**
   * @param {Input} input
   * @param {ToolOptions} told
   */
  async *#execute(input, told) {
    const run = await this.#run(input, told)
    yield* progress(run)
    yield await this.#result(await run.outcome)
  }

  /**
   * The run of a tool call: one that was approved, one that has begun, or a new one. An approval is for the calls that were shown,
   * and is used once: the calls that the script comes to then need another tool call.
   * @param {Input} input
   * @param {ToolOptions} told
   * @returns {Promise<Run>}
   */
  async #run(input, told) {
    if (!this.#runs.parks && input.code !== undefined) return this.#heard(this.#runs.start(input.code, optionsOf(told)), told.toolCallId)
    const [label, kept] = [this.#label(input, told.toolCallId), await this.#runs.kept()]
    const used = labelled(kept, AFTER + label)
    if (used) return over(outcomeOf(here(used)))
    const found = this.#found(kept, input, told.toolCallId)
    if (found) {
      if (!this.#answerTo(label, told.messages)?.approved) throw new Error(`the run waits for the approval of ${shown(found.openCalls)}: nobody approved the tool call ${told.toolCallId}`)
      const decisions = decisionsOf({ approved: true }, found.openCalls)
      return this.#heard(this.#runs.resume(found.run, decisions, { label: AFTER + label, ...optionsOf(told) }), told.toolCallId)
    }
    if (input.code === undefined) throw new Error(`unknown waiting run ${input.resume}: write a script as \`code\``)
    const begun = this.#begun.get(label)
    this.#begun.delete(label)
    return begun ?? this.#start(input.code, told)
  }

  /** @param {Outcome} outcome */
  async #result(outcome) {
    if (outcome.ending !== 'parked') return resultOf(outcome, this.#length)
    const logs = outcome.output.map(({ text }) => text)
    const calls = shownOf(await this.#runs.kept(), outcome)
    const next = 'The script waits for approval. Call this tool with `resume` alone: the user is asked then.'
    return { waiting: calls.map(called), resume: token(outcome.run, calls), next, ...(logs.length > 0 && { logs }) }
  }
}

/**
 * What a model calls a run by that waits, and the calls that it waits for: no others are approved by that.
 * @param {string} run
 * @param {OpenCall[]} calls
 */
function token(run, calls) {
  return `${run}.${Math.min(...calls.map(({ call }) => call))}`
}

/** @param {ToolOptions} told */
function optionsOf({ abortSignal: signal, context, experimental_context: former }) {
  return { signal, context: context ?? former }
}

/**
 * A run that is over.
 * @param {Outcome} outcome
 * @returns {Run}
 */
function over(outcome) {
  return { outcome: Promise.resolve(outcome), async *events() {} }
}

/**
 * What a run does, as preliminary results of its tool.
 * @param {Run} run
 */
async function* progress(run) {
  const logs = /** @type {string[]} */ ([])
  let calls = 0
  for await (const event of run.events()) {
    if (event.event === 'output') logs.push(event.text)
    else if (event.event === 'call-ended') calls++
    else if (event.event !== 'progress') continue
    const { fraction, text } = event.event === 'progress' ? event : { fraction: undefined, text: undefined }
    yield { running: true, calls, logs: [...logs], ...(text !== undefined && { progress: text, fraction }) }
  }
}

/**
 * What people answered to requests for approval in these messages, and the tool calls that they were asked about: of calls with the
 * same id, the one that the request stands behind.
 * @param {any[]} [messages]
 * @returns {{ toolCallId: string, input: Input, approved: boolean }[]}
 */
function answers(messages = []) {
  const calls = /** @type {Map<string, Input>} */ (new Map())
  const asked = /** @type {Map<string, { toolCallId: string, input: Input }>} */ (new Map())
  const given = []
  for (const part of messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))) {
    if (part.type === 'tool-call') calls.set(part.toolCallId, part.input)
    if (part.type === 'tool-approval-request') {
      const toolCallId = part.toolCallId ?? part.toolCall?.toolCallId
      const input = part.toolCall?.input ?? calls.get(toolCallId)
      if (input) asked.set(part.approvalId, { toolCallId, input })
    }
    const request = part.type === 'tool-approval-response' && asked.get(part.approvalId)
    if (request) given.push({ ...request, approved: part.approved === true })
  }
  return given
}

/**
 * Calls that a run waits for, for a person.
 * @param {OpenCall[]} calls
 */
function shown(calls) {
  return calls.map(called).join(', ')
}

/** @param {OpenCall} call */
function called({ server, tool, arguments: given }) {
  return `${server}.${tool}(${given === null ? '…' : JSON.stringify(given)})`
}

const properties = {
  code: { type: 'string', description: 'The script' },
  resume: { type: 'string', description: 'Instead of a script: what the result of a script that waits for approval names' },
}
const schema = () => ({ type: 'object', properties, additionalProperties: false })

/** @type {import('./index.js').StandardSchema<Input>} */
const RESUMABLE = {
  '~standard': {
    version: 1,
    vendor: 'ampoule',
    validate(value) {
      const { code, resume } = /** @type {Record<string, unknown>} */ (value ?? {})
      if (typeof code === 'string' && resume === undefined) return { value: { code } }
      if (typeof resume === 'string' && code === undefined) return { value: { resume } }
      return { issues: [{ message: 'give `code`, or `resume`, as text' }] }
    },
    jsonSchema: { input: schema, output: schema },
  },
}
