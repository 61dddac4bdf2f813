/**
 * Code mode for Mastra: one tool whose scripts call the caller's tools and MCP servers, in Ampoule's isolates. It needs
 * `@mastra/core` 1. A nested call that needs approval parks the run and suspends the tool, with {@link SuspendedCode}; what
 * resumes the agent is a {@link CodeAnswer}. It is for the calls that the tool was suspended with.
 */

import type { CodeModeOptions } from './approvals.js'
import type { OpenCall, RunEvent } from './index.js'

export type { CodeAnswer } from './approvals.js'

export interface MastraCodeOptions extends CodeModeOptions {
  /** The tool's id. Default `run_code`. */
  id?: string
  onEvent?: (event: RunEvent) => void
}

/** What the tool suspends with. */
export interface SuspendedCode {
  run: string
  calls: OpenCall[]
}

/** Makes one tool of many: those with `requireApproval` ask within scripts. It is one of `createTool`. */
export function codeTool(tools: Record<string, any>, options?: MastraCodeOptions): Promise<any>
