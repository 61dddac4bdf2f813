// Runs that are parked because a call waits for an answer from outside.

import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { after, test } from 'node:test'
import { ParkedError, ParkRequest, Runtime, valueOf } from 'ampoule'

const folder = mkdtempSync(`${tmpdir()}/ampoule-`)
const runtime = new Runtime({ parked: `${folder}/parked`, sessions: `${folder}/sessions` })
after(() => runtime.close())

const tools = { pay: { execute: (/** @type {any} */ { n }) => n } }
const options = /** @type {const} */ ({ language: 'javascript', parkAfter: '10ms' })

/**
 * Lets the calls pass whose numbers are known.
 * @param {number[]} known
 * @returns {import('ampoule').Layer[]}
 */
const asking = (...known) => [
  (call, next) => {
    if (!known.includes(call.number)) throw new ParkRequest({ tool: call.tool })
    return next()
  },
]

test('a layer parks a run, which resumes in its session', async () => {
  const code = 'let sum = 0; for (const n of [1, 2]) sum += await host.pay({ n }); return sum'
  const parked = await runtime.run(code, { ...options, tools, layers: asking(0), session: 's', label: 'a' })
  assert.ok(parked.ending === 'parked')
  assert.deepEqual(parked.waiting, [{ call: 1, server: 'host', tool: 'pay', arguments: { n: 2 }, details: { tool: 'pay' } }])
  assert.throws(() => valueOf(parked), (error) => error instanceof ParkedError && error.outcome === parked)
  const [listed] = await runtime.parked()
  assert.deepEqual([listed?.run, listed?.label, listed?.state], [parked.run, 'a', 'left'])
  assert.deepEqual(await runtime.parked({ principal: 'somebody' }), [])
  const run = runtime.start({ resume: parked.run }, { tools, layers: asking(0, 1) })
  const seen = []
  for await (const { event } of run.events()) seen.push(event)
  assert.ok(seen.includes('woken'))
  assert.equal(valueOf(await run.outcome), 3)
  assert.equal(valueOf(await runtime.run('return sum', { ...options, session: 's' })), 3)
  assert.deepEqual(await runtime.parked(), [])
})

test('what waits with others is given up with them, and a call that can not wait says why', async () => {
  const race = "return await Promise.race([host.pay({ n: 1 }), new Promise((done) => setTimeout(done, 5, 'late'))])"
  assert.equal(valueOf(await runtime.run(race, { ...options, tools, layers: asking() })), 'late')
  const caught = 'try { await host.pay({ n: 1 }) } catch (error) { return error.message }'
  const unparked = await runtime.run(caught, { language: 'javascript', tools, layers: asking() })
  assert.match(String(valueOf(unparked)), /`parkAfter`/)
})

test('a parked run can be removed', async () => {
  const parked = await runtime.run('await host.pay({ n: 1 })', { ...options, tools, layers: asking() })
  assert.ok(parked.ending === 'parked')
  await runtime.removeParked(parked.run)
  await assert.rejects(runtime.run({ resume: parked.run }, { tools }), { code: 'usage', message: /unknown parked run/ })
  await assert.rejects(runtime.run({ resume: parked.run }, { tools, grant: '*' }), /`grant` is an option of new runs/)
})
