/**
 * Isolates for code that models write, in this process: each run in a fresh WebAssembly instance, with fuel, memory and
 * time limits, whose only way out is the tools that it was given.
 *
 * ```js
 * import { Runtime } from 'ampoule'
 *
 * const runtime = new Runtime()
 * const outcome = await runtime.run('return 6 * 7')
 * ```
 */

/** What a script is written in. */
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
  /** Calls under way at once; more wait for their turn. Default 32. */
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

/** What `execute` is told besides its arguments: what the AI SDK tells it, and which call it is. */
export interface ToolCallOptions {
  /** Tells the call apart from all others. */
  toolCallId: string
  /** No messages: a script makes the call. */
  messages: []
  /** Aborted when nobody waits for the call any more: its script gave it up, or its run is over. */
  abortSignal: AbortSignal
  /** What `run` was given as `context`, or what the AI SDK gave to the tool that `codeTool` made. */
  context: any
  /** The same, by the name that it has up to the AI SDK's version 6. */
  experimental_context: any
}

/** A tool, as the AI SDK's `tool` makes one. */
export interface Tool {
  /** What a model reads of it. */
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
  /** Such a tool is left out: nobody can be asked in the middle of a script. */
  needsApproval?: unknown
}

/**
 * Tools by their names, which scripts call as `tools.host.NAME`; or groups of them, whose names are the servers':
 * `{ weather: { current: { … } } }` is `tools.weather.current`. Those without `execute`, and those that need approval,
 * are left out.
 */
export type Tools = Record<string, Tool | Record<string, Tool>>

/** What kept a call from giving a result, as scripts have it in `error.kind`. */
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
  /** On whose behalf the run happens, if it was said. */
  principal?: string | undefined
  /** Aborted when nobody waits for the call any more. */
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
  /** Whether the tool says that it failed. */
  isError: boolean
}

/**
 * What every call of a run passes on its way to its tool, and its answer on its way back: it may look at them, change
 * them, answer itself, with a {@link ToolResult} or a value, or throw: a {@link DeniedError} if it does not allow the call.
 * `next` sends the call on, once, with these arguments or other ones, which are not held against the tool's schema again.
 */
export type Layer = (call: PassingCall, next: (changed?: Record<string, any>) => Promise<ToolResult>) => unknown

/** An MCP server in the form of clients' files, or of a table `[servers.NAME]` in `ampoule.toml`. */
export type McpServer = Record<string, unknown>

/** What a runtime is made with. */
export interface RuntimeOptions {
  /** What a run may use unless it asks for something else. */
  limits?: Limits
  /** What no run may exceed. */
  ceilings?: Limits
  /** How many isolates may be alive at once. Default 1,000. */
  isolates?: number
  /** How long a run may wait for its isolate, in milliseconds. Default 10,000. */
  slotWait?: number
  /** The folder where compiled guests are kept between processes. Default: `ampoule` in the user's cache folder. */
  codeCache?: string
  /** An `ampoule.toml`, with all that it configures. What else is said here counts before it. */
  config?: string
  /** MCP servers that scripts may be granted, as clients' files have them. None is started before a script needs it. */
  servers?: Record<string, McpServer>
  /** The folder where sessions are kept. Default: nowhere, and there are none. */
  sessions?: string
  /** The folder of workspaces: files that outlive runs, for each principal their own. Default: none. */
  workspaces?: string
  /** Folders that runs see as `/folders/NAME`. */
  folders?: Record<string, { path: string; writable?: boolean }>
  /** The folder where scripts save functions for later ones. Default: nowhere. */
  skills?: string
  /** The folder where runs leave records, those that ask for it. Default: nowhere. */
  records?: string
  /** What all runs' calls pass, the outermost first. */
  layers?: readonly Layer[]
}

/** What a run is given. */
export interface RunOptions {
  /** Default: what the code looks like. */
  language?: Language
  /** Tools that are functions of this process. All of them are granted. */
  tools?: Tools
  /** Which tools of the runtime's MCP servers it may call, as patterns: `github.get_*`. Default: none. */
  grant?: string | string[]
  /** What its calls pass, the outermost first, inside of what the runtime has. */
  layers?: readonly Layer[]
  limits?: Limits
  /** Values that the script finds as its global `env`. */
  env?: Record<string, Json>
  /** What the script is called in messages. */
  name?: string
  /** Makes it a run of this session: it finds what earlier ones left. */
  session?: string
  /** Whether what it leaves in the session is kept where it throws, too. */
  keepAlways?: boolean
  /** On whose behalf it happens: sessions and files are each principal's own. */
  principal?: string
  /** The groups that the principal is in. Policies may go by them. */
  groups?: string[]
  /** Whether it leaves a record, by which it can be run again. */
  record?: boolean
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
  /** What is known of whether the tool did what was asked for. */
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

/** What became of a session in a run. */
export interface SessionEnd {
  name: string
  /** Whether what the run left is there for the next one. */
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
  usage: Usage
  session?: SessionEnd
  /** The id of the record that it left. */
  record?: string
  /** Why the value, the error and what was printed are not here, where policies keep them back. */
  withheld?: string
  /** What the script was in. */
  language: Language
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

/** It was parked, and could not go on. */
export interface Interrupted extends Ended {
  ending: 'interrupted'
  error: { message: string }
}

/** How a run ended, as `ampoule run --json` prints it. */
export type Outcome<T = unknown> = Returned<T> | Threw | LimitHit | Trapped | Cancelled | Interrupted

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
 * What a process has once: the engine, the guests that it compiled, and threads that runs are on. It keeps no process alive;
 * runs that are under way do.
 */
export class Runtime implements AsyncDisposable {
  /** @throws {AmpouleError} of the code `usage` if it can't be made so */
  constructor(options?: RuntimeOptions)

  /**
   * Runs a script to its end, on other threads than this one. Whatever the script does is an outcome; {@link valueOf}
   * makes errors of those that are none.
   *
   * @throws {AmpouleError} if it has no outcome; its `code` says why
   */
  run<T = unknown>(code: string, options?: RunOptions): Promise<Outcome<T>>

  /** Starts a script, to listen to it and to cancel it. */
  start<T = unknown>(code: string, options?: RunOptions): Run<T>

  /** The declarations of tools in a language, as a model is to read them. Default: in TypeScript. */
  declarations(tools: Tools, language?: Language): string

  /**
   * The same of what a `grant` names of the runtime's MCP servers, which are started for it. What policies never let the
   * `principal` call, in these `groups`, is not there.
   */
  grantedDeclarations(grant: string | string[], language?: Language, whose?: Pick<RunOptions, 'principal' | 'groups'>): Promise<string>

  /** Compiles the guest of a language, or loads its code, so that the first run does not wait for it. */
  warm(language: Language): Promise<void>

  /**
   * Ends what is under way, and lets go of threads and servers. Runs that are cut off reject with an {@link AmpouleError} of
   * the code `closed`.
   */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A run that is under way. */
export interface Run<T = unknown> extends AsyncDisposable {
  /** What tells it apart from all others; it is in each event. */
  readonly id: string
  /** How it ends. */
  readonly outcome: Promise<Outcome<T>>
  /**
   * What happens in it, from its start; the run waits for nobody. Each iterable has its own pace; of more than a thousand
   * events that nobody took, the oldest go.
   */
  events(): AsyncIterableIterator<RunEvent>
  /** Ends it: its outcome says `cancelled`. One that is over stays as it is. */
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

/** Why a run could not be had. */
export class AmpouleError extends Error {
  constructor(fault: { kind: AmpouleError['code']; message: string; retryAfter?: number }, options?: ErrorOptions)
  /** What was asked for can't be had; all isolates were in use for too long; the runtime was closed; the host failed. */
  readonly code: 'usage' | 'busy' | 'closed' | 'host'
  /** After how many seconds trying again may help, of `busy`. */
  readonly retryAfter?: number | undefined
}

/** Why a call gave no result: thrown by `next`, or by a layer, which says so by it. */
export class CallError extends Error {
  constructor(message: string, kind?: FailureKind)
  readonly kind: FailureKind
}

/** Thrown by a layer: the call is not allowed. Scripts get its message, in a `ToolError` of the kind `denied`. */
export class DeniedError extends CallError {
  constructor(message: string)
}

/** A run that returned no value. Its message is what a model needs to mend the script. */
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

/** It was parked, and could not go on. */
export class InterruptedError extends RunError<Interrupted> {
  constructor(outcome: Interrupted)
}

/** It returned, and policies keep back what: the message says why. */
export class WithheldError extends RunError {
  constructor(outcome: Outcome)
}

/** What {@link codeTool} is made with: how its scripts run, and what a model is told. */
export interface CodeToolOptions extends Omit<RunOptions, 'tools' | 'signal' | 'context'> {
  /** Where scripts run. Default: one runtime for all such tools. */
  runtime?: Runtime
  /** Default: TypeScript, and the model may write JavaScript. */
  language?: Language
  /** Said before the declarations of the tools. */
  description?: string
  /** Declarations of what `grant` allows besides: what {@link Runtime.grantedDeclarations} gives. */
  declared?: string
  /** The most characters of a result; the rest is cut off. Default 24,000. */
  resultLength?: number
}

/** What a script gave: what it returned, and the lines that it printed. */
export interface CodeResult {
  result: unknown
  logs?: string[]
}

/** A tool by which a model calls others, from one script: for the AI SDK's `tools`, or any other loop. */
export interface CodeTool {
  description: string
  inputSchema: StandardSchema<{ code: string }>
  /** @throws {RunError} if the script returned no value; the message is for the model */
  execute(
    input: { code: string },
    options?: { abortSignal?: AbortSignal; context?: unknown; experimental_context?: unknown },
  ): Promise<CodeResult>
}

/** Makes of tools the one tool by which a model calls them, from a script. */
export function codeTool(tools: Tools, options?: CodeToolOptions): CodeTool
