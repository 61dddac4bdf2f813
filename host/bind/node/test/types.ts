// No program: tsc reads it. What is written by hand in index.d.ts is what the package has, and fits others' types.

import type { Executor } from '@cloudflare/codemode'
import type { ToolSet } from 'ai'
import { AmpouleExecutor } from 'ampoule/codemode'
import { codeTool } from 'ampoule'
import type * as front from 'ampoule'
import * as codes from '../lib/code-tool.js'
import * as errors from '../lib/errors.js'
import * as layered from '../lib/layers.js'
import * as runtimes from '../lib/runtime.js'

/** What index.js exports: as tsc sees it, and as index.d.ts says. */
export const own: typeof front = { ...codes, ...errors, ...layered, ...runtimes }

export const executor: Executor = new AmpouleExecutor()

/** A tool for the AI SDK; and its tools are tools here. */
export const tools: ToolSet = { code: codeTool({}) }
export const given: front.Tools = tools
