/** The granted tools, by their servers: `await tools.server.tool({ … })`. */
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
  /** The servers with granted tools. */
  export function $servers(): $Server[];
  /** The granted tools that match a query best. */
  export function $search(query: string, options?: { readonly limit?: number; readonly server?: string }): $Tool[];
  /** The declaration of a tool, or of all tools of a server, with documentation. */
  export function $describe(of: string | object): string;
}

/** Calls a tool by its server's name and its own: `callMCPTool("server__tool", { … })`. */
declare function callMCPTool(name: string, args?: object, options?: tools.$Options): Promise<unknown>;

/** A call that a tool refused, or that did not reach it. */
declare class ToolError extends Error {
  constructor(message?: string, options?: { readonly server?: string; readonly tool?: string; readonly content?: readonly unknown[] });
  readonly server?: string;
  readonly tool?: string;
  /** What the tool said of it, as content blocks. */
  readonly content: readonly unknown[];
}

/** An image, to be returned: bytes or their base64, or a part that `$read` gave. */
declare function image(data: string | ArrayBufferView | ArrayBuffer | { readonly blob: unknown }, mimeType?: string): { type: "image"; data: string; mimeType: string };

/** Sound, to be returned: bytes or their base64, or a part that `$read` gave. */
declare function audio(data: string | ArrayBufferView | ArrayBuffer | { readonly blob: unknown }, mimeType?: string): { type: "audio"; data: string; mimeType: string };

/** Tells whoever waits for the run how far it is: a fraction from 0 to 1, and what it does. Either may be left out. */
declare function progress(fraction: number, text?: string): void;
declare function progress(text: string): void;

/** The values that the run was given, such as those of `--arguments`. */
declare const env: { readonly [name: string]: unknown };
