// Runs that wait on disk until somebody has decided about their calls, and those whose outcomes are kept there: how drivers
// find them again, and what an answer says of their calls.

import { createHash } from 'node:crypto'

/** @typedef {import('../index.js').ParkedRun} ParkedRun */
/** @typedef {import('../index.js').Parked} Parked */
/** @typedef {import('../index.js').OpenCall} OpenCall */
/** @typedef {import('../approvals.js').Decision} Decision */

/**
 * What the run of a tool call is found by: ids of what the framework has, such as a thread's, the last of which is the tool
 * call's; and the code, since some models count their tool calls anew for each message.
 * @param {(string | undefined)[]} ids
 * @param {string} code
 */
export function labelOf(ids, code) {
  if (!ids.at(-1)) throw new Error('the tool call has no id, and its script could not be found after a call was approved: give it one')
  return `${prefixOf(ids)}${createHash('sha256').update(code).digest('hex').slice(0, 16)}`
}

/**
 * How all labels begin that have these ids.
 * @param {(string | undefined)[]} ids
 */
export function prefixOf(ids) {
  return ids.map((id) => (id ? `${encodeURIComponent(id)}/` : '')).join('')
}

/** A run that is kept, and how often it has been resumed with answers: its label ends with that. */
export class Step {
  /**
   * @param {ParkedRun} run
   * @param {number} times
   */
  constructor(run, times) {
    this.run = run
    this.times = times
  }

  /**
   * The run of this label among these. Throws if a process has it.
   * @param {ParkedRun[]} kept
   * @param {string} label
   */
  static of(kept, label) {
    for (const run of kept) {
      const [, name, times] = /^(.*)#(\d+)$/s.exec(run.label ?? '') ?? []
      if (name === label) return new Step(here(run), Number(times))
    }
    return undefined
  }

  /**
   * What an answer says of the calls that have not ended now. A plain approval is for the calls that were shown first: an old
   * one approves no later calls. Calls that are not decided are asked for again.
   * @param {any} answer
   */
  decisions(answer) {
    const { openCalls } = this.run
    if (answer?.answers !== undefined) return decisionsOf(answer, openCalls.filter(({ call }) => call in answer.answers))
    const plain = decisionsOf(answer, openCalls)
    const approves = [...plain.values()].some(({ approved }) => approved)
    return this.times === 0 || !approves ? plain : new Map()
  }
}

/**
 * What an answer says of calls: one decision for all, or one for each by its number. What is not approved is denied.
 * @param {any} answer
 * @param {{ call: number }[]} calls
 * @returns {Map<number, Decision>}
 */
export function decisionsOf(answer, calls) {
  const { answers, approved = answer, reason } = answer ?? {}
  const decision = (/** @type {number} */ call) => {
    if (answers === undefined) return { approved: approved === true, reason }
    const own = answers[call]
    return { approved: own === true, reason: typeof own === 'string' ? own : undefined }
  }
  return new Map(calls.map(({ call }) => [call, decision(call)]))
}

/**
 * The same run. Throws if a process has it.
 * @param {ParkedRun} run
 */
export function here(run) {
  if (run.state !== 'parked') return run
  throw new Error(`the run \`${run.run}\` of this tool call is still running: wait until it ends, and ask again`)
}

/**
 * The run with exactly this label.
 * @param {ParkedRun[]} kept
 * @param {string} label
 */
export function labelled(kept, label) {
  return kept.find((run) => run.label === label)
}

/**
 * All calls that an answer may be for, of a run that was parked: those that wait for their turn, too.
 * @param {ParkedRun[]} kept
 * @param {Parked} outcome
 * @returns {OpenCall[]}
 */
export function shownOf(kept, outcome) {
  const run = kept.find(({ run }) => run === outcome.run)
  return run?.openCalls ?? outcome.waiting.map(({ details: _, ...call }) => call)
}

/**
 * How a run ended; else as its outcome was when it was parked, without what it had printed and used.
 * @param {ParkedRun} run
 * @returns {import('../index.js').Outcome}
 */
export function outcomeOf({ run, language, openCalls, outcome }) {
  if (outcome) return outcome
  const usage = { fuel: 0, wallMs: 0, peakMemoryBytes: 0, peakHostBytes: 0, outputBytes: 0, calls: [] }
  const waiting = openCalls.map((call) => /** @type {any} */ ({ ...call, details: null }))
  return { ending: 'parked', run, waiting, output: [], usage, language }
}
