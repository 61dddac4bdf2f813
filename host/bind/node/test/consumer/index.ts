// No program: tsc reads it, as that of somebody who has the package and its types alone.

import { codeTool, Runtime, ScriptError, valueOf, type Tool } from 'ampoule'
import { codeMode } from 'ampoule/ai-sdk'
import { AmpouleExecutor } from 'ampoule/codemode'
import { createAmpouleIsolateDriver } from 'ampoule/tanstack'

const add: Tool = {
  description: 'Adds two numbers.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } },
  execute: ({ a, b }: { a: number; b: number }) => a + b,
}

export async function used(runtime: Runtime): Promise<number> {
  const outcome = await runtime.run<number>('return 1', { tools: { add }, limits: { wallTime: '5s' }, env: { list: [1, null] } })
  if (outcome.ending === 'limit') return outcome.used
  if (outcome.ending === 'threw') return outcome.error.location?.line ?? 0
  const code = codeTool({ add }, { runtime })
  const checked = await code.inputSchema['~standard'].validate({})
  // @ts-expect-error it is a text
  if (!checked.issues) checked.value.code satisfies number
  await new AmpouleExecutor({ runtime }).execute('', { add: async () => 1 })
  const mode = await codeMode({ add }, { runtime, approve: 'github.delete_*' })
  for await (const result of mode.execute({ code: '' }, { toolCallId: '1' })) if ('waiting' in result) return result.waiting.length
  const context = await createAmpouleIsolateDriver({ runtime }).createContext({ bindings: {} })
  if (!(await context.execute<number>('')).success) return (await runtime.parked()).length
  if (outcome.ending === 'parked') return outcome.waiting[0]?.call ?? (await runtime.run({ resume: outcome.run })).output.length
  await using run = runtime.start<number>('return 1')
  for await (const event of run.events()) {
    if (event.event === 'call-ended') return event.wallMs
    if (event.event === 'output') return event.text.length
  }
  // @ts-expect-error there is no such limit
  await runtime.run('', { limits: { time: 1 } })
  // @ts-expect-error there is no such language
  await runtime.run('', { language: 'ruby' })
  try {
    return valueOf(outcome)
  } catch (error) {
    return error instanceof ScriptError ? error.thrown.message.length : 0
  }
}
