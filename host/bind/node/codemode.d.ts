/**
 * Cloudflare codemode's `Executor` on Ampoule's isolates: give it to `createCodeTool`. The types are those of
 * `@cloudflare/codemode` 0.5, so that it need not be installed.
 */

import type { Limits, Runtime } from './index.js'

/** A provider's functions, by the names that scripts call. */
export type Functions = Record<string, (...args: unknown[]) => Promise<unknown>>

/** Functions under a name, as codemode resolves tools. */
export interface ResolvedProvider {
  name: string
  fns: Functions
  /** JavaScript that the script begins with, such as functions of the namespace that wrap others. */
  prelude?: string
}

/** Called for each method by its name. */
export interface ConnectorBinding {
  name: string
  binding: { callTool(method: string, args: unknown): Promise<unknown> }
}

export interface ExecuteOptions {
  connectors?: ConnectorBinding[]
}

export interface ExecuteResult {
  result: unknown
  error?: string
  logs?: string[]
}

export interface AmpouleExecutorOptions {
  /** Default: one of its own. */
  runtime?: Runtime
  limits?: Limits
  signal?: AbortSignal
}

/** Runs codemode's code in isolates. As codemode asks of an executor, it never throws. */
export class AmpouleExecutor {
  constructor(options?: AmpouleExecutorOptions)
  execute(code: string, providersOrFns: ResolvedProvider[] | Functions, options?: ExecuteOptions): Promise<ExecuteResult>
}
