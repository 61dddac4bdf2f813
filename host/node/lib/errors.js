// Errors: of runs that could not be had, and of runs that returned no value.

/** @typedef {import('../index.js').Outcome} Outcome */

/** @typedef {{ kind: 'usage' | 'busy' | 'closed' | 'host', message: string, retryAfter?: number }} Fault */

const KINDS = /** @type {const} */ (['usage', 'busy', 'closed', 'host'])

export class AmpouleError extends Error {
  /** @param {Fault} fault */
  constructor({ kind, message, retryAfter }) {
    super(message)
    this.name = 'AmpouleError'
    this.code = kind
    if (retryAfter !== undefined) this.retryAfter = retryAfter
  }

  /**
   * An error of the native part, whose code is a fault's kind; any other is what it was.
   * @param {any} error
   */
  static of(error) {
    const kind = KINDS.find((kind) => kind === error?.code)
    return kind ? new AmpouleError({ kind, message: error.message }) : error
  }
}

/** @template {Outcome} [O=Outcome] */
export class RunError extends Error {
  /**
   * @param {string} message
   * @param {O} outcome
   */
  constructor(message, outcome) {
    super(message)
    this.name = new.target.name
    this.outcome = outcome
    this.printed = outcome.output.map(({ text }) => text).join('\n')
  }
}

/** @extends {RunError<import('../index.js').Threw>} */
export class ScriptError extends RunError {
  /** @param {import('../index.js').Threw} outcome */
  constructor(outcome) {
    super(shown(outcome.error), outcome)
    this.thrown = outcome.error
  }
}

/** @extends {RunError<import('../index.js').LimitHit>} */
export class LimitError extends RunError {
  /** @param {import('../index.js').LimitHit} outcome */
  constructor(outcome) {
    const { limit, used, allowed, unit } = outcome
    super(`the limit \`${limit}\` was hit: ${used} of ${allowed} ${unit}`, outcome)
    Object.assign(this, { limit, used, allowed, unit })
  }
}

/** @extends {RunError<import('../index.js').Trapped>} */
export class TrapError extends RunError {
  /** @param {import('../index.js').Trapped} outcome */
  constructor(outcome) {
    super(`the guest trapped: ${outcome.error.message}`, outcome)
  }
}

/** @extends {RunError<import('../index.js').Cancelled>} */
export class CancelledError extends RunError {
  /** @param {import('../index.js').Cancelled} outcome */
  constructor(outcome) {
    super('the run was cancelled', outcome)
  }
}

/** @extends {RunError<import('../index.js').Interrupted>} */
export class InterruptedError extends RunError {
  /** @param {import('../index.js').Interrupted} outcome */
  constructor(outcome) {
    super(outcome.error.message, outcome)
  }
}

/**
 * @template T
 * @param {import('../index.js').Outcome<T>} outcome
 * @returns {T}
 */
export function valueOf(outcome) {
  switch (outcome.ending) {
    case 'returned':
      return outcome.value
    case 'threw':
      throw new ScriptError(outcome)
    case 'limit':
      throw new LimitError(outcome)
    case 'trapped':
      throw new TrapError(outcome)
    case 'cancelled':
      throw new CancelledError(outcome)
    case 'interrupted':
      throw new InterruptedError(outcome)
  }
}

/**
 * What was thrown, and where, as a model needs it to mend the script.
 * @param {import('../index.js').Thrown} thrown
 */
function shown({ name, message, location, causes }) {
  const lines = [`${name}: ${message}`]
  if (location) {
    const { module, line, column, text } = location
    lines.push(`--> ${module}:${line}:${column}`, `${line} | ${text}`)
  }
  return [...lines, ...causes.map((cause) => `caused by: ${cause}`)].join('\n')
}
