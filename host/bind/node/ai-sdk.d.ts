/**
 * Code mode for the AI SDK, 6 and 7: one tool whose scripts call the caller's tools and MCP servers, in Ampoule's isolates.
 * A nested call that needs approval parks the run, and the AI SDK asks for it like for any tool.
 *
 * ```js
 * const code = await codeMode({ price, refund }, { runtime: new Runtime({ parked: folder }) })
 * await generateText({ model, tools: { code }, prompt })
 * ```
 */

import type { CodeModeOptions as AnyCodeModeOptions } from './approvals.js'
import type { OpenCall, RunEvent, StandardSchema, Tools } from './index.js'

export type { ApprovalOptions, Decision } from './approvals.js'

export interface CodeModeOptions extends AnyCodeModeOptions {
  /** The id of the conversation: tool calls of several conversations may have the same ids. Default: the session. */
  thread?: string | undefined
  /** What happens in runs, as it happens, also before the AI SDK executes the tool. */
  onEvent?: (event: RunEvent, of: { toolCallId: string }) => void
}

/** A script; or, instead, what the result of a script that waits for approval names. */
export interface CodeModeInput {
  code?: string
  resume?: string
}

/** What the AI SDK tells a tool. */
export interface ToolOptions {
  toolCallId: string
  messages?: any[]
  abortSignal?: AbortSignal
  context?: unknown
  experimental_context?: unknown
}

/** The result of a script: its value, and the lines that it printed. While it runs, preliminary ones come. */
export type CodeModeResult =
  | { result: unknown; logs?: string[] }
  | { running: true; calls: number; logs: string[]; progress?: string; fraction?: number | null }
  | { waiting: string[]; resume: string; next: string; logs?: string[] }

/** A tool for the AI SDK's `tools`. */
export interface CodeMode {
  description: string
  inputSchema: StandardSchema<any>
  /** @throws {RunError} if the script returned no value; the message is for the model */
  execute(input: any, options: any): AsyncGenerator<CodeModeResult>
  /**
   * Whether the script came to calls that need approval. It begins for that. There is none if no call needs approval, or the
   * runtime lacks the folder `parked`.
   */
  needsApproval?: ((input: any, options: any) => Promise<boolean>) | undefined
  /** The same for `toolApproval` of the AI SDK 7: `{ code: code.toolApproval }`. The request has the calls as its reason. */
  toolApproval(input: any, options: any): Promise<{ type: 'user-approval'; reason: string } | undefined>
  /** The calls that wait for approval in the run of a tool call with this input, to be shown. */
  waiting(toolCallId: string, input: CodeModeInput): Promise<OpenCall[]>
}

/** Makes one tool of many, and of what `grant` allows of the runtime's MCP servers. */
export function codeMode(tools: Tools, options?: CodeModeOptions): Promise<CodeMode>
