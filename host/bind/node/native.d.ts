// Made from `src/` by tests/all/bindings_node.rs with BLESS=1. Nobody writes here.

/**
 * A message for Node's thread: a call of a tool, the end of a wait for a call, or the result of a
 * request with a number.
 */
export interface Message {
  /** The number of the request, or of the call, which is to be answered under it. */
  number: number
  /** Of a call: the run that makes it. */
  run?: string
  /** Of a call: which of the run's calls it is, counted from 0. */
  call?: number
  /** Of a call: the server of the tool. */
  server?: string
  /** Of a call: the tool. */
  tool?: string
  /** Of a call: whether it is for layers, and not for its tool. */
  passing?: boolean
  /** Of a call that is passing: its principal. */
  principal?: string
  /** Whether the call of this number was cancelled. */
  givenUp?: boolean
  /** The call's arguments, or the result of the request: JSON. None if there is none. */
  json?: string
  /** Why the request failed: a fault, as JSON. */
  fault?: string
}

/** Where Node's thread gets messages, and answers calls. Each thread that runs JavaScript has one. */
export declare class Desk {
  /** A desk that calls this function when there are messages to be taken. */
  constructor(notify: () => void)
  /**
   * The messages that have come since the last look. To be called after whatever may do a step of a
   * run, too: `answer`, and `start` of a runtime.
   */
  take(): Array<Message>
  /** Another turn of the event loop has begun. */
  nextTurn(): void
  /**
   * Answers a call: with JSON, or with the message that the script catches. The run's next step is
   * done here, if it is short.
   */
  answer(call: number, json?: string | undefined | null, failure?: string | undefined | null): void
  /**
   * Sends a passing call on, with arguments as JSON. Its result comes under a number, as JSON;
   * none if the call was cancelled, or was sent on before.
   */
  send(call: number, arguments: string, number: number): void
}

/** Patterns of tools, as `[approvals]` of a configuration has them. */
export declare class NativePatterns {
  /** Patterns that are written as JSON: a text, or an array of texts. */
  constructor(patterns: string)
  /** Whether one of them means this tool. */
  matches(server: string, tool: string): boolean
}

/** An active run. Dropping it does not end it. */
export declare class NativeRun {
  /** The run's id, unique among all runs. */
  get id(): string
  /** Cancels it. */
  cancel(): void
  /** The events of the run, from its start. */
  events(): NativeEvents
}

/** The events of a run, one after the other. */
export declare class NativeEvents {
  /** Requests the next event under a number; none if the run has no more. */
  next(number: number): void
}

/** The runtime, with threads of its own. */
export declare class NativeRuntime {
  /** A runtime of options that are written as JSON. */
  constructor(desk: Desk, options: string)
  /** Whether runs can be parked: there is a folder for them. */
  get parks(): boolean
  /**
   * Starts a script, by options that are written as JSON, whose calls layers let pass, if there
   * are any. Its outcome comes under a number.
   */
  start(options: string, tools: Array<NativeTools>, layered: boolean, number: number): NativeRun
  /** The declarations of tools in a language, for a model. */
  declarations(language: string, tools: Array<NativeTools>): string
  /**
   * Requests the declarations of the granted tools of the runtime's servers under a number; the
   * grant is written as JSON.
   */
  granted(language: string, granted: string, number: number): void
  /** Compiles the guest of a language, and reports it under a number. */
  warm(language: string, number: number): void
  /** Requests the parked runs of a principal, or of nobody in particular, under a number. */
  parked(principal: string | undefined | null, number: number): void
  /** Removes a parked run; reported under a number. */
  removeParked(run: string, principal: string | undefined | null, number: number): void
  /** Ends all runs, and releases servers and threads; reported under a number. */
  close(number: number): void
}

/**
 * The tools of one server, for any number of runs. The receiver of their calls knows their
 * functions.
 */
export declare class NativeTools {
  /** Tools as MCP describes them, a JSON array. */
  constructor(desk: Desk, server: string, tools: string)
}
