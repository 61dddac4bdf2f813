// Code mode for Mastra: a script calls the agent's tools, one of which needs approval. The tool suspends, and the script goes
// on when the agent is resumed. The model follows a script: nothing is sent anywhere.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import { Runtime } from 'ampoule'
import { codeTool } from 'ampoule/mastra'
import * as z from 'zod'

const folder = mkdtempSync(`${tmpdir()}/ampoule-`)
const refunds = []
const price = createTool({
  id: 'price',
  description: 'What a product costs.',
  inputSchema: z.object({ name: z.string() }),
  outputSchema: z.object({ euros: z.number() }),
  execute: async ({ name }) => ({ euros: name.length }),
})
const refund = createTool({
  id: 'refund',
  description: 'Pays a customer back.',
  inputSchema: z.object({ euros: z.number() }),
  requireApproval: true,
  execute: async ({ euros }) => {
    refunds.push(euros)
    return { paid: euros }
  },
})

const code = `
const { euros } = await host.price({ name: 'tea' })
const all = await Promise.allSettled([euros, 500].map((euros) => host.refund({ euros })))
return all.map(({ value, reason }) => value?.paid ?? reason.message)`
const storage = new InMemoryStore()
const model = scripted([{ code }, 'The tea is paid back.'])

/** What a process has. */
async function agentOf(runtime) {
  const run_code = await codeTool({ price, refund }, { runtime, limits: { wallTime: '20s' } })
  const agent = new Agent({ id: 'shop', name: 'Shop', instructions: 'You help.', model, tools: { run_code } })
  new Mastra({ agents: { agent }, storage, logger: false })
  return agent
}

const first = new Runtime({ parked: folder })
const stream = await (await agentOf(first)).stream('Pay the tea back, and 500.')
let suspended
for await (const chunk of stream.fullStream) if (chunk.type === 'tool-call-suspended') suspended = chunk.payload
assert.deepEqual(suspended.suspendPayload.calls.map(({ arguments: given }) => given), [{ euros: 3 }, { euros: 500 }])
assert.deepEqual(refunds, [])
await first.close()

// A person answers, call by call. The runtime is a new one, as in another process.
const second = new Runtime({ parked: folder })
const [small, large] = suspended.suspendPayload.calls
const answers = { [small.call]: true, [large.call]: 'that is too much' }
const resumed = await (await agentOf(second)).resumeStream({ answers }, { runId: stream.runId, toolCallId: suspended.toolCallId })
const results = []
for await (const chunk of resumed.fullStream) if (chunk.type === 'tool-result') results.push(chunk.payload.result)
assert.deepEqual(results, [{ result: [3, 'that is too much'] }])
assert.equal(await resumed.text, 'The tea is paid back.')
assert.deepEqual(refunds, [3])
// None waits. The outcome of the one that was answered is kept: the same answer does not pay again.
assert.deepEqual((await second.parked()).map(({ state }) => state), ['ended'])
await second.close()
rmSync(folder, { recursive: true })
console.log('Mastra: ok')
process.exit()

/** A model that calls the tool with these inputs, or says these texts, one after the other. */
function scripted(answers) {
  const left = [...answers]
  const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } }
  const doStream = async () => {
    const next = left.shift()
    const isText = typeof next === 'string'
    const parts = isText
      ? [{ type: 'text-start', id: '1' }, { type: 'text-delta', id: '1', delta: next }, { type: 'text-end', id: '1' }]
      : [{ type: 'tool-call', toolCallId: 'call-1', toolName: 'run_code', input: JSON.stringify(next) }]
    const finish = { type: 'finish', finishReason: { unified: isText ? 'stop' : 'tool-calls', raw: undefined }, usage }
    return { stream: simulateReadableStream({ chunks: [{ type: 'stream-start', warnings: [] }, ...parts, finish] }) }
  }
  return new MockLanguageModelV4({ doStream })
}
