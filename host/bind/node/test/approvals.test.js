// Scripts whose calls need approval: which calls, who is asked, and what an answer is for.

import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { after, beforeEach, test } from 'node:test'
import { Runtime } from 'ampoule'
import { codeMode } from 'ampoule/ai-sdk'
import { ApprovedRuns } from '../lib/approvals.js'
import { decisionsOf, labelOf, Step } from '../lib/kept.js'

const folder = mkdtempSync(`${tmpdir()}/ampoule-`)
const runtime = new Runtime({ parked: `${folder}/parked`, sessions: `${folder}/sessions` })
after(() => runtime.close())

const paid = /** @type {number[]} */ ([])
const pay = {
  description: 'Pays.',
  needsApproval: true,
  execute: (/** @type {any} */ { n }) => {
    paid.push(n)
    return n
  },
}
const see = { description: 'Sees.', execute: () => 'seen' }

beforeEach(async () => {
  paid.length = 0
  for (const { run } of await runtime.parked()) await runtime.removeParked(run)
})

/**
 * What the AI SDK gives a tool: the call, and what people answered to its requests.
 * @param {string} toolCallId
 * @param {any} input
 * @param {boolean} [approved]
 */
function called(toolCallId, input, approved) {
  const asked = { type: 'tool-approval-request', approvalId: 'a', toolCallId }
  const content = [{ type: 'tool-call', toolCallId, toolName: 'code', input }, asked]
  const answer = { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved }] }
  return { toolCallId, messages: [{ role: 'assistant', content }, ...(approved === undefined ? [] : [answer])] }
}

/**
 * @param {import('ampoule/ai-sdk').CodeMode} code
 * @param {any} input
 * @param {any} told
 * @returns {Promise<any>}
 */
async function last(code, input, told) {
  let result
  for await (result of code.execute(input, told));
  return result
}

test('an approval is for the calls that were shown, and is used once', async () => {
  const code = await codeMode({ pay }, { runtime })
  const input = { code: 'return [await host.pay({ n: 1 }), await host.pay({ n: 2 })]' }
  const { reason } = (await code.toolApproval(input, called('c', input))) ?? {}
  assert.equal(reason, 'host.pay({"n":1})')
  const approved = called('c', input, true)
  const asks = await last(code, input, approved)
  assert.deepEqual([asks.waiting, paid], [['host.pay({"n":2})'], [1]])
  // The same request comes again, with the same answer: nobody was shown the second call.
  assert.equal(await code.toolApproval(input, approved), undefined)
  assert.deepEqual(await last(code, input, approved), { waiting: asks.waiting, resume: asks.resume, next: asks.next })
  assert.deepEqual(paid, [1])
  // The model asks for the rest, and a person approves it. An approval that is used again gives the same result.
  const rest = { resume: asks.resume }
  assert.equal((await code.toolApproval(rest, called('d', rest)))?.reason, 'host.pay({"n":2})')
  await assert.rejects(last(code, rest, called('d', rest)), /nobody approved the tool call d/)
  assert.deepEqual(await last(code, rest, called('d', rest, true)), { result: [1, 2] })
  assert.deepEqual(await last(code, rest, called('d', rest, true)), { result: [1, 2] })
  assert.deepEqual(paid, [1, 2])
})

test('what a model calls a run by names its calls, too', async () => {
  const code = await codeMode({ pay }, { runtime })
  const input = { code: 'for (const n of [1, 2, 3]) await host.pay({ n })' }
  const first = await last(code, input, called('c', input))
  const second = { resume: first.resume }
  const third = await last(code, second, called('d', second, true))
  assert.deepEqual([third.waiting, paid], [['host.pay({"n":2})'], [1]])
  assert.notEqual(third.resume, first.resume)
  // The old name, in a new tool call that is approved, is the name of nothing.
  await assert.rejects(last(code, second, called('e', second, true)), /unknown waiting run/)
  assert.deepEqual(paid, [1])
})

test('an approval of a run that is gone approves no other run', async () => {
  const code = await codeMode({ pay }, { runtime })
  const input = { code: 'return await host.pay({ n: Date.now() })' }
  assert.ok(await code.toolApproval(input, called('c', input)))
  for (const { run } of await runtime.parked()) await runtime.removeParked(run)
  // Before it executes an approved tool, the AI SDK asks again.
  assert.equal(await code.toolApproval(input, called('c', input, true)), undefined)
  const asks = await last(await codeMode({ pay }, { runtime }), input, called('c', input, true))
  assert.equal(asks.waiting.length, 1)
  assert.deepEqual(paid, [])
})

test('an answer is for one tool call, and not for another with the same id', async () => {
  const code = await codeMode({ pay }, { runtime })
  const [small, large] = [1, 500].map((n) => ({ code: `return await host.pay({ n: ${n} })` }))
  assert.ok(small && large)
  await code.toolApproval(small, called('0', small))
  assert.deepEqual(await last(code, small, called('0', small, true)), { result: 1 })
  const { messages } = called('0', small, true)
  const next = { toolCallId: '0', messages: [...messages, ...called('0', large).messages.map(({ role, content }) => ({ role, content: content.slice(0, 1) }))] }
  assert.equal((await code.toolApproval(large, next))?.reason, 'host.pay({"n":500})')
  await assert.rejects(last(code, large, next), /nobody approved/)
  assert.deepEqual(await code.waiting('0', large), [{ call: 0, server: 'host', tool: 'pay', arguments: { n: 500 } }])
  assert.deepEqual(await code.waiting('0', small), [])
  // Nor is it for the same script in another conversation.
  const other = await codeMode({ pay }, { runtime, thread: 'other' })
  assert.deepEqual(await other.waiting('0', large), [])
  assert.deepEqual(paid, [1])
  await assert.rejects(last(code, large, called('', large)), /has no id/)
})

test('a denial gives the run up, and no other', async () => {
  const code = await codeMode({ pay }, { runtime })
  const [one, two] = [1, 2].map((n) => ({ code: `return await host.pay({ n: ${n} })` }))
  await code.toolApproval(one, called('c', one))
  await code.toolApproval(two, called('cc', two))
  await code.toolApproval(two, { ...called('c', one, false), toolCallId: 'cc' })
  assert.deepEqual((await runtime.parked()).map(({ openCalls }) => openCalls[0]?.arguments), [{ n: 2 }])
})

test('a script is asked about whatever its text says', async () => {
  const tools = { pay: { ...pay, needsApproval: undefined } }
  const code = await codeMode(tools, { runtime, approve: 'host.PAY', session: 's' })
  for (const [index, text] of ["return await host['p' + 'ay']({ n: 1 })", 'return await again()'].entries()) {
    if (index === 1) await runtime.run('const again = () => host.pay({ n: 2 })', { language: 'typescript', tools, session: 's' })
    const input = { code: text }
    assert.equal((await code.toolApproval(input, called(`c${index}`, input)))?.reason, `host.pay({"n":${index + 1}})`)
    await code.toolApproval(input, called(`c${index}`, input, false))
  }
  assert.deepEqual(paid, [])
})

test('patterns mean what they mean in a configuration', async () => {
  const given = (/** @type {any} */ approve) => new ApprovedRuns({ pay: { ...pay, needsApproval: undefined }, see }, { runtime, approve })
  for (const approve of ['host.pay', 'host.Pay', 'host', '*', ['x', 'host.p*'], () => true]) {
    const { ending } = await given(approve).start('return await host.pay({ n: 1 })', { label: 'a' }).outcome
    assert.equal(ending, 'parked', String(approve))
  }
  const passed = await given('host.see').start('return await host.pay({ n: 1 })').outcome
  assert.equal(passed.ending, 'returned')
  for (const wrong of ['', [''], '.pay']) assert.throws(() => given(wrong), { code: 'usage', message: /is not a pattern for tools/ })
  // A tool's own rule, and the patterns: one of them is enough.
  const both = new ApprovedRuns({ pay: { ...pay, needsApproval: () => false } }, { runtime, approve: '*' })
  assert.equal((await both.start('await host.pay({ n: 1 })').outcome).ending, 'parked')
})

test('without the folder, a call that asks fails and says so, and other calls are made', async () => {
  const folderless = new Runtime()
  assert.deepEqual([folderless.parks, runtime.parks], [false, true])
  const code = await codeMode({ pay, see }, { runtime: folderless })
  assert.equal(code.needsApproval, undefined)
  assert.doesNotMatch(code.description, /resume/)
  const input = { code: 'try { await host.pay({ n: 1 }) } catch (error) { return [await host.see(), error.message] }' }
  assert.equal(await code.toolApproval(input, called('c', input)), undefined)
  const { result } = await last(code, input, called('c', input))
  assert.equal(result[0], 'seen')
  assert.match(result[1], /give the runtime the folder `parked`/)
  // Where no call asks, nothing is parked, and nothing is missing.
  const plain = await codeMode({ see }, { runtime: folderless })
  assert.deepEqual(await last(plain, { code: 'return await host.see()' }, { toolCallId: '' }), { result: 'seen' })
  await folderless.close()
  assert.deepEqual(paid, [])
})

test('labels are exact, and answers are for calls by their numbers', () => {
  const label = labelOf(['thread/1', 'call'], 'return 1')
  assert.match(label, /^thread%2F1\/call\/[0-9a-f]{16}$/)
  assert.notEqual(label, labelOf(['thread/1', 'call'], 'return 2'))
  assert.throws(() => labelOf(['thread', ''], 'x'), /has no id/)
  const openCalls = [3, 4].map((call) => ({ call, server: 'host', tool: 'pay', arguments: {} }))
  const run = (/** @type {string} */ label, state = 'left') => /** @type {any} */ ({ run: label, label, state, openCalls })
  const kept = [run(`${label}x#0`), run(label), run(`${label}#2`), run('busy#0', 'parked')]
  const step = Step.of(kept, label)
  assert.deepEqual([step?.run.label, step?.times], [`${label}#2`, 2])
  assert.equal(Step.of(kept, 'thread%2F1'), undefined)
  assert.throws(() => Step.of(kept, 'busy'), /is still running/)
  // A plain approval is for the calls that were shown first, and a denial for all.
  for (const old of [true, { approved: true }, { answers: { 0: true } }]) assert.equal(step?.decisions(old).size, 0)
  assert.deepEqual([...(step?.decisions({ answers: { 4: true } }) ?? [])], [[4, { approved: true, reason: undefined }]])
  assert.equal(step?.decisions({ approved: false, reason: 'no' }).get(3)?.reason, 'no')
  assert.equal(new Step(run('a'), 0).decisions(true).get(4)?.approved, true)
  assert.deepEqual([...decisionsOf({ answers: { 3: 'too much' } }, openCalls)].map(([, { approved, reason }]) => [approved, reason]), [[false, 'too much'], [false, undefined]])
  for (const none of [null, undefined, 'yes', {}]) assert.ok([...decisionsOf(none, openCalls).values()].every(({ approved }) => !approved))
})
