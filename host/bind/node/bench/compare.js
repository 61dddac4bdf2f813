// Ampoule beside other sandboxes for Node: `node bench/compare.js [--rounds N] [--json FILE]`, with the library built for
// release, on a machine that does nothing else, and with `isolated-vm` and `quickjs-emscripten` installed.
//
// Each run is one that nothing is left of: a fresh isolate, or a fresh context where a line says so. Each contender does
// the same work in each round, one after the other, and the next round begins with the next of them.

import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { ampoule, contextPerRun, isolatePerRun, quickjs } from './contenders.js'

/** @typedef {import('./contenders.js').Contender} Contender */
/** @typedef {keyof Contender['work']} Work */

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '200' }, json: { type: 'string' } } })
const ROUNDS = Number(values.rounds)
if (!Number.isInteger(ROUNDS) || ROUNDS < 1) throw new Error(`--rounds must be a number of rounds, and is ${values.rounds}`)

/** What is done, how many of the rounds have it, and what it must come to. @type {Record<Work, { what: string, of: number, result: number }>} */
const WORKS = {
  trivial: { what: 'a trivial run', of: 1, result: 42 },
  calls: { what: '1,000 calls of a host function', of: 10, result: 499_500 },
  rows: { what: 'JSON of 10,000 rows, summed', of: 10, result: 49_995_000 },
}

/** @type {Contender[]} */
const contenders = []
for (const make of [ampoule, isolatePerRun, contextPerRun, quickjs]) {
  try {
    contenders.push(await make())
  } catch (error) {
    console.error(`left out, ${make.name}: ${error instanceof Error ? error.message : error}`)
  }
}

/** How long each run took, in microseconds. @type {Map<string, number[]>} */
const took = new Map()

/**
 * @param {Contender} contender
 * @param {Work} work
 */
async function measured(contender, work) {
  const began = process.hrtime.bigint()
  const result = await contender.work[work]()
  const micros = Number(process.hrtime.bigint() - began) / 1000
  if (result !== WORKS[work].result) throw new Error(`${contender.name}: ${work} came to ${result}`)
  return micros
}

const works = /** @type {Work[]} */ (Object.keys(WORKS))
for (const contender of contenders) for (const work of works) for (let n = 0; n < 3; n++) await measured(contender, work)
for (let round = 0; round < ROUNDS; round++) {
  for (const work of works) {
    if (round % WORKS[work].of !== 0) continue
    for (let n = 0; n < contenders.length; n++) {
      const contender = /** @type {Contender} */ (contenders[(round + n) % contenders.length])
      const key = `${work} ${contender.name}`
      took.set(key, [...(took.get(key) ?? []), await measured(contender, work)])
    }
  }
}

/**
 * @param {number[]} sorted
 * @param {number} part
 */
const quantile = (sorted, part) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN)

const results = works.flatMap((work) =>
  contenders.map(({ name, version }) => {
    const sorted = (took.get(`${work} ${name}`) ?? []).sort((a, b) => a - b)
    return { work, contender: name, version, rounds: sorted.length, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) }
  }),
)
for (const work of works) {
  console.log(`\n${WORKS[work].what}, in µs`)
  console.table(Object.fromEntries(results.filter((each) => each.work === work).map(({ contender, version, rounds, p50, p99 }) => [contender, { version, rounds, p50, p99 }])))
}
const report = { node: process.version, processor: cpus()[0]?.model, cores: cpus().length, unit: 'µs', results }
if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)
else console.log(JSON.stringify(report))
for (const { close } of contenders) await close()
