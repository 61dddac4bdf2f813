/**
 * Isolates for code that models write, in this process: each run in a fresh WebAssembly instance, with fuel, memory and
 * time limits, that reaches what it was given and nothing else.
 *
 * ```js
 * import { Runtime } from 'ampoule'
 *
 * const runtime = new Runtime()
 * const outcome = await runtime.run('return 6 * 7')
 * ```
 */

/** The language of a script. */
export type Language = 'typescript' | 'javascript' | 'python'

/** A number, or a text with a unit as in `ampoule.toml`: `'64MiB'`, `'30s'`. */
export type Amount = number | string

/**
 * What a run may use. Sizes are in bytes, `wallTime` in milliseconds; texts have units: `'64MiB'`, `'30s'`. What is left
 * out is as in the runtime. There is no "unlimited".
 */
export interface Limits {
  /** Work, about one unit for each WebAssembly instruction. Default 20 billion. */
  fuel?: Amount
  /** From the start to the end, waiting included. Default 60 s. */
  wallTime?: Amount
  /** The guest's memory, the interpreter's own included. Default 128 MiB. */
  memory?: Amount
  /** Elements of all the guest's tables. Default 100,000. */
  tableElements?: Amount
  /** For the script's own recursion. Default 256 KiB, which is also the most. */
  stack?: Amount
  /** What the host holds for the run at one time. Default 64 MiB. */
  hostBytes?: Amount
  /** What it may print, its result included. Default 1 MiB. */
  outputBytes?: Amount
  /** Calls of tools in all. Default 10,000. */
  calls?: Amount
  /** Active calls at a time; more wait for their turn. Default 32. */
  callsAtOnce?: Amount
  /** The arguments of one call, as JSON. Default 4 MiB. */
  argumentBytes?: Amount
  /** The result of one call. Default 16 MiB. */
  resultBytes?: Amount
}

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

/** A value of JSON. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A JSON Schema, as an object. */
export type JsonSchema = { [keyword: string]: unknown }

/**
 * A schema: of zod 4.2 or newer, of any other library with Standard JSON Schema, what the AI SDK's `jsonSchema` and
 * `zodSchema` give, or a JSON Schema as it is. What can check values itself does so too, before `execute` gets them.
 */
export type Schema = object

/** Why a value does not fit a schema. */
export interface Issue {
  message: string
  path?: readonly (PropertyKey | { key: PropertyKey })[] | undefined
}

/** Standard Schema 1, with its JSON Schema: what zod, valibot and arktype have, and the AI SDK takes. */
export interface StandardSchema<T = unknown> {
  '~standard': {
    version: 1
    vendor: string
    validate(value: unknown): Validated<T> | Promise<Validated<T>>
    jsonSchema: {
      input(options: { target: any }): Record<string, unknown>
      output(options: { target: any }): Record<string, unknown>
    }
    types?: { input: T; output: T }
  }
}

/** The value as a schema has it, or why it has none. */
export type Validated<T> = { value: T; issues?: undefined } | { issues: readonly Issue[] }

/** The second argument of `execute`: the AI SDK's options, and the call's id. */
export interface ToolCallOptions {
  /** The call's id, unique among all calls. */
  toolCallId: string
  /** No messages: a script makes the call. */
  messages: []
  /** Aborted when the call is cancelled: its script cancelled it, or its run is over. */
  abortSignal: AbortSignal
  /** What `run` was given as `context`, or what the AI SDK gave to the tool that `codeTool` made. */
  context: any
  /** The same, by the name that it has up to the AI SDK's version 6. */
  experimental_context: any
}

/** A tool, as the AI SDK's `tool` makes one. */
export interface Tool {
  /** The description for the model. */
  description?: unknown
  title?: string
  /** Of its arguments: an object. Default: any. */
  inputSchema?: any
  /** Of its result. */
  outputSchema?: any
  /**
   * Carries a call out. What it throws is a `ToolError` in the script, with the message. Of what it yields as an async
   * iterable, the last is the result.
   */
  execute?: (input: any, options: any) => unknown
  /** What takes a call back: `"delete_issue({ id: result.id })"`, a call of another tool of the same server. */
  undo?: string
  /** Such a tool is left out: a script can't ask the user. */
  needsApproval?: unknown
}

/**
 * Tools by their names, which scripts call as `tools.host.NAME`; or groups of them, whose names are the servers':
 * `{ weather: { current: { … } } }` is `tools.weather.current`. Those without `execute`, and those that need approval,
 * are left out.
 */
export type Tools = Record<string, Tool | Record<string, Tool>>

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

/** A call on its way to its tool. */
export interface PassingCall {
  server: string
  tool: string
  /** They fit the tool's schema. */
  arguments: Record<string, any>
  /** The id of the run that makes it. */
  run: string
  /** Which of the run's calls it is, counted from 0. */
  number: number
  /** The principal of the run, if it has one. */
  principal?: string | undefined
  /** Aborted when the call is cancelled. */
  signal: AbortSignal
}

/** What a tool answered, as MCP has it. */
export interface ToolResultFields {
  content?: unknown[] | undefined
  structuredContent?: unknown
  isError?: boolean | undefined
}

/** What a tool answered. A layer makes one to answer a call itself, where a value is not enough. */
export class ToolResult {
  constructor(fields?: ToolResultFields)
  content: unknown[]
  structuredContent: unknown
  /** Whether the tool reports a failure. */
  isError: boolean
}

/**
 * What every call of a run passes on its way to its tool, and its answer on its way back: it may look at them, change
 * them, answer itself, with a {@link ToolResult} or a value, or throw: a {@link DeniedError} if it does not allow the call, a {@link ParkRequest} if somebody has to be asked first.
 * `next` sends the call on, once, with these arguments or other ones, which are not held against the tool's schema again.
 */
export type Layer = (call: PassingCall, next: (changed?: Record<string, any>) => Promise<ToolResult>) => unknown

/** An MCP server in the form of clients' files, or of a table `[servers.NAME]` in `ampoule.toml`. */
export type McpServer = Record<string, unknown>

/** The options of a runtime. */
export interface RuntimeOptions {
  /** The default limits of a run. */
  limits?: Limits
  /** What no run may exceed. */
  ceilings?: Limits
  /** How many isolates may be alive at once. Default 1,000. */
  isolates?: number
  /** How long a run may wait for its isolate, in milliseconds. Default 10,000. */
  slotWait?: number
  /** The folder where compiled guests are kept between processes. Default: `ampoule` in the user's cache folder. */
  codeCache?: string
  /** An `ampoule.toml`, with all that it configures. The other options here take precedence. */
  config?: string
  /** MCP servers that scripts may be granted, as clients' files have them. None is started before a script needs it. */
  servers?: Record<string, McpServer>
  /** The folder of sessions. Default: none, and runs have no sessions. */
  sessions?: string
  /** The folder of workspaces: files that outlive runs, for each principal their own. Default: none. */
  workspaces?: string
  /** Folders that runs see as `/folders/NAME`. */
  folders?: Record<string, { path: string; writable?: boolean }>
  /** The folder where scripts save functions for later scripts. Default: none. */
  skills?: string
  /** The folder for records of runs with `record`. Default: none. */
  records?: string
  /** The folder of parked runs, which this program alone resumes. Default: none. */
  parked?: string
  /** The layers of all runs' calls, the outermost first. */
  layers?: readonly Layer[]
}

/**
 * One call of a tool, as the whole of a run: the same grants, checks, policies and records as for a script, and no guest is
 * started. The value of the outcome is the tool's answer.
 */
export interface DirectCall {
  server: string
  tool: string
  /** Default: none. */
  arguments?: Record<string, Json>
}

/**
 * Takes back the calls of a failed run, in the place of a script: those that its outcome lists as `undo`, the newest first,
 * until one fails. It is a run like any, with the tools that it is given. A run is undone once.
 */
export interface Undo {
  /** The id of the failed run: `outcome.undo.run`. */
  undo: string
}

/**
 * Continues a parked run, in the place of a script: with its grant, limits and session. Its tools and layers are given
 * again. A run is resumed once; it may be parked again.
 */
export interface Resume {
  /** The id of the parked run: `outcome.run`. */
  resume: string
}

/** The options of a run. */
export interface RunOptions {
  /** Default: guessed from the code. */
  language?: Language
  /** Tools that are functions of this process. All of them are granted. */
  tools?: Tools
  /** Which tools of the runtime's MCP servers it may call, as patterns: `github.get_*`. Default: none. */
  grant?: string | string[]
  /** The layers of its calls, the outermost first, inside of the runtime's layers. */
  layers?: readonly Layer[]
  limits?: Limits
  /** Values that the script finds as its global `env`. */
  env?: Record<string, Json>
  /** Texts that the script finds as its global `strings`: those that are hard to quote in code. */
  strings?: Record<string, string>
  /** Whether the script's calls are compared with the tools before anything runs. Default: `first`. With `alone`, the script does not run. */
  check?: 'first' | 'off' | 'alone'
  /** The script's name in messages. */
  name?: string
  /** The session of the run: it has what earlier runs left. */
  session?: string
  /** Whether the session is saved even if the run throws. */
  keepAlways?: boolean
  /** The principal of the run: sessions and files are each principal's own. */
  principal?: string
  /** The groups of the principal, for policies. */
  groups?: string[]
  /** Whether it writes a record, for a replay. */
  record?: boolean
  /** After how long the script is parked where it waits: milliseconds, or a text such as `10s`. Default: never. */
  parkAfter?: Amount
  /** What the program calls the run, in the list of parked runs. */
  label?: string
  /** Of a run that resumes: the list of parked runs has its outcome for a week, or until you remove it. */
  keepOutcome?: boolean
  /** Cancels the run: its outcome says so, with what it printed until then. */
  signal?: AbortSignal
  /** Passed on to tools, as the AI SDK does. */
  context?: unknown
}

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

/** A run that is kept on disk. */
export interface ParkedRun {
  run: string
  /** `left`: it can be resumed. `parked`: a process has it. `ended`: its outcome is kept. */
  state: 'left' | 'parked' | 'ended'
  /** What the run was given as `label`. */
  label?: string
  language: Language
  principal: string | null
  /** The calls that have not ended. Arguments that are too large to be kept are `null`. */
  waiting: { call: number; server: string; tool: string; arguments: Record<string, any> | null }[]
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

/**
 * A runtime, usually one in a process: the engine, the compiled guests, and the threads of runs. It
 * keeps no process alive; active runs do.
 */
export class Runtime implements AsyncDisposable {
  /** @throws {AmpouleError} of the code `usage` if its options can't be used */
  constructor(options?: RuntimeOptions)

  /**
   * Runs a script, or one call, to its end, on other threads than this one. Whatever the script does is an
   * outcome; {@link valueOf} makes errors of outcomes without a value.
   *
   * @throws {AmpouleError} if it has no outcome; its `code` says why
   */
  run<T = unknown>(code: string | DirectCall | Undo | Resume, options?: RunOptions): Promise<Outcome<T>>

  /** Starts a script, or one call, to listen to it and to cancel it. */
  start<T = unknown>(code: string | DirectCall | Undo | Resume, options?: RunOptions): Run<T>

  /** The declarations of tools in a language, for a model. Default: in TypeScript. */
  declarations(tools: Tools, language?: Language): string

  /**
   * The same of what a `grant` names of the runtime's MCP servers, which are started for it. What policies never let the
   * `principal` call, in these `groups`, is not there.
   */
  grantedDeclarations(grant: string | string[], language?: Language, whose?: Pick<RunOptions, 'principal' | 'groups'>): Promise<string>

  /** The runs that are parked, or whose outcome is kept, of a principal, or of no principal. Those older than a week are removed. */
  parked(whose?: Pick<RunOptions, 'principal'>): Promise<ParkedRun[]>

  /** Removes a parked run of a principal, or of no principal: nobody resumes it any more. */
  removeParked(run: string, whose?: Pick<RunOptions, 'principal'>): Promise<void>

  /** Compiles the guest of a language, or loads its code, so that the first run does not wait for it. */
  warm(language: Language): Promise<void>

  /**
   * Ends active runs, and releases threads and servers. Runs that it ends reject with an {@link
   * AmpouleError} of the code `closed`.
   */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** An active run. */
export interface Run<T = unknown> extends AsyncDisposable {
  /** The run's id, which is in each of its events. */
  readonly id: string
  /** How it ends. */
  readonly outcome: Promise<Outcome<T>>
  /**
   * The events of the run, from its start; the run does not wait for its readers. Each iterable has
   * its own pace; of more than a thousand unread events, the oldest are lost.
   */
  events(): AsyncIterableIterator<RunEvent>
  /** Cancels it: its outcome says `cancelled`. A run that is over stays as it is. */
  cancel(): void
  /** Cancels it if it is not over, and waits until it is. */
  [Symbol.asyncDispose](): Promise<void>
}

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

/** The options of {@link codeTool}: how its scripts run, and its description for the model. */
export interface CodeToolOptions extends Omit<RunOptions, 'tools' | 'signal' | 'context'> {
  /** Where scripts run. Default: one runtime for all such tools. */
  runtime?: Runtime
  /** Default: TypeScript, and the model may write JavaScript. */
  language?: Language
  /** The text before the declarations of the tools. */
  description?: string
  /** Declarations of what `grant` allows besides: what {@link Runtime.grantedDeclarations} gives. */
  declared?: string
  /** The most characters of a result; the rest is cut off. Default 24,000. */
  resultLength?: number
}

/** The result of a script: its value, and the lines that it printed. */
export interface CodeResult {
  result: unknown
  logs?: string[]
}

/** A tool by which a model calls other tools, from one script: for the AI SDK's `tools`, or any other loop. */
export interface CodeTool {
  description: string
  inputSchema: StandardSchema<{ code: string }>
  /** @throws {RunError} if the script returned no value; the message is for the model */
  execute(
    input: { code: string },
    options?: { abortSignal?: AbortSignal; context?: unknown; experimental_context?: unknown },
  ): Promise<CodeResult>
}

/** Makes one tool of many: a model calls them from a script. */
export function codeTool(tools: Tools, options?: CodeToolOptions): CodeTool
