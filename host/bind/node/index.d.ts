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

import type { Outcome, ParkedRun, RunEvent } from './outcome.js'

export * from './errors.js'
export type * from './outcome.js'

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
  /** How long a run may wait for its isolate: milliseconds, or a text such as `10s`. Default 10 s. */
  slotWait?: Amount
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

  /** Whether runs can be parked: there is a folder for them. */
  readonly parks: boolean

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
