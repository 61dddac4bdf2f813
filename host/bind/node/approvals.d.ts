/** Scripts whose calls may need approval: what drivers of frameworks share. Import it from a driver's module. */

import type { Layer, OpenCall, ParkedRun, PassingCall, RunOptions, Runtime } from './index.js'

/** What somebody decided about calls. */
export interface Decision {
  approved: boolean
  /** For the script, if they are not approved. */
  reason?: string | undefined
}

/**
 * An answer to the calls of a script: one for all of them, or one for each by its number, where a text says why not. Calls
 * without a number in `answers` are asked for again.
 */
export type CodeAnswer = boolean | Decision | { answers: Record<number, boolean | string> }

/** Where and how scripts run, and which of their calls need approval. */
export interface ApprovalOptions extends Omit<RunOptions, 'tools' | 'signal' | 'context' | 'parkAfter' | 'label' | 'keepOutcome'> {
  /** Where scripts run. Calls can wait for approval if it has the folder `parked`. Default: one without. */
  runtime?: Runtime
  /**
   * Which calls need approval, besides those of tools that say so themselves by `needsApproval`: patterns such as
   * `github.delete_*`, which mean what they mean in `[approvals]` of an `ampoule.toml`; or a function.
   */
  approve?: string | string[] | ((call: PassingCall) => boolean | Promise<boolean>)
  layers?: readonly Layer[]
}

/** The same of a tool that a model reads of. */
export interface CodeModeOptions extends ApprovalOptions {
  /** The text before the declarations of the tools. */
  description?: string
  /** The most characters of a result; the rest is cut off. Default 24,000. */
  resultLength?: number
}

export interface StartOptions {
  /** What the run is found by while it is kept. */
  label?: string
  signal?: AbortSignal | undefined
  context?: unknown
}

export type { OpenCall, ParkedRun }
