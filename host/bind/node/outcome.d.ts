/** How runs end, what happens in them, and runs that are kept on disk. Import it from `ampoule`. */

import type { ParkRequest } from './errors.js'
import type { Json, Language } from './index.js'

/** A limit by its name in outcomes and in `ampoule.toml`. */
export type LimitName =
  | 'fuel'
  | 'wall-time'
  | 'memory'
  | 'table-elements'
  | 'stack'
  | 'host-bytes'
  | 'output-bytes'
  | 'calls'
  | 'calls-at-once'
  | 'argument-bytes'
  | 'result-bytes'

/** A line that was printed. */
export interface Line {
  level: 'debug' | 'log' | 'info' | 'warn' | 'error'
  text: string
}

/** What one call used. */
export interface CallUsage {
  server: string
  tool: string
  end: 'returned' | 'failed' | 'cancelled'
  /** Whether the tool did its work, as far as known. */
  state: 'not-sent' | 'answered' | 'unknown'
  wallMs: number
  argumentBytes: number
  resultBytes: number
}

/** What a run used. */
export interface Usage {
  fuel: number
  wallMs: number
  peakMemoryBytes: number
  peakHostBytes: number
  outputBytes: number
  parked?: number
  calls: CallUsage[]
}

/** A call of a failed run. */
export interface LoggedCall {
  /** Its place in the usage. */
  call: number
  server: string
  tool: string
  /** JSON without long texts. */
  arguments: string
  result: 'done' | 'failed' | 'denied' | 'not-sent' | 'unknown'
}

/** The calls that a failed run made of tools that may change something. */
export interface CallLog {
  /** The first and the last of them. */
  calls: LoggedCall[]
  /** Those between the first and the last: after how many entries, and how many of them are not done. */
  leftOut?: { after: number, count: number, notDone: number }
  /** How many calls were of tools that only read. */
  reads: number
  /** All that for a model. */
  text: string
}

/** A call that was answered. */
export interface AnsweredCall {
  /** Its place in the usage. */
  call: number
  server: string
  tool: string
  /** Whose account the server saw, if somebody signed in to it. */
  account?: 'principal' | 'shared'
}

/** A call that takes another one back. */
export interface UndoCall {
  takesBack: AnsweredCall
  server: string
  tool: string
  /** JSON. */
  arguments: string
}

/** What takes the answered calls of a failed run back, the newest first. `run({ undo: offer.run })` does it. */
export interface UndoOffer {
  run: string
  calls: UndoCall[]
  /** Calls that can't be taken back, and why. */
  irreversible?: { call: AnsweredCall, why: string }[]
  /** How many older calls there was no room for. */
  leftOut?: number
}

/** The state of a session after a run. */
export interface SessionEnd {
  name: string
  /** Whether the next run has what this run left. */
  kept: boolean
  rewound?: boolean
  run: number
  bytes: number
  notes: string[]
}

/** A place in a script, counting from 1. */
export interface Location {
  module: string
  line: number
  column: number
  text: string
}

/** An error that a script did not catch. */
export interface Thrown {
  name: string
  message: string
  location: Location | null
  stack: string
  causes: string[]
}

interface Ended {
  /** What was printed, however the run ended. */
  output: Line[]
  /** What the script gave the person with `emit`, apart from its value and however it ended. */
  emitted?: unknown[]
  usage: Usage
  /** The calls of a run that failed after calls that may have changed something. */
  callLog?: CallLog
  /** What takes the calls of a failed run back. */
  undo?: UndoOffer
  session?: SessionEnd
  /** The id of its record. */
  record?: string
  /** Why policies withhold the value, the error and the output. */
  withheld?: string
  /** The language of the script; `call` or `undo` where there was none. */
  language: Language | 'call' | 'undo'
}

/** The script ended by itself. */
export interface Returned<T = unknown> extends Ended {
  ending: 'returned'
  /** What it returned; `null` if nothing. */
  value: T
}

/** It threw, or raised, what it did not catch. */
export interface Threw extends Ended {
  ending: 'threw'
  error: Thrown
  /** What the tool's error has besides text: content blocks of MCP. */
  errorContent?: Json[]
}

/** It hit a limit. */
export interface LimitHit extends Ended {
  ending: 'limit'
  limit: LimitName
  used: number
  allowed: number
  unit: string
}

/** The guest broke a rule of WebAssembly. The host and other runs are untouched. */
export interface Trapped extends Ended {
  ending: 'trapped'
  error: { message: string }
}

/** It was cancelled. */
export interface Cancelled extends Ended {
  ending: 'cancelled'
}

/** It was parked, and could not resume. */
export interface Interrupted extends Ended {
  ending: 'interrupted'
  error: { message: string }
}

/** A call that waits for an answer from outside. */
export interface WaitingCall {
  /** Which of the run's calls it is, counted from 0. */
  call: number
  server: string
  tool: string
  arguments: Record<string, any>
  /** What the layer said of it: the `details` of its {@link ParkRequest}. */
  details: any
}

/** It is on disk, and waits for answers from outside. `run({ resume: outcome.run })` resumes it. */
export interface Parked extends Ended {
  ending: 'parked'
  run: string
  waiting: WaitingCall[]
}

/** A call of a parked run that has not ended. */
export interface OpenCall {
  /** Which of the run's calls it is, counted from 0. */
  call: number
  server: string
  tool: string
  /** `null` if they are too large to be kept. */
  arguments: Record<string, any> | null
}

/** A run that is kept on disk. */
export interface ParkedRun {
  run: string
  /** `left`: it can be resumed. `parked`: a process has it. `ended`: its outcome is kept. */
  state: 'left' | 'parked' | 'ended'
  /** What the run was given as `label`. */
  label?: string
  language: Language
  principal: string | null
  /** The calls that have not ended: those that wait for an answer from outside, and those that wait for their turn. */
  openCalls: OpenCall[]
  /** When it was last kept, as RFC 3339 has it. */
  since: string
  calls: number
  underWay: number
  keptBytes: number
  /** How it ended, if that was kept by `keepOutcome`. */
  outcome?: Outcome
}

/** How a run ended, as `ampoule run --json` prints it; or that it is parked. */
export type Outcome<T = unknown> = Returned<T> | Threw | LimitHit | Trapped | Cancelled | Interrupted | Parked

/** Something that happened in a run; `event` says what. */
export type RunEvent = { run: string; number: number; atMs: number } & (
  | { event: 'compiling' | 'compiled'; language: string }
  | ({ event: 'output' } & Line)
  | { event: 'call-started'; call: number; server: string; tool: string }
  | ({ event: 'call-ended'; call: number } & CallUsage)
  | { event: 'tools-awaited'; server: string | null }
  | { event: 'tools-told' | 'parked' | 'woken' }
  | { event: 'progress'; fraction: number | null; text: string }
)
