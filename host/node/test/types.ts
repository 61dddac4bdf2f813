// No program: tsc reads it. What is written by hand in index.d.ts is what the package has, and fits others' types.

import type { Executor } from '@cloudflare/codemode'
import type { ToolSet } from 'ai'
import { AmpouleExecutor } from 'ampoule/codemode'
import { codeTool, Runtime, valueOf } from 'ampoule'
import type * as front from 'ampoule'
import * as codes from '../lib/code-tool.js'
import * as errors from '../lib/errors.js'
import * as runtimes from '../lib/runtime.js'

/** What index.js exports: as tsc sees it, and as index.d.ts says. */
export const own: typeof front = { ...codes, ...errors, ...runtimes }

export const executor: Executor = new AmpouleExecutor()

/** A tool for the AI SDK; and its tools are tools here. */
export const tools: ToolSet = { code: codeTool({}) }
export const given: front.Tools = tools

export async function used(runtime: Runtime): Promise<number> {
  const outcome = await runtime.run<number>('return 1', { tools, limits: { wallTime: '5s' }, env: { list: [1, null] } })
  if (outcome.ending === 'limit') return outcome.used
  if (outcome.ending === 'threw') return outcome.error.location?.line ?? 0
  await using run = runtime.start<number>('return 1')
  for await (const event of run.events()) {
    if (event.event === 'call-ended') return event.wallMs
    if (event.event === 'output') return event.text.length
  }
  // @ts-expect-error there is no such limit
  await runtime.run('', { limits: { time: 1 } })
  // @ts-expect-error there is no such language
  await runtime.run('', { language: 'ruby' })
  return valueOf(outcome)
}
