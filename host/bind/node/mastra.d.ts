/**
 * Code mode for Mastra: one tool whose scripts call the caller's tools and MCP servers, in Ampoule's isolates. It needs
 * `@mastra/core` 1. A nested call that needs approval parks the run and suspends the tool, with {@link SuspendedCode}; what
 * resumes the agent is a {@link CodeAnswer}.
 */

import type { ApprovalOptions } from './approvals.js'
import type { Json, RunEvent } from './index.js'

export interface MastraCodeOptions extends ApprovalOptions {
  /** The tool's id. Default `run_code`. */
  id?: string
  /** The text before the declarations of the tools. */
  description?: string
  /** The most characters of a result; the rest is cut off. Default 24,000. */
  resultLength?: number
  onEvent?: (event: RunEvent) => void
}

/** What the tool suspends with. */
export interface SuspendedCode {
  run: string
  calls: { call: number; server: string; tool: string; arguments: Record<string, Json> }[]
}

/** What resumes it: one answer for all calls, or one for each by its number, where a text says why not. */
export type CodeAnswer = { approved: boolean; reason?: string } | { answers: Record<number, boolean | string> }

/** Makes one tool of many: those with `requireApproval` ask within scripts. It is one of `createTool`. */
export function codeTool(tools: Record<string, any>, options?: MastraCodeOptions): Promise<any>
