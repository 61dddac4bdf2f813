// Memory after many runs: AMPOULE_TEST_RUNS says how many.

import assert from 'node:assert/strict'
import process from 'node:process'
import { test } from 'node:test'
import { ended } from './help.js'

const RUNS = Number(process.env.AMPOULE_TEST_RUNS ?? 20_000)
/** How many come before it is measured: places for isolates that were never used before take their memory then, and stay. */
const BEFORE = 10_000
/** What a process may have grown by after these, however many more runs it had. */
const BOUND_MIB = 32

test(`memory after ${RUNS} runs`, { timeout: 3_600_000 }, async (t) => {
  const program = `
import { Runtime, valueOf } from 'ampoule'
const runtime = new Runtime()
const tools = { add: { execute: ({ a, b }) => a + b } }
const kinds = [
  () => runtime.run('return await host.add({ a: 1, b: 2 })', { language: 'javascript', tools }),
  // Tools that are made anew for each run, and events that nobody takes.
  () => {
    const run = runtime.start("console.log('a'); return await host.add({ a: 1, b: 2 })", { language: 'javascript', tools: { ...tools } })
    void run.events().next()
    return run.outcome
  },
  // A tool that never answers.
  () => {
    const run = runtime.start('await host.never()', { language: 'javascript', tools: { never: { execute() { run.cancel(); return new Promise(() => {}) } } } })
    return run.outcome
  },
]
async function some(count) {
  for (let n = 0; n < count; n += 50) {
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, each) => kinds[each % 10 < 8 ? 0 : (each % 10) - 7]()))
    if (!outcomes.every((outcome) => outcome.ending === 'cancelled' || valueOf(outcome) === 3)) throw new Error('it went wrong')
  }
  for (let n = 0; n < 5; n++) { gc(); await new Promise((resolve) => setTimeout(resolve, 100)) }
  return process.memoryUsage.rss()
}
const before = await some(${BEFORE})
const after = await some(${RUNS})
console.log((after - before) / 2 ** 20)
`
  const { code, out, err } = await ended(program, ['--expose-gc', '--max-semi-space-size=2'], 3_600_000)
  assert.equal(code, 0, err)
  t.diagnostic(`${RUNS} runs: ${Number(out).toFixed(1)} MiB more`)
  assert.ok(Number(out) < BOUND_MIB, `${out} MiB`)
})
