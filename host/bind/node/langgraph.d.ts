/**
 * Code mode for LangGraph and LangChain in JavaScript: one tool whose scripts call the caller's tools and MCP servers, in
 * Ampoule's isolates. It needs `@langchain/langgraph` 1. A nested call that needs approval parks the run and interrupts the
 * graph, with {@link InterruptedCode}; `new Command({ resume })` has a {@link CodeAnswer}. One answer for all calls is for those
 * alone that a script asks for first; later ones are approved by their numbers, so that no old answer approves a new call.
 */

import type { CodeModeOptions } from './approvals.js'
import type { OpenCall, RunEvent, Tools } from './index.js'

export type { CodeAnswer } from './approvals.js'

export interface LangGraphCodeOptions extends CodeModeOptions {
  /** The tool's name. Default `run_code`. */
  name?: string
  onEvent?: (event: RunEvent) => void
}

/** The value of the interrupt. */
export interface InterruptedCode {
  run: string
  calls: OpenCall[]
}

/** Makes one tool of many: of LangChain's tools in an array, or of any. */
export function codeTool(tools: any[] | Tools, options?: LangGraphCodeOptions): Promise<any>
