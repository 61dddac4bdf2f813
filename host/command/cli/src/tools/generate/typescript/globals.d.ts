/**
 * The granted tools, by their servers: `await tools.server.tool({ … })`. An integer beyond `Number.MAX_SAFE_INTEGER` in an
 * answer is a `bigint`, though its type is `number`: other numbers can't tell it from its neighbours.
 */
declare namespace tools {
  /** How a tool is called, besides its arguments. */
  interface $Options {
    /** An `AbortSignal`: the call ends when it is aborted. */
    readonly signal?: { readonly aborted: boolean } | null;
  }
  /** A tool in short. */
  interface $Tool {
    server: string;
    name: string;
    /** What scripts call it: `tools[server][identifier]`. */
    identifier: string;
    description: string;
  }
  /** A server with granted tools. */
  interface $Server {
    name: string;
    description?: string;
    /** How many of its tools are granted. */
    tools: number;
  }
  /** What servers may have besides tools. Each takes an object of named arguments, or their values in order. */
  interface $Offered {
    $resources(args?: $Nothing, options?: $Options): Promise<$Resource[]>;
    $templates(args?: $Nothing, options?: $Options): Promise<$ResourceTemplate[]>;
    $read(uri: string | { readonly uri: string }, options?: $Options): Promise<$Contents[]>;
    $prompts(args?: $Nothing, options?: $Options): Promise<$Prompt[]>;
    $prompt(name: string, args?: $Texts, options?: $Options): Promise<$Filled>;
    $prompt(args: { readonly name: string; readonly arguments?: $Texts }, options?: $Options): Promise<$Filled>;
    $complete(ref: $Completed, argument: $Argument, context?: $Context, options?: $Options): Promise<$Completion>;
    $complete(args: { readonly ref: $Completed; readonly argument: $Argument; readonly context?: $Context }, options?: $Options): Promise<$Completion>;
  }
  type $Nothing = { readonly [name: string]: never };
  type $Texts = { readonly [name: string]: string };
  interface $About {
    name: string;
    title?: string;
    description?: string;
    icons?: unknown[];
    _meta?: unknown;
  }
  interface $Resource extends $About {
    uri: string;
    mimeType?: string;
    /** In bytes. */
    size?: number;
    annotations?: unknown;
  }
  interface $ResourceTemplate extends $About {
    /** An address with names in braces, by RFC 6570. */
    uriTemplate: string;
    mimeType?: string;
    annotations?: unknown;
  }
  /** A part of a resource. */
  type $Contents = { uri: string; mimeType?: string; _meta?: unknown } & ({ text: string; blob?: undefined } | { text?: undefined; blob: Uint8Array });
  interface $Prompt extends $About {
    arguments?: { name: string; title?: string; description?: string; required?: boolean }[];
  }
  /** A prompt, filled in with arguments. */
  interface $Filled {
    description?: string;
    messages: { role: "user" | "assistant"; content: $Block }[];
  }
  /** A content block. */
  type $Block = { annotations?: unknown; _meta?: unknown } & (
    | { type: "text"; text: string }
    | { type: "image" | "audio"; data: string; mimeType: string }
    | { type: "resource"; resource: { uri: string; mimeType?: string; text?: string; blob?: string } }
    | ({ type: "resource_link" } & $Resource)
  );
  /** A prompt's name, or a template's address. */
  type $Completed = string | { readonly type: "ref/prompt"; readonly name: string } | { readonly type: "ref/resource"; readonly uri: string };
  interface $Argument {
    readonly name: string;
    /** How its value begins. */
    readonly value: string;
  }
  interface $Context {
    /** Those that have their values already. */
    readonly arguments?: $Texts;
  }
  interface $Completion {
    values: string[];
    /** How many there are in all. */
    total?: number;
    hasMore?: boolean;
  }
  /** The servers with granted tools. */
  export function $servers(): $Server[];
  /** The granted tools that match a query best. */
  export function $search(query: string, options?: { readonly limit?: number; readonly server?: string }): $Tool[];
  /** The declaration of a tool, or of all tools of a server, with documentation. */
  export function $describe(of: string | object): string;
}

declare module "ampoule/pages" {
  /**
   * Calls a tool again and again, and gives each answer: `for await (const page of pages(tools.server.tool, { … }))`. `next` makes what
   * changes in the arguments of the next call out of an answer and the arguments of its call, or nothing after the last one. Without
   * it, the answer's own `next` has the arguments of the next call, or null.
   */
  export function pages<Tool extends (...given: never[]) => Promise<unknown>>(
    tool: Tool,
    args?: Parameters<Tool>[0],
    next?: (page: Awaited<ReturnType<Tool>>, given: NonNullable<Parameters<Tool>[0]>) => unknown,
  ): AsyncGenerator<Awaited<ReturnType<Tool>>, void, undefined>;
}

/** Calls a tool by its server's name and its own: `callMCPTool("server__tool", { … })`. */
declare function callMCPTool(name: string, args?: object, options?: tools.$Options): Promise<unknown>;

/** A call that a tool refused, or that did not reach it. */
declare class ToolError extends Error {
  constructor(message?: string, options?: { readonly kind?: ToolError["kind"]; readonly server?: string; readonly tool?: string; readonly content?: readonly unknown[]; readonly data?: unknown });
  /** Why the call failed: `failed` if the tool reports an error, `denied` if a rule or a person does not allow the call. */
  readonly kind: "failed" | "arguments" | "denied" | "needs-sign-in" | "not-reached" | "refused" | "protocol" | "timed-out" | "cancelled" | "lost";
  readonly server?: string;
  readonly tool?: string;
  /** The tool's error message, as content blocks. */
  readonly content: readonly unknown[];
  /** The structured content of the failure (`structuredContent`), if any. */
  readonly data?: any;
}

/** An image, to be returned: bytes, their base64, a `data:` URL, a content block, or a part that `$read` gave. */
declare function image(data: string | ArrayBufferView | ArrayBuffer | object, mimeType?: string): { type: "image"; data: string; mimeType: string };

/** Sound, to be returned: bytes, their base64, a `data:` URL, a content block, or a part that `$read` gave. */
declare function audio(data: string | ArrayBufferView | ArrayBuffer | object, mimeType?: string): { type: "audio"; data: string; mimeType: string };

/** Shows values to the person, apart from the result: what `return` takes, and whole results. */
declare function emit(...values: [unknown, ...unknown[]]): void;

/** A tool's result as the server sent it. */
declare interface WholeResult {
  content: { readonly type: string; readonly [key: string]: any }[];
  structuredContent?: any;
  _meta: { readonly [key: string]: any };
}

/** Calls a tool, such as `whole(tools.server.tool, { … })`, and gives its result as the server sent it. */
declare function whole<Arguments extends readonly unknown[]>(tool: (...args: Arguments) => unknown, ...args: NoInfer<Arguments>): Promise<WholeResult>;
declare function whole(tool: string, args?: object): Promise<WholeResult>;

/** Reports progress to the client: a fraction from 0 to 1, and what the run does. Either may be left out. */
declare function progress(fraction: number, text?: string): void;
declare function progress(text: string): void;

// Functions for scripts that were written for other code modes.

/** Prints a value: a text as it is, anything else as JSON. */
declare function text(value: unknown): void;

/** Prints a value as JSON. */
declare function json(value: unknown): void;

/** Sends a value to the client at once. */
declare function notify(value: unknown): void;

/** Stores a copy of a value under a key: in a session, for its next runs. */
declare function store(key: string, value: unknown): void;

/** A copy of the value stored under a key. */
declare function load(key: string): any;

/** Ends the script. What it printed so far is its answer. */
declare function exit(): never;

/** Sends the output so far to the client. */
declare function yield_control(): Promise<void>;

/** The granted tools. */
declare const ALL_TOOLS: { name: string; description: string }[];

/** The values that the run was given, such as those of `--arguments`. */
declare const env: { readonly [name: string]: unknown };
