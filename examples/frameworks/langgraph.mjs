// Code mode for LangGraph in JavaScript: a nested call that needs approval interrupts the graph, and the script goes on from
// `Command({ resume })`. The model follows a script: nothing is sent anywhere.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { Annotation, Command, interrupt, MemorySaver, MessagesAnnotation, StateGraph } from '@langchain/langgraph'
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt'
import { Runtime } from 'ampoule'
import { codeTool } from 'ampoule/langgraph'
import * as z from 'zod'

const folder = mkdtempSync(`${tmpdir()}/ampoule-`)
const refunds = []
const price = tool(async ({ name }) => name.length, { name: 'price', description: 'What a product costs.', schema: z.object({ name: z.string() }) })
const refund = tool(
  async ({ euros }) => {
    refunds.push(euros)
    return `paid ${euros}`
  },
  { name: 'refund', description: 'Pays a customer back.', schema: z.object({ euros: z.number() }) },
)
const code = `
const euros = await host.price({ name: 'tea' })
const first = await host.refund({ euros })
const second = await host.refund({ euros: 500 }).catch((error) => error.message)
return [first, second]`

const checkpointer = new MemorySaver()
const thread = { configurable: { thread_id: 'conversation-1' } }
const answers = [new AIMessage({ content: '', tool_calls: [{ id: 'call-1', name: 'run_code', args: { code } }] }), new AIMessage('The tea is paid back.')]

/** One request, with a new runtime, as in another process. */
async function turn(given, thread) {
  const runtime = new Runtime({ parked: folder })
  const run_code = await codeTool([price, refund], { runtime, approve: 'host.refund', limits: { wallTime: '20s' } })
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('model', async () => ({ messages: [answers.shift()] }))
    .addNode('tools', new ToolNode([run_code]))
    .addEdge('__start__', 'model')
    .addConditionalEdges('model', toolsCondition)
    .addEdge('tools', 'model')
    .compile({ checkpointer })
  const state = await graph.invoke(given, thread)
  const waiting = (await runtime.parked()).filter(({ state }) => state === 'left')
  await runtime.close()
  return { ...state, waiting }
}

const first = await turn({ messages: [new HumanMessage('Pay the tea back, and 500.')] }, thread)
assert.deepEqual(first.__interrupt__[0].value.calls.map(({ arguments: given }) => given), [{ euros: 3 }])
assert.deepEqual(refunds, [])
const second = await turn(new Command({ resume: { approved: true } }), thread)
assert.deepEqual(second.__interrupt__[0].value.calls.map(({ arguments: given }) => given), [{ euros: 500 }])
const third = await turn(new Command({ resume: { approved: false, reason: 'that is too much' } }), thread)
assert.deepEqual(third.messages.slice(2).map(({ content }) => content), ['["paid 3","that is too much"]', 'The tea is paid back.'])
assert.deepEqual(refunds, [3])
assert.deepEqual(third.waiting, [])

// A plain approval is for the calls that a script asks for first. Later ones are approved by their numbers.
const twice = { configurable: { thread_id: 'conversation-2' } }
const refundOf = (id, euros) => ({ id, name: 'run_code', args: { code: `return await host.refund({ euros: ${euros} })` } })
const both = 'return [await host.refund({ euros: 4 }), await host.refund({ euros: 5 })]'
answers.push(new AIMessage({ content: '', tool_calls: [{ id: 'call-1', name: 'run_code', args: { code: both } }] }), new AIMessage('Done.'))
await turn({ messages: [new HumanMessage('Pay 4 and 5.')] }, twice)
await turn(new Command({ resume: { approved: true } }), twice)
const again = await turn(new Command({ resume: { approved: true } }), twice)
const [{ call, arguments: left }] = again.__interrupt__[0].value.calls
assert.deepEqual([left, refunds], [{ euros: 5 }, [3, 4]])
const done = await turn(new Command({ resume: { answers: { [call]: true } } }), twice)
assert.equal(done.messages.at(-2).content, '["paid 4","paid 5"]')

// Of scripts that a model calls at once, one asks, and the model learns that it does.
const atOnce = { configurable: { thread_id: 'conversation-3' } }
answers.push(new AIMessage({ content: '', tool_calls: [refundOf('call-1', 6), refundOf('call-2', 600)] }), new AIMessage('Done.'))
const one = await turn({ messages: [new HumanMessage('Pay 6 and 600.')] }, atOnce)
assert.deepEqual([one.waiting.length, one.__interrupt__[0].value.calls[0].arguments], [1, { euros: 6 }])
const other = await turn(new Command({ resume: { approved: true } }), atOnce)
assert.equal(other.messages.at(-3).content, 'paid 6')
assert.match(other.messages.at(-2).content, /another script of the same step asks for approval/)
assert.deepEqual(refunds, [3, 4, 5, 6])

// A node that is interrupted after its script runs again from its start, and pays once.
const runtime = new Runtime({ parked: folder })
const run_code = await codeTool([refund], { runtime, approve: 'host.refund' })
const graph = new StateGraph(Annotation.Root({ said: Annotation() }))
  .addNode('pay', async (_, config) => {
    const { content } = await run_code.invoke({ type: 'tool_call', ...refundOf('call-1', 7) }, config)
    return { said: `${content}, ${interrupt('Is that all?')}` }
  })
  .addEdge('__start__', 'pay')
  .compile({ checkpointer })
const later = { configurable: { thread_id: 'conversation-4' } }
await graph.invoke({}, later)
assert.equal((await graph.invoke(new Command({ resume: { approved: true } }), later)).__interrupt__[0].value, 'Is that all?')
assert.equal((await graph.invoke(new Command({ resume: 'yes' }), later)).said, 'paid 7, yes')
assert.deepEqual(refunds, [3, 4, 5, 6, 7])
await runtime.close()
rmSync(folder, { recursive: true })
console.log('LangGraph in JavaScript: ok')
