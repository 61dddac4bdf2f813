// Without a framework: a layer parks a run until somebody has answered, and another process resumes it.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { DeniedError, ParkedError, ParkRequest, Runtime, valueOf } from 'ampoule'

const folder = mkdtempSync(`${tmpdir()}/ampoule-`)
const refund = { description: 'Pays a customer back.', execute: async ({ euros }) => `paid ${euros}` }
const tools = { refund }
const asking = (answers) => (call, next) => {
  if (!answers.has(call.number)) throw new ParkRequest({ question: `May I call ${call.tool}?` })
  if (!answers.get(call.number)) throw new DeniedError('the user said no')
  return next()
}

const first = new Runtime({ parked: folder })
const code = 'return await Promise.allSettled([3, 500].map((euros) => host.refund({ euros })))'
const layers = [asking(new Map())]
const outcome = await first.run(code, { tools, layers, parkAfter: '10ms', label: 'call-1' })
assert.throws(() => valueOf(outcome), ParkedError)
const [small, large] = outcome.waiting
assert.deepEqual([small.arguments, small.details], [{ euros: 3 }, { question: 'May I call refund?' }])
await first.close()

const second = new Runtime({ parked: folder })
const [parked] = await second.parked()
assert.deepEqual([parked.run, parked.label], [outcome.run, 'call-1'])
const answers = new Map([[small.call, true], [large.call, false]])
const resumed = await second.run({ resume: parked.run }, { tools, layers: [asking(answers)] })
assert.deepEqual(valueOf(resumed).map(({ value, reason }) => value ?? reason.kind), ['paid 3', 'denied'])
await assert.rejects(second.run({ resume: parked.run }), { code: 'usage' })
await second.close()
rmSync(folder, { recursive: true })
console.log('a parked run: ok')
