// Made from `src/` by tests/all/bindings_node.rs with BLESS=1. Nobody writes here.

/**
 * What Node's thread is told: a call of a tool, that nobody waits for a call any more, or that
 * something is done which was asked for under a number.
 */
export interface Message {
  /** The number of what was asked for, or of the call, which is to be answered under it. */
  number: number
  /** Of a call: the run that makes it. */
  run?: string
  /** Of a call: which of the run's calls it is, counted from 0. */
  call?: number
  /** Of a call: the server of the tool. */
  server?: string
  /** Of a call: the tool. */
  tool?: string
  /** Of a call: whether it is for layers to let it pass, and not for its tool. */
  passing?: boolean
  /** Of a call that is passing: on whose behalf it happens. */
  principal?: string
  /** Whether nobody waits for the call of this number any more. */
  givenUp?: boolean
  /** The call's arguments, or what came of what was asked for: JSON. Nothing if there is nothing. */
  json?: string
  /** Why nothing came of it: a fault, as JSON. */
  fault?: string
}

/** Where Node's thread is told things, and answers calls. Each thread that runs JavaScript has one. */
export declare class Desk {
  /** A desk whose messages are for this function. */
  constructor(tell: (arg: Message) => void)
  /** Answers a call: with JSON, or with the message that the script catches. */
  answer(call: number, json?: string | undefined | null, failure?: string | undefined | null): void
  /**
   * Sends a call that is passing on, with arguments as JSON. What it comes to is told under a number,
   * as JSON; nothing if nobody waits for it any more, or it was sent on before.
   */
  send(call: number, arguments: string, number: number): void
}

/** A run that is under way. Letting go of it does not end it. */
export declare class NativeRun {
  /** What tells it apart from all others. */
  get id(): string
  /** Ends it. */
  cancel(): void
  /** What happens in it, from its start. */
  events(): NativeEvents
}

/** What happens in a run, one after the other. */
export declare class NativeEvents {
  /** Has the next event told under a number; nothing if there is none any more. */
  next(number: number): void
}

/** The runtime, with threads of its own. */
export declare class NativeRuntime {
  /** A runtime of options that are written as JSON. */
  constructor(desk: Desk, options: string)
  /**
   * Starts a script, by options that are written as JSON, whose calls layers let pass, if there are any.
   * Its outcome is told under a number.
   */
  start(options: string, tools: Array<NativeTools>, layered: boolean, number: number): NativeRun
  /** The declarations of tools in a language, as a model is to read them. */
  declarations(language: string, tools: Array<NativeTools>): string
  /**
   * Has the declarations told of what is granted of the runtime's servers, which is written as
   * JSON, under a number.
   */
  granted(language: string, granted: string, number: number): void
  /** Has the guest of a language compiled, and that told under a number. */
  warm(language: string, number: number): void
  /** Ends all runs, and lets go of servers and threads; told under a number. */
  close(number: number): void
}

/**
 * The tools of one server, for any number of runs. Which functions they are is known where their
 * calls are told.
 */
export declare class NativeTools {
  /** Tools as MCP describes them, a JSON array. */
  constructor(desk: Desk, server: string, tools: string)
}
