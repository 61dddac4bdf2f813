// TanStack AI's code mode with Ampoule as its isolate driver. The model follows a script: nothing is sent anywhere.

import assert from 'node:assert/strict'
import { chat, toolDefinition } from '@tanstack/ai'
import { createCodeModeTool } from '@tanstack/ai-code-mode'
import { Runtime } from 'ampoule'
import { createAmpouleIsolateDriver } from 'ampoule/tanstack'
import * as z from 'zod'

const price = toolDefinition({
  name: 'price',
  description: 'What a product costs.',
  inputSchema: z.object({ name: z.string() }),
  outputSchema: z.object({ euros: z.number() }),
}).server(async ({ name }) => {
  if (name === 'air') throw new Error('it has no price')
  return { euros: name.length }
})

const runtime = new Runtime()
const driver = createAmpouleIsolateDriver({ runtime, limits: { fuel: 500_000_000 } })
const code = createCodeModeTool({ driver, tools: [price], timeout: 60_000 })

const scripts = [
  `const prices: number[] = []
for (const name of ['tea', 'milk']) prices.push((await external_price({ name })).euros)
console.log('two'); console.warn('only')
return prices`,
  "return await external_price({ name: 'air' })",
  'for (;;) {}',
  "try { await fetch('https://example.org') } catch (error) { return typeof process }",
]
const results = []
for (const typescriptCode of scripts) results.push(await code.execute({ typescriptCode }))
assert.deepEqual(results[0], { success: true, result: [3, 4], logs: ['two', 'WARN: only'] })
assert.equal(results[1].success, false)
assert.match(results[1].error.message, /it has no price/)
assert.match(results[2].error.message, /limit `fuel`/)
assert.equal(results[3].result, 'undefined')

// In the loop of `chat`.
const told = []
const text = await chat({ adapter: scripted(), messages: [{ role: 'user', content: 'What do tea and milk cost?' }], tools: [code], stream: false })
assert.equal(text, 'They cost 3 and 4.')
assert.deepEqual(JSON.parse(told.at(-1)).result, [3, 4])
await runtime.close()
console.log('TanStack AI: ok')

/** An adapter whose model writes the first script, and then says something. */
function scripted() {
  let turn = 0
  return {
    kind: 'text',
    name: 'scripted',
    model: 'scripted',
    async *chatStream({ messages }) {
      const at = { model: 'scripted', timestamp: 0 }
      const ids = { runId: `run-${turn}`, threadId: 'thread' }
      yield { type: 'RUN_STARTED', ...at, ...ids }
      if (turn++ === 0) {
        const call = { toolCallId: 'call-1', toolCallName: code.name, toolName: code.name }
        const input = { typescriptCode: scripts[0] }
        yield { type: 'TOOL_CALL_START', ...at, ...call, parentMessageId: 'm-0', index: 0 }
        yield { type: 'TOOL_CALL_ARGS', ...at, ...call, delta: JSON.stringify(input), args: JSON.stringify(input) }
        yield { type: 'TOOL_CALL_END', ...at, ...call, input }
        yield { type: 'RUN_FINISHED', ...at, ...ids, finishReason: 'tool_calls' }
        return
      }
      told.push(messages.at(-1).content)
      yield { type: 'TEXT_MESSAGE_START', ...at, messageId: 'm-1', role: 'assistant' }
      yield { type: 'TEXT_MESSAGE_CONTENT', ...at, messageId: 'm-1', delta: 'They cost 3 and 4.', content: 'They cost 3 and 4.' }
      yield { type: 'TEXT_MESSAGE_END', ...at, messageId: 'm-1' }
      yield { type: 'RUN_FINISHED', ...at, ...ids, finishReason: 'stop' }
    },
  }
}
