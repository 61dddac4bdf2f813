// The side of a peer that is written in JavaScript: lines of JSON from `cargo xtask compare` on standard input, an
// answer to each on standard output. `../../src/protocol.rs` says what is in them.
//
// A peer gives `drive` a function that makes a sandbox, runs a script in it and drops it. What it takes is measured here,
// the same way for all.

import { createInterface } from 'node:readline'
import process from 'node:process'
import { Tools } from './tools.mjs'

// What a peer prints itself is not taken for an answer.
console.log = console.info = console.error

/**
 * @typedef {{ language: string, code: string, needs: 'nothing' | 'console' | 'calls' | 'calls-at-once' }} Script
 * @typedef {{ ms: number, mb: number }} Limits
 * @typedef {{ value: unknown, output?: string }} Ended
 */

/**
 * Answers requests until there are no more.
 * @param {string} version
 * @param {(script: Script, tools: Tools, limits: Limits) => Promise<Ended>} run
 * @param {Tools} tools
 */
export async function drive(version, run, tools = new Tools()) {
  const say = (answer) => process.stdout.write(JSON.stringify(answer) + '\n')
  const timed = async (script, limits) => {
    const began = process.hrtime.bigint()
    let ended
    try {
      ended = await run(script, tools, limits)
    } catch (error) {
      ended = { error: String(error?.message ?? error) || 'it failed' }
    }
    return { ns: Number(process.hrtime.bigint() - began), ...ended }
  }

  let held
  const answerTo = {
    run: async ({ scripts, plan, budget_ms, limits }) => {
      const runs = []
      const began = performance.now()
      for (const which of plan) {
        runs.push(await timed(scripts[which], limits))
        if (performance.now() - began > budget_ms) break
      }
      return { runs }
    },
    together: async ({ script, count, limits }) => {
      const began = process.hrtime.bigint()
      const all = tools.holding(count)
      held = Promise.all(Array.from({ length: count }, () => timed(script, limits)))
      // Where one ends before all hold, none of them was meant to.
      const early = held.then((runs) => ({ runs }))
      return Promise.race([all.then(() => ({ alive: { ns: Number(process.hrtime.bigint() - began) } })), early])
    },
    release: async () => {
      tools.release()
      return { runs: await held }
    },
    throughput: async ({ script, window_ms, workers, limits }) => {
      const began = process.hrtime.bigint()
      const passed = () => Number(process.hrtime.bigint() - began)
      let count = 0
      const work = async () => {
        while (passed() < window_ms * 1e6) {
          const { error } = await timed(script, limits)
          if (error) throw new Error(error)
          count += 1
        }
      }
      await Promise.all(Array.from({ length: workers }, work))
      return { count: { count, ns: passed() } }
    },
  }

  say({ ready: { version } })
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line)
    try {
      say(await answerTo[request.op](request))
    } catch (error) {
      say({ cannot: String(error?.message ?? error) })
    }
  }
  process.exit(0)
}

/** A fault that says itself why a peer can't do something. */
export const cannot = (why) => new Error(why)
