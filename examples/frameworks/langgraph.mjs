// Code mode for LangGraph in JavaScript: a nested call that needs approval interrupts the graph, and the script goes on from
// `Command({ resume })`. The model follows a script: nothing is sent anywhere.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { Command, MemorySaver, MessagesAnnotation, StateGraph } from '@langchain/langgraph'
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
async function turn(given) {
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
  const waiting = await runtime.parked()
  await runtime.close()
  return { ...state, waiting }
}

const first = await turn({ messages: [new HumanMessage('Pay the tea back, and 500.')] })
assert.deepEqual(first.__interrupt__[0].value.calls.map(({ arguments: given }) => given), [{ euros: 3 }])
assert.deepEqual(refunds, [])
const second = await turn(new Command({ resume: { approved: true } }))
assert.deepEqual(second.__interrupt__[0].value.calls.map(({ arguments: given }) => given), [{ euros: 500 }])
const third = await turn(new Command({ resume: { approved: false, reason: 'that is too much' } }))
assert.deepEqual(third.messages.slice(2).map(({ content }) => content), ['["paid 3","that is too much"]', 'The tea is paid back.'])
assert.deepEqual(refunds, [3])
assert.deepEqual(third.waiting, [])
rmSync(folder, { recursive: true })
console.log('LangGraph in JavaScript: ok')
