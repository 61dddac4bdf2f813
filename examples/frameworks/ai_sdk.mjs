// Code mode for Vercel's AI SDK: a script calls the program's tools, one of which needs approval. The run is parked, the AI
// SDK asks, and after a restart the script goes on where it stood. The model follows a script: nothing is sent anywhere.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { generateText, isStepCount, streamText, tool } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { Runtime, ScriptError } from 'ampoule'
import { codeMode } from 'ampoule/ai-sdk'
import * as z from 'zod'

const folder = mkdtempSync(`${tmpdir()}/ampoule-`)
const refunds = []

const price = tool({
  description: 'What a product costs.',
  inputSchema: z.object({ name: z.string() }),
  execute: async ({ name }) => ({ euros: name.length }),
})
const refund = tool({
  description: 'Pays a customer back.',
  inputSchema: z.object({ euros: z.number() }),
  // Small sums are paid back at once.
  needsApproval: ({ euros }) => euros > 2,
  execute: async ({ euros }) => {
    refunds.push(euros)
    return { paid: euros }
  },
})

/** What a server does for each request: a runtime is one in a process, and a session is one of a conversation. */
async function chat(model, messages, options = {}) {
  const runtime = new Runtime({ parked: `${folder}/parked`, sessions: `${folder}/sessions` })
  const code = await codeMode({ price, refund }, { runtime, session: 'conversation-1', limits: { wallTime: '20s' }, ...options })
  const answer = await generateText({ model, messages, tools: { code }, toolApproval: { code: code.toolApproval }, stopWhen: isStepCount(9) })
  await runtime.close()
  return answer
}

const script = `
const { euros } = await host.price({ name: 'tea' })
const small = await host.refund({ euros: 1 })
const large = await host.refund({ euros })
let paid = [small.paid, large.paid]
return paid`

// The script stops at the second refund.
const model = scripted([['call-1', { code: script }], 'I paid them back.', ['call-2', { code: 'return paid.length' }], 'There were two.'])
const messages = [{ role: 'user', content: 'Pay the tea back.' }]
const first = await chat(model, messages)
const request = first.content.find(({ type }) => type === 'tool-approval-request')
assert.equal(request.reason, 'host.refund({"euros":3})')
assert.deepEqual(refunds, [1])

// A person approves. The runtime is a new one, as in another process.
const response = { type: 'tool-approval-response', approvalId: request.approvalId, approved: true }
messages.push(...first.responseMessages, { role: 'tool', content: [response] })
const second = await chat(model, messages)
assert.equal(second.text, 'I paid them back.')
assert.deepEqual(refunds, [1, 3])
// The same request once more, as after a lost connection: nothing is paid again.
const again = await chat(scripted(['I paid them back.']), messages)
assert.equal(again.text, 'I paid them back.')
assert.deepEqual(refunds, [1, 3])
messages.push(...second.responseMessages, { role: 'user', content: 'How many?' })

// The session has what the script left.
const third = await chat(model, messages)
assert.deepEqual(outputs(third), [{ result: 2 }])

// A denial is the model's to read, and the run is given up.
const denied = await chat(scripted([['call-3', { code: 'return await host.refund({ euros: 500 })' }]]), [{ role: 'user', content: 'Pay 500 back.' }])
const asked = denied.content.find(({ type }) => type === 'tool-approval-request')
const no = { type: 'tool-approval-response', approvalId: asked.approvalId, approved: false, reason: 'too much' }
const after = [{ role: 'user', content: 'Pay 500 back.' }, ...denied.responseMessages, { role: 'tool', content: [no] }]
const sorry = await chat(scripted([['call-4', { code: 'return 1' }], 'I may not.']), after)
assert.equal(sorry.text, 'I may not.')
assert.deepEqual(refunds, [1, 3])

// Streamed: preliminary results say what the script has done so far.
const runtime = new Runtime({ parked: `${folder}/parked` })
const code = await codeMode({ price, refund }, { runtime })
const streamed = streamText({ model: scripted([['call-5', { code: "console.log('a'); await host.price({ name: 'x' }); return 'b'" }], 'Done.']), tools: { code }, prompt: 'Go.', stopWhen: isStepCount(9) })
const seen = []
for await (const part of streamed.fullStream) if (part.type === 'tool-result') seen.push([part.preliminary ?? false, part.output])
assert.deepEqual(seen[0], [true, { running: true, calls: 0, logs: ['a'] }])
assert.deepEqual(seen.at(-1), [false, { result: 'b', logs: ['a'] }])

// Errors are typed, and an abort signal cancels the run.
const options = { toolCallId: 'call-6', messages: [] }
await assert.rejects(last(code.execute({ code: 'null.x' }, options)), ScriptError)
const abortSignal = AbortSignal.timeout(100)
await assert.rejects(last(code.execute({ code: 'for (;;) {}' }, { ...options, abortSignal })), { name: 'CancelledError' })
// Whoever executes the tool without asking gets no approval.
const unasked = await last(code.execute({ code: 'return await host.refund({ euros: 9 })' }, options))
assert.deepEqual(unasked.waiting, ['host.refund({"euros":9})'])
await assert.rejects(last(code.execute({ resume: unasked.resume }, options)), /nobody approved/)
assert.deepEqual(refunds, [1, 3])
// That run still waits. The one that was denied is gone, and of the one that was approved, the outcome is kept.
const kept = await runtime.parked()
assert.deepEqual(kept.filter(({ state }) => state === 'left').map(({ label }) => label.split('/')[0]), ['call-6'])
assert.deepEqual(kept.filter(({ state }) => state === 'ended').map(({ outcome }) => outcome.value), [[1, 3]])
await runtime.close()
rmSync(folder, { recursive: true })
console.log('the AI SDK: ok')

/** A model that calls the tool `code` with these inputs, or says these texts, one after the other. */
function scripted(answers) {
  const left = [...answers]
  const tokens = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } }
  const answer = () => {
    const next = left.shift()
    const content = typeof next === 'string' ? { type: 'text', text: next } : { type: 'tool-call', toolCallId: next[0], toolName: 'code', input: JSON.stringify(next[1]) }
    return { content: [content], finishReason: { unified: typeof next === 'string' ? 'stop' : 'tool-calls', raw: undefined }, usage: tokens, warnings: [] }
  }
  const doStream = async () => {
    const { content: [part], finishReason, usage } = answer()
    const parts = part.type === 'text' ? [{ type: 'text-start', id: '1' }, { type: 'text-delta', id: '1', delta: part.text }, { type: 'text-end', id: '1' }] : [part]
    return { stream: convertArrayToReadableStream([...parts, { type: 'finish', finishReason, usage }]) }
  }
  return new MockLanguageModelV4({ doGenerate: async () => answer(), doStream })
}

function outputs({ steps }) {
  return steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output))
}

async function last(results) {
  let result
  for await (result of results);
  return result
}
