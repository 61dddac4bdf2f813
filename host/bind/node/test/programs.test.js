// The programs that each binding brings to the same end: see tests/bindings/README.md.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Runtime } from 'ampoule'
import { repository, text } from './help.js'

/** @typedef {import('ampoule').Outcome} Outcome */

const FOLDER = 'tests/bindings'
const LANGUAGES = /** @type {const} */ ([['ts', 'typescript'], ['py', 'python']])

const runtime = new Runtime()
after(() => runtime.close())

/** What the tools do. @type {Record<string, (input: any) => unknown>} */
const FUNCTIONS = {
  add: ({ a, b }) => ({ sum: a + b }),
  echo: ({ value }) => value,
  sleep: async ({ ms }) => {
    await sleep(ms, undefined, { ref: false })
    return null
  },
  block: ({ ms }) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
    return null
  },
  fail: ({ message }) => {
    throw new RangeError(message)
  },
}

/** @type {import('ampoule').Tools} */
const tools = Object.fromEntries(
  JSON.parse(text(`${FOLDER}/tools.json`)).map((/** @type {any} */ tool) => [tool.name, { ...tool, execute: FUNCTIONS[tool.name] }]),
)

/**
 * @param {any} expected
 * @param {Outcome} outcome
 */
function check(expected, outcome) {
  const shown = JSON.stringify(outcome)
  const got = /** @type {any} */ (outcome)
  assert.equal(outcome.ending, expected.ending, shown)
  for (const key of ['value', 'limit', 'allowed']) {
    if (key in expected) assert.deepEqual(got[key], expected[key], shown)
  }
  for (const [key, wanted] of Object.entries(expected.error ?? {})) {
    if (key === 'says') assert.ok(got.error.message.includes(wanted), shown)
    else assert.equal(key === 'line' ? got.error.location?.line : got.error[key], wanted, shown)
  }
  if ('output' in expected) assert.equal(outcome.output.map(({ text }) => `${text}\n`).join(''), expected.output)
  if ('calls' in expected) assert.deepEqual(outcome.usage.calls.map(({ server, tool }) => `${server}.${tool}`), expected.calls)
}

/**
 * @param {string} code
 * @param {import('ampoule').Language} language
 * @param {any} expected
 */
async function carriedOut(code, language, { env, strings, limits, cancelOn }) {
  const options = { language, tools, env, strings, limits }
  if (cancelOn === undefined) return runtime.run(code, options)
  const run = runtime.start(code, options)
  for await (const event of run.events()) {
    if (event.event === 'output' && event.text === cancelOn) run.cancel()
  }
  return run.outcome
}

const cases = readdirSync(new URL(`${FOLDER}/programs`, repository)).filter((name) => name.endsWith('.json'))

test('there are enough', () => assert.ok(cases.length >= 15))

for (const file of cases) {
  const name = file.replace(/\.json$/, '')
  for (const [end, language] of LANGUAGES) {
    test(`${name}.${end} comes to its end`, async () => {
      const whole = JSON.parse(text(`${FOLDER}/programs/${file}`))
      const expected = { ...whole, ...whole[language] }
      const code = text(`${FOLDER}/programs/${name}.${end}`)
      for (let n = 0; n < (expected.times ?? 1); n++) check(expected, await carriedOut(code, language, expected))
    })
  }
}
