// Messages of the native part's threads to this one, and requests to them. While a request is open, the process lives.

import { setImmediate, setInterval } from 'node:timers'
import { Call } from './call.js'
import { AmpouleError } from './errors.js'
import { native } from './native.js'

/** Longer than any process lives: only whether it is there counts. */
const ALWAYS = 2 ** 31 - 1

/**
 * @typedef {{ resolve: (json: string | null) => void, reject: (error: Error) => void }} Waiting
 * @typedef {{ json?: string, failure?: string }} Answer
 * @typedef {(call: Call) => Promise<Answer>} Carry
 */

const waiting = /** @type {Map<number, Waiting>} */ (new Map())
/** The callers of tools, by the ids of the active runs. */
const runs = /** @type {Map<string, Carry>} */ (new Map())
/** Calls that are being carried out, by the numbers that they are answered under. */
const calls = /** @type {Map<number, Call>} */ (new Map())

const alive = setInterval(() => {}, ALWAYS)
alive.unref()

export const desk = new native.Desk(lookedAt)

/** Looks at messages: when there are some, and after what may have done a step of a run. */
export function lookedAt() {
  for (const message of desk.take()) told(message)
}

let turned = false

/** To be called before what may do a step of a run: all that one turn of the loop does are short together. */
export function step() {
  if (turned) return
  turned = true
  setImmediate(turn)
}

function turn() {
  turned = false
  desk.nextTurn()
}

/** @param {import('../native.js').Message} message */
function told(message) {
  const { number, run, givenUp, json, fault } = message
  if (run !== undefined) {
    void carried(new Call(message))
    return
  }
  if (givenUp) return givenUpOn(number)
  const asked = waiting.get(number)
  waiting.delete(number)
  if (waiting.size === 0) alive.unref()
  if (fault === undefined) asked?.resolve(json ?? null)
  else asked?.reject(new AmpouleError(JSON.parse(fault)))
}

/**
 * A call was cancelled. Its tool may never be done.
 * @param {number} number
 */
function givenUpOn(number) {
  const call = calls.get(number)
  calls.delete(number)
  call?.giveUp()
}

/**
 * Has a call carried out, and answers it.
 * @param {Call} call
 */
async function carried(call) {
  const number = call.asked
  calls.set(number, call)
  const carry = runs.get(call.run)
  const { json, failure } = carry ? await carry(call) : { failure: 'the run is over' }
  if (calls.get(number) !== call) return
  calls.delete(number)
  step()
  desk.answer(number, json, failure)
  lookedAt()
}

/**
 * From now on, the run's calls are carried out; until they are let go of.
 * @param {string} run
 * @param {Carry} by
 */
export function carry(run, by) {
  runs.set(run, by)
}

/** @param {string} run */
export function letGo(run) {
  runs.delete(run)
}

let last = 0

/**
 * Sends a request with a number, and waits for its result.
 * @template T
 * @param {(number: number) => T} ask
 * @returns {{ asked: T, told: Promise<string | null> }}
 */
export function ask(ask) {
  do last = (last + 1) >>> 0
  while (waiting.has(last))
  const number = last
  const asked = translated(() => ask(number))
  const told = new Promise((resolve, reject) => waiting.set(number, { resolve, reject }))
  alive.ref()
  return { asked, told }
}

/**
 * Does something of the native part; its errors are ours.
 * @template T
 * @param {() => T} work
 * @returns {T}
 */
export function translated(work) {
  try {
    return work()
  } catch (error) {
    throw AmpouleError.of(error)
  }
}
