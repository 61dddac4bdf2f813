/**
 * Code mode for LangGraph and LangChain in JavaScript: one tool whose scripts call the caller's tools and MCP servers, in
 * Ampoule's isolates. It needs `@langchain/langgraph` 1. A nested call that needs approval parks the run and interrupts the
 * graph, with {@link InterruptedCode}; `new Command({ resume })` has a {@link CodeAnswer}.
 */

import type { ApprovalOptions } from './approvals.js'
import type { ParkedRun, RunEvent, Tools } from './index.js'

export interface LangGraphCodeOptions extends ApprovalOptions {
  /** The tool's name. Default `run_code`. */
  name?: string
  /** The text before the declarations of the tools. */
  description?: string
  /** The most characters of a result; the rest is cut off. Default 24,000. */
  resultLength?: number
  onEvent?: (event: RunEvent) => void
}

/** The value of the interrupt. */
export interface InterruptedCode {
  run: string
  calls: ParkedRun['waiting']
}

/** What resumes it: one answer for all calls, or one for each by its number, where a text says why not. */
export type CodeAnswer = { approved: boolean; reason?: string } | { answers: Record<number, boolean | string> }

/** Makes one tool of many: of LangChain's tools in an array, or of any. */
export function codeTool(tools: any[] | Tools, options?: LangGraphCodeOptions): Promise<any>
