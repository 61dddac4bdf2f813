/** Errors: of runs that have no outcome, of calls, and of runs that returned no value. Import them from `ampoule`. */

import type { Resume } from './index.js'
import type { Cancelled, Interrupted, LimitHit, LimitName, Outcome, Parked, Threw, Thrown, Trapped } from './outcome.js'

/** Why a call failed, as scripts have it in `error.kind`. */
export type FailureKind =
  | 'failed'
  | 'arguments'
  | 'denied'
  | 'needs-sign-in'
  | 'not-reached'
  | 'refused'
  | 'protocol'
  | 'timed-out'
  | 'cancelled'
  | 'lost'

/**
 * The value that a run returned.
 *
 * @throws {RunError} if it ended otherwise: {@link ScriptError}, {@link LimitError} and the like
 */
export function valueOf<T>(outcome: Outcome<T>): T

/** Why a run has no outcome. */
export class AmpouleError extends Error {
  constructor(fault: { kind: AmpouleError['code']; message: string; retryAfter?: number }, options?: ErrorOptions)
  /** The options can't be used; all isolates were in use for too long; the runtime was closed; the host failed. */
  readonly code: 'usage' | 'busy' | 'closed' | 'host'
  /** For `busy`: after how many seconds a retry may help. */
  readonly retryAfter?: number | undefined
}

/** Why a call failed: thrown by `next`, or by a layer. */
export class CallError extends Error {
  constructor(message: string, kind?: FailureKind)
  readonly kind: FailureKind
}

/** Thrown by a layer: the call is not allowed. Scripts get its message, in a `ToolError` of the kind `denied`. */
export class DeniedError extends CallError {
  constructor(message: string)
}

/**
 * Thrown by a layer before it calls `next`: the call waits for an answer from outside, such as a person's approval. Once
 * all that the run waits for are such calls, it ends here as {@link Parked}, with these details of each. {@link Resume}
 * continues it, and its layers are asked again.
 */
export class ParkRequest extends Error {
  constructor(details?: unknown)
  readonly details: unknown
}

/** A run that returned no value. Its message is what a model needs to fix the script, with the calls that may have changed something. */
export class RunError<O extends Outcome = Outcome> extends Error {
  constructor(message: string, outcome: O)
  readonly outcome: O
  /** What it printed, as text: each line with a line's end. */
  readonly printed: string
}

/** The script threw. */
export class ScriptError extends RunError<Threw> {
  constructor(outcome: Threw)
  readonly thrown: Thrown
}

/** It hit a limit. */
export class LimitError extends RunError<LimitHit> {
  constructor(outcome: LimitHit)
  readonly limit: LimitName
  readonly used: number
  readonly allowed: number
  readonly unit: string
}

/** The guest broke a rule of WebAssembly. */
export class TrapError extends RunError<Trapped> {
  constructor(outcome: Trapped)
}

/** It was cancelled. */
export class CancelledError extends RunError<Cancelled> {
  constructor(outcome: Cancelled)
}

/** It was parked, and could not resume. */
export class InterruptedError extends RunError<Interrupted> {
  constructor(outcome: Interrupted)
}

/** It is parked, and waits for answers from outside. */
export class ParkedError extends RunError<Parked> {
  constructor(outcome: Parked)
}

/** It returned, and policies withhold the value: the message says why. */
export class WithheldError extends RunError {
  constructor(outcome: Outcome)
}
