/** Scripts whose calls may need approval: what drivers of frameworks share. Import it from a driver's module. */

import type { Layer, ParkedRun, PassingCall, RunOptions, Runtime } from './index.js'

/** What somebody decided about calls. */
export interface Decision {
  approved: boolean
  /** For the script, if they are not approved. */
  reason?: string | undefined
}

/** Where and how scripts run, and which of their calls need approval. */
export interface ApprovalOptions extends Omit<RunOptions, 'tools' | 'signal' | 'context' | 'parkAfter' | 'label'> {
  /** Where scripts run. Calls can wait for approval if it has the folder `parked`. Default: one without. */
  runtime?: Runtime
  /**
   * Which calls need approval, besides those of tools that say so themselves by `needsApproval`: patterns such as
   * `github.delete_*`, or a function.
   */
  approve?: string | string[] | ((call: PassingCall) => boolean | Promise<boolean>)
  layers?: readonly Layer[]
}

export interface StartOptions {
  /** What the run is found by while it is parked. */
  label?: string
  signal?: AbortSignal | undefined
  context?: unknown
}

export type { ParkedRun }
