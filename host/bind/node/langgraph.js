// Code mode for LangGraph in JavaScript: a tool whose nested calls interrupt the graph for approval.

import { tool } from '@langchain/core/tools'
import { interrupt } from '@langchain/langgraph'
import { approvedCode } from './lib/approvals.js'
import { resultOf } from './lib/code-tool.js'
import { labelOf, outcomeOf, prefixOf, shownOf, Step } from './lib/kept.js'

/** @typedef {import('./lib/approvals.js').ApprovedRuns} ApprovedRuns */
/** @typedef {import('./index.js').Outcome} Outcome */
/** @typedef {import('./index.js').Parked} Parked */

/**
 * @param {any[] | import('./index.js').Tools} tools
 * @param {import('./langgraph.js').LangGraphCodeOptions} [options]
 */
export async function codeTool(tools, { name = 'run_code', onEvent, ...options } = {}) {
  const given = Array.isArray(tools) ? Object.fromEntries(tools.map(adapted)) : tools
  const { runs, plain, resultLength } = await approvedCode(given, options)
  const schema = plain.inputSchema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })

  /**
   * @param {{ code: string }} input
   * @param {any} config
   */
  async function run({ code }, config) {
    const options = { signal: config?.signal, context: config }
    const outcome = runs.parks ? await inTurn(taskOf(config), (task) => new Script(runs, task, code, options, onEvent).outcome()) : await listened(runs.start(code, options), onEvent)
    const { result, logs = [] } = resultOf(outcome, resultLength)
    return logs.map((line) => `${line}\n`).join('') + (typeof result === 'string' ? result : JSON.stringify(result))
  }
  return tool(/** @type {any} */ (run), { name, description: plain.description, schema })
}

/** @typedef {{ ids: (string | undefined)[], call: string | undefined }} Task what a script is in: a thread's task */

/**
 * The task of a graph that a tool call is in. One that runs again is the same, and a later one is another.
 * @param {any} config
 * @returns {Task}
 */
function taskOf(config) {
  const { thread_id: thread, __pregel_task_id: task } = config?.configurable ?? {}
  if (!task) throw new Error('a script whose calls need approval runs in a node of a graph: LangGraph names no task here')
  return { ids: [thread, task], call: config.toolCall?.id ?? config.toolCallId }
}

const turns = /** @type {Map<string, Promise<Outcome>>} */ (new Map())

/**
 * Has scripts of one task wait for each other: LangGraph counts the interrupts of a task, and gives the answers by their numbers,
 * so that one script of a task can ask, and others learn that it does.
 * @param {Task} task
 * @param {(task: Task) => Promise<Outcome>} work
 */
async function inTurn(task, work) {
  const key = prefixOf(task.ids)
  const before = turns.get(key)
  const own = before ? before.then(() => work(task), () => work(task)) : work(task)
  turns.set(key, own)
  try {
    return await own
  } finally {
    if (turns.get(key) === own) turns.delete(key)
  }
}

/** A script of one tool call, as far as it goes this time. */
class Script {
  #runs
  #prefix
  #label
  #code
  #options
  #onEvent
  /** How often it has interrupted its node. */
  #times = 0
  /** What is kept of it. */
  #step = /** @type {Step | undefined} */ (undefined)

  /**
   * @param {ApprovedRuns} runs
   * @param {Task} task
   * @param {string} code
   * @param {import('./approvals.js').StartOptions} options
   * @param {import('./langgraph.js').LangGraphCodeOptions['onEvent']} onEvent
   */
  constructor(runs, { ids, call }, code, options, onEvent) {
    this.#runs = runs
    this.#prefix = prefixOf(ids)
    this.#label = labelOf([...ids, call], code)
    this.#code = code
    this.#options = options
    this.#onEvent = onEvent
  }

  async outcome() {
    let outcome = await this.#begin()
    while (outcome.ending === 'parked') outcome = await this.#resume(await this.#ask(outcome))
    return outcome
  }

  /**
   * The outcome of the run that waits, or has ended; or else of a new one. LangGraph runs a node again from its start, and gives
   * the answers to its interrupts in their order: the label of a kept run says which of them it waits for, or how many it had.
   */
  async #begin() {
    const kept = await this.#runs.kept()
    const step = (this.#step = Step.of(kept, this.#label))
    if (!step) {
      // Of scripts that are called at once, the order is not the same each time: an answer would be for another one.
      const isAnother = ({ label = '' }) => label.startsWith(this.#prefix)
      if (kept.some(isAnother)) throw new Error('This script was not run: another script of the same step asks for approval. Call the tool again.')
      return await this.#listened(this.#runs.start(this.#code, { ...this.#options, label: `${this.#label}#0` }))
    }
    // It was answered before, and the run has gone on.
    for (let answered = 0; answered < step.times; answered++) this.#interrupted({ run: step.run.run, calls: [] })
    return outcomeOf(step.run)
  }

  /**
   * Interrupts the graph; or gives what the answer says of the calls that wait.
   * @param {Parked} outcome
   */
  async #ask(outcome) {
    const calls = shownOf(await this.#runs.kept(), outcome)
    for (;;) {
      const answer = this.#interrupted({ run: outcome.run, calls })
      if (!this.#step) {
        // Nobody was shown what this run waits for: it has just begun.
        await this.#runs.forget(outcome.run)
        throw new Error(
          `the thread has an answer for an earlier run of this script, and that run is gone. Ampoule stopped the new run \`${outcome.run}\`, since the answer is not for that run. Continue from an earlier checkpoint of the thread`,
        )
      }
      const decisions = this.#step.decisions(answer)
      if (decisions.size > 0) return { run: outcome.run, decisions }
    }
  }

  /** @param {{ run: string, decisions: Map<number, import('./approvals.js').Decision> }} answered */
  async #resume({ run, decisions }) {
    const outcome = await this.#listened(this.#runs.resume(run, decisions, { ...this.#options, label: `${this.#label}#${this.#times}` }))
    if (outcome.ending === 'parked') this.#step = Step.of(await this.#runs.kept(), this.#label)
    return outcome
  }

  /** @param {import('./langgraph.js').InterruptedCode} value */
  #interrupted(value) {
    const answer = interrupt(value)
    this.#times++
    return answer
  }

  /** @param {import('./index.js').Run} run */
  #listened(run) {
    return listened(run, this.#onEvent)
  }
}

/**
 * @param {import('./index.js').Run} run
 * @param {import('./langgraph.js').LangGraphCodeOptions['onEvent']} onEvent
 */
async function listened(run, onEvent) {
  if (onEvent) for await (const event of run.events()) onEvent(event)
  return await run.outcome
}

/**
 * A tool of LangChain's as scripts call it.
 * @param {any} tool
 * @returns {[string, import('./index.js').Tool]}
 */
function adapted(tool) {
  const execute = (/** @type {any} */ input, /** @type {any} */ { abortSignal }) => tool.invoke(input, { signal: abortSignal })
  return [tool.name, { description: tool.description, inputSchema: tool.schema, execute }]
}
