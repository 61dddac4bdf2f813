/**
 * TanStack AI's `IsolateDriver` on Ampoule's isolates: give it to `createCodeModeTool` or `createCodeMode`. The types are
 * those of `@tanstack/ai-code-mode` 0.3, so that it need not be installed.
 */

import type { Limits, RunEvent, RunOptions, Runtime } from './index.js'

/** A tool as TanStack AI gives it to scripts. */
export interface ToolBinding {
  name: string
  description: string
  inputSchema: Record<string, unknown>
  outputSchema?: Record<string, unknown> | undefined
  execute: (args: unknown, context?: any) => Promise<unknown>
}

export interface IsolateConfig {
  bindings: Record<string, ToolBinding>
  /** In milliseconds. */
  timeout?: number
  /** In MB. */
  memoryLimit?: number
}

export interface ExecutionResult<T = unknown> {
  success: boolean
  value?: T
  error?: { name: string; message: string; stack?: string; code?: string }
  logs?: string[]
}

export interface IsolateContext {
  execute<T = unknown>(code: string): Promise<ExecutionResult<T>>
  /** Cancels what runs. */
  dispose(): Promise<void>
}

export interface IsolateDriver {
  createContext(config: IsolateConfig): Promise<IsolateContext>
}

/** With a `session`, the next script has what the one before left. */
export interface AmpouleIsolateDriverOptions extends Pick<RunOptions, 'session' | 'keepAlways' | 'principal' | 'groups' | 'record' | 'grant' | 'layers' | 'signal'> {
  /** Default: one of its own. */
  runtime?: Runtime
  /** Limits in place of those that TanStack AI gives. */
  limits?: Limits
  onEvent?: (event: RunEvent) => void
}

export function createAmpouleIsolateDriver(options?: AmpouleIsolateDriverOptions): IsolateDriver
