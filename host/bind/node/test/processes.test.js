// What becomes of processes and of workers, with runs under way.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { Runtime, valueOf } from 'ampoule'
import { ended } from './help.js'

const IMPORTS = `
import { Runtime, valueOf } from 'ampoule'
const runtime = new Runtime()
const begun = async (run) => { for await (const { event } of run.events()) if (event === 'output') return }
const loop = "console.log('begun'); for (;;) {}"
`

/** Longer than any of these takes, and shorter than what they would wait for. */
const PATIENCE_MS = 30_000

/** @param {import('./help.js').Ended} told */
function isCalm({ code, signal, err, tookMs }) {
  assert.deepEqual([code, signal, err], [0, null, ''])
  assert.ok(tookMs < PATIENCE_MS, `${tookMs} ms`)
}

for (const [what, program] of [
  ['that was not closed', "console.log(valueOf(await runtime.run('return 7')))"],
  ['that ran nothing', 'console.log(7)'],
  ['that was closed', "await runtime.run('return 7'); await runtime.close(); console.log(7)"],
]) {
  test(`a process ends by itself, with a runtime ${what}`, async () => {
    const told = await ended(IMPORTS + program)
    isCalm(told)
    assert.equal(told.out, '7\n')
  })
}

test('a process waits for its runs', async () => {
  const code = "await new Promise((resolve) => setTimeout(resolve, 300)); await host.last()"
  const program = `runtime.start(${JSON.stringify(code)}, { language: 'javascript', tools: { last: { execute() { console.log('last') } } } })`
  const told = await ended(IMPORTS + program)
  isCalm(told)
  assert.equal(told.out, 'last\n')
})

for (const [what, program] of [
  ['runs that compute', 'for (let n = 0; n < 10; n++) await begun(runtime.start(loop))'],
  [
    'a run that waits for a tool',
    `await new Promise((resolve) => runtime.start('await host.f()', { tools: { f: { execute() { resolve(); return new Promise(() => {}) } } } }))`,
  ],
  ['a run that waits for itself', "await begun(runtime.start(\"console.log('begun'); await new Promise(() => setTimeout(() => {}, 60_000))\"))"],
  ['a run in Python', "await begun(runtime.start(\"print('begun')\\nwhile True: pass\", { language: 'python' }))"],
]) {
  test(`process.exit with ${what}`, async () => {
    const told = await ended(`${IMPORTS}${program}\nconsole.log('last')\nprocess.exit(0)`)
    isCalm(told)
    assert.equal(told.out, 'last\n')
  })
}

test('an error that nobody catches ends the process, with runs under way', async () => {
  const told = await ended(`${IMPORTS}await begun(runtime.start(loop))\nthrow new Error('the end')`)
  assert.equal(told.code, 1)
  assert.match(told.err, /the end/)
  assert.ok(told.tookMs < PATIENCE_MS)
})

test('a signal ends the process, with runs under way', async () => {
  const told = await ended(`${IMPORTS}await begun(runtime.start(loop))\nprocess.kill(process.pid, 'SIGTERM')\nsetInterval(() => {}, 1000)`)
  assert.deepEqual([told.code, told.signal, told.err], [null, 'SIGTERM', ''])
})

test('a runtime that nobody has any more is let go of, its threads too', async () => {
  const program = `
import { Runtime, valueOf } from 'ampoule'
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
const threads = () => readdirSync('/proc/self/task').length
const use = async () => valueOf(await new Runtime().run('return 1', { language: 'javascript' }))
await use()
const before = threads()
for (let n = 0; n < 20; n++) await use()
for (let n = 0; n < 300 && threads() > before; n++) { gc(); await sleep(50) }
console.log(threads() <= before)
`
  const told = await ended(program, ['--expose-gc'])
  isCalm(told)
  assert.equal(told.out, 'true\n')
})

const WORKER = `
const { parentPort, workerData } = require('node:worker_threads')
import('ampoule').then(async ({ Runtime, valueOf }) => {
  const runtime = new Runtime()
  const tools = { add: { execute: ({ a, b }) => a + b }, begun: { execute() { parentPort.postMessage('begun') } } }
  const told = await runtime.run(workerData, { language: 'javascript', tools })
  parentPort.postMessage(valueOf(told))
})
`

/** @param {string} code */
const worker = (code) => new Worker(WORKER, { eval: true, workerData: code })

test('workers have runtimes of their own, at once', async () => {
  const own = new Runtime()
  const workers = [1, 2, 3, 4].map((n) => worker(`return await host.add({ a: ${n}, b: 1 })`))
  const exits = workers.map((each) => once(each, 'exit'))
  const told = await Promise.all(workers.map((each) => once(each, 'message')))
  assert.deepEqual(told.flat(), [2, 3, 4, 5])
  // They end by themselves.
  assert.deepEqual((await Promise.all(exits)).flat(), [0, 0, 0, 0])
  assert.equal(valueOf(await own.run('return 1')), 1)
  await own.close()
})

for (const [what, code] of [
  ['computes', 'await host.begun(); for (;;) {}'],
  ['calls tools', 'for (let n = 0; ; n++) await (n === 100 ? host.begun() : host.add({ a: 1, b: 1 }))'],
  ['waits', 'await host.begun(); await new Promise(() => setTimeout(() => {}, 60_000))'],
]) {
  test(`a worker that is terminated while its run ${what} takes nobody with it`, async () => {
    const own = new Runtime()
    for (let n = 0; n < 5; n++) {
      const each = worker(code)
      await once(each, 'message')
      await each.terminate()
    }
    assert.equal(valueOf(await own.run('return 1')), 1)
    await own.close()
  })
}

test('a process ends while its workers have runs under way', async () => {
  const program = `
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
const workers = Array.from({ length: 3 }, () => new Worker(${JSON.stringify(WORKER)}, { eval: true, execArgv: [], workerData: 'await host.begun(); for (;;) {}' }))
await Promise.all(workers.map((each) => once(each, 'message')))
console.log('last')
process.exit(0)
`
  const told = await ended(program)
  isCalm(told)
  assert.equal(told.out, 'last\n')
})
