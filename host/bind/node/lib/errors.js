// Errors: of runs that could not be had, and of runs that returned no value.

/** @typedef {import('../index.js').Outcome} Outcome */

/** @typedef {{ kind: 'usage' | 'busy' | 'closed' | 'host', message: string, retryAfter?: number }} Fault */

const KINDS = /** @type {const} */ (['usage', 'busy', 'closed', 'host'])

export class AmpouleError extends Error {
  /**
   * @param {Fault} fault
   * @param {ErrorOptions} [options]
   */
  constructor({ kind, message, retryAfter }, options) {
    super(message, options)
    this.name = 'AmpouleError'
    this.code = kind
    this.retryAfter = retryAfter
  }

  /**
   * What was asked for can't be had.
   * @param {string} message
   * @param {unknown} [cause]
   */
  static usage(message, cause) {
    return new AmpouleError({ kind: 'usage', message }, cause === undefined ? undefined : { cause })
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

/** @typedef {import('../index.js').FailureKind} FailureKind */

export class CallError extends Error {
  /**
   * @param {string} message
   * @param {FailureKind} [kind]
   */
  constructor(message, kind = 'failed') {
    super(message)
    this.name = new.target.name
    this.kind = kind
  }
}

export class DeniedError extends CallError {
  /** @param {string} message */
  constructor(message) {
    super(message, 'denied')
  }
}

export class ParkRequest extends Error {
  /** @param {unknown} [details] */
  constructor(details = null) {
    super('the call waits for an answer from outside: only a layer can throw this')
    this.name = 'ParkRequest'
    this.details = details
  }
}

/** @template {Outcome} [O=Outcome] */
export class RunError extends Error {
  /**
   * @param {string} message
   * @param {O} outcome
   */
  constructor(message, outcome) {
    super(outcome.callLog ? `${message}\n${outcome.callLog.text}` : message)
    this.name = new.target.name
    this.outcome = outcome
    this.printed = outcome.output.map(({ text }) => `${text}\n`).join('')
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
    super(`the run hit the limit \`${limit}\`: ${used} of ${allowed} ${unit}`, outcome)
    this.limit = limit
    this.used = used
    this.allowed = allowed
    this.unit = unit
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

/** @extends {RunError<import('../index.js').Parked>} */
export class ParkedError extends RunError {
  /** @param {import('../index.js').Parked} outcome */
  constructor(outcome) {
    const calls = outcome.waiting.map(({ server, tool }) => `${server}.${tool}`).join(', ')
    super(`the run \`${outcome.run}\` is parked, and waits for answers from outside: ${calls}`, outcome)
  }
}

export class WithheldError extends RunError {
  /** @param {Outcome} outcome */
  constructor(outcome) {
    super(outcome.withheld ?? '', outcome)
  }
}

/**
 * @template T
 * @param {import('../index.js').Outcome<T>} outcome
 * @returns {T}
 */
export function valueOf(outcome) {
  if (outcome.ending === 'returned' && outcome.withheld !== undefined) throw new WithheldError(outcome)
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
    case 'parked':
      throw new ParkedError(outcome)
  }
}

/**
 * What was thrown, and where, as a model needs it to fix the script.
 * @param {import('../index.js').Thrown} thrown
 */
function shown({ name, message, location, stack, causes }) {
  const lines = [`${name}: ${message}`]
  if (location) {
    const { module, line, column, text } = location
    const margin = ' '.repeat(String(line).length)
    const indent = text.slice(0, column - 1).replace(/[^\t]/g, ' ')
    lines.push(`${margin}--> ${module}:${line}:${column}`, `${line} | ${text}`, `${margin} | ${indent}^`)
  }
  if (stack.trimEnd().includes('\n')) lines.push(stack.trimEnd())
  return [...lines, ...causes.map((cause) => `caused by: ${cause}`)].join('\n')
}
