// Code mode for the AI SDK: a tool made of the caller's tools and of MCP servers, whose nested calls can ask for approval.

import { ApprovedRuns } from './lib/approvals.js'
import { codeTool, cut, returned } from './lib/code-tool.js'

/** @typedef {import('./ai-sdk.js').CodeModeInput} Input */
/** @typedef {import('./ai-sdk.js').ToolOptions} ToolOptions */
/** @typedef {import('./index.js').Outcome} Outcome */
/** @typedef {import('./index.js').ParkedRun} ParkedRun */

/** How many runs are known here that began before their tool was executed. */
const MOST_BEGUN = 1000

/**
 * @param {import('./index.js').Tools} tools
 * @param {import('./ai-sdk.js').CodeModeOptions} [options]
 * @returns {Promise<import('./ai-sdk.js').CodeMode>}
 */
export async function codeMode(tools, { description, resultLength, onEvent, ...options } = {}) {
  const { language = 'typescript', grant, principal, groups } = options
  const runs = new ApprovedRuns(tools, { ...options, language })
  const declared = grant === undefined ? undefined : await runs.runtime.grantedDeclarations(grant, language, { principal, groups })
  const plain = codeTool(runs.tools, { runtime: runs.runtime, language, grant, description, declared })
  return new CodeMode(runs, plain, { resultLength, onEvent })
}

/** Its methods are functions of each instance: the AI SDK calls them on copies. */
class CodeMode {
  #runs
  #onEvent
  #length
  /** Runs that began when it was asked whether they need approval, by the ids of their tool calls. */
  #begun = /** @type {Map<string, ReturnType<ApprovedRuns['start']>>} */ (new Map())

  /**
   * @param {ApprovedRuns} runs
   * @param {import('./index.js').CodeTool} plain
   * @param {Pick<import('./ai-sdk.js').CodeModeOptions, 'resultLength' | 'onEvent'>} options
   */
  constructor(runs, plain, { resultLength, onEvent }) {
    this.#runs = runs
    this.#length = resultLength
    this.#onEvent = onEvent
    const more = runs.asks ? '\n\nSome calls need approval. If the result says so, call this tool again with `resume` alone.' : ''
    this.description = plain.description + more
    this.inputSchema = runs.asks ? RESUMABLE : plain.inputSchema
    /** @type {(input: Input, told: ToolOptions) => AsyncGenerator<any>} */
    this.execute = (input, told) => this.#execute(input, told)
    this.needsApproval = runs.asks ? (/** @type {Input} */ input, /** @type {ToolOptions} */ told) => this.#asks(input, told) : undefined
    /** @type {(input: Input, told: ToolOptions) => Promise<any>} */
    this.toolApproval = async (input, told) => {
      const waiting = await this.#waiting(input, told)
      return waiting && { type: 'user-approval', reason: shown(waiting) }
    }
    this.waiting = async (/** @type {string} */ toolCallId, /** @type {Input} */ input = {}) =>
      (await this.#found(input, toolCallId))?.waiting ?? []
  }

  /**
   * @param {Input} input
   * @param {ToolOptions} told
   */
  async #asks(input, told) {
    return (await this.#waiting(input, told)) !== undefined
  }

  /**
   * The run of a tool call that waits for approval. If it has not begun, it does.
   * @param {Input} input
   * @param {ToolOptions} told
   */
  async #waiting(input, told) {
    await this.#forget(told.messages)
    const found = await this.#found(input, told.toolCallId)
    if (found || input.code === undefined || !this.#runs.asks || !this.#runs.mayAsk(input.code)) return found
    let run = this.#begun.get(told.toolCallId)
    if (!run) {
      run = this.#start(input.code, told)
      this.#begun.set(told.toolCallId, run)
      for (const [oldest] of this.#begun) if (this.#begun.size > MOST_BEGUN) this.#begun.delete(oldest)
    }
    const outcome = await run.outcome
    return outcome.ending === 'parked' ? this.#found(input, told.toolCallId) : undefined
  }

  /**
   * @param {Input} input
   * @param {string} toolCallId
   * @returns {Promise<ParkedRun | undefined>}
   */
  async #found({ resume }, toolCallId) {
    if (!this.#runs.asks) return undefined
    const parked = await this.#runs.parked()
    return parked.find(({ run, label }) => (resume === undefined ? label === toolCallId : run === resume))
  }

  /**
   * Gives the runs up whose approval was denied: nobody asks for them again.
   * @param {any[]} [messages]
   */
  async #forget(messages = []) {
    const denied = answers(messages).filter(({ approved }) => !approved).map(({ toolCallId }) => toolCallId)
    if (denied.length === 0) return
    const parked = (await this.#runs.parked()).filter(({ label }) => label !== undefined && denied.includes(label))
    await Promise.all(parked.map((run) => this.#runs.forget(run).catch(() => {})))
  }

  /**
   * @param {string} code
   * @param {ToolOptions} told
   */
  #start(code, told) {
    const context = told.context ?? told.experimental_context
    const run = this.#runs.start(code, { label: told.toolCallId, signal: told.abortSignal, context })
    void this.#listen(run, told.toolCallId)
    return run
  }

  /**
   * @param {ReturnType<ApprovedRuns['start']>} run
   * @param {string} toolCallId
   */
  async #listen(run, toolCallId) {
    if (!this.#onEvent) return
    for await (const event of run.events()) this.#onEvent(event, { toolCallId })
  }

  /**
   * @param {Input} input
   * @param {ToolOptions} told
   */
  async *#execute(input, told) {
    const run = await this.#run(input, told)
    yield* progress(run)
    yield this.#result(await run.outcome)
  }

  /**
   * The run of a tool call: one that was approved, one that has begun, or a new one.
   * @param {Input} input
   * @param {ToolOptions} told
   */
  async #run(input, told) {
    const { toolCallId, abortSignal: signal } = told
    const parked = await this.#found(input, toolCallId)
    if (parked) {
      const answer = answers(told.messages).find((answer) => answer.toolCallId === toolCallId)
      if (!answer?.approved) throw new Error(`the run waits for the approval of ${shown(parked)}: nobody approved the tool call ${toolCallId}`)
      const run = this.#runs.resume(parked, { approved: true }, { signal, context: told.context ?? told.experimental_context })
      void this.#listen(run, toolCallId)
      return run
    }
    if (input.code === undefined) throw new Error(`no run waits that is called ${input.resume}: write a script as \`code\``)
    const begun = this.#begun.get(toolCallId)
    this.#begun.delete(toolCallId)
    return begun ?? this.#start(input.code, told)
  }

  /** @param {Outcome} outcome */
  #result(outcome) {
    const logs = outcome.output.map(({ text }) => text)
    if (outcome.ending === 'parked') {
      const waiting = outcome.waiting.map((call) => `${call.server}.${call.tool}(${JSON.stringify(call.arguments)})`)
      const next = 'The script waits for approval. Call this tool with `resume` alone: the user is asked then.'
      return { waiting, resume: outcome.run, next, ...(logs.length > 0 && { logs }) }
    }
    const result = cut(returned(outcome), this.#length)
    return logs.length > 0 ? { result, logs } : { result }
  }
}

/**
 * What a run does, as preliminary results of its tool.
 * @param {ReturnType<ApprovedRuns['start']>} run
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
 * What people answered to requests for approval in these messages, by the tool calls that they were for.
 * @param {any[]} [messages]
 */
function answers(messages = []) {
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  const requests = parts.filter(({ type }) => type === 'tool-approval-request')
  const asked = new Map(requests.map(({ approvalId, toolCallId, toolCall }) => [approvalId, toolCallId ?? toolCall?.toolCallId]))
  const responses = parts.filter(({ type }) => type === 'tool-approval-response')
  return responses.map(({ approvalId, approved }) => ({ toolCallId: asked.get(approvalId), approved: approved === true }))
}

/**
 * The calls that a run waits for, for a person.
 * @param {ParkedRun} parked
 */
function shown({ waiting }) {
  return waiting.map(({ server, tool, arguments: given }) => `${server}.${tool}(${given === null ? '…' : JSON.stringify(given)})`).join(', ')
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
