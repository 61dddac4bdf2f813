// isolated-vm: a V8 isolate of its own for each run, in this process. Functions of the host that answer at once are called synchronously, others
// as promises.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import process from 'node:process'
import { drive } from '../shared/driver.mjs'
import { NAMES, Tools } from '../shared/tools.mjs'

const require = createRequire(`${process.env.COMPARE_SETUP}/`)
const ivm = require('isolated-vm')
const { version } = JSON.parse(readFileSync(`${process.env.COMPARE_SETUP}/node_modules/isolated-vm/package.json`, 'utf8'))

const named = (call) =>
  `const host = Object.fromEntries(${JSON.stringify(NAMES)}.map((name) => [name, ${call}]))\n`
const SYNC = named('(args) => JSON.parse(__call(name, JSON.stringify(args)))')
const LATER = named('async (args) => JSON.parse(await __later.apply(undefined, [name, JSON.stringify(args)], { result: { promise: true, copy: true } }))')
const CONSOLE = 'const console = { log: (...values) => __print(values.join(" ")) }\n'

await drive(`isolated-vm ${version}, Node ${process.versions.node}`, async (script, tools, limits) => {
  const isolate = new ivm.Isolate({ memoryLimit: Math.max(limits.mb, 8) })
  try {
    const context = await isolate.createContext()
    const lines = []
    let prelude = ''
    if (script.needs === 'console') {
      await context.global.set('__print', new ivm.Callback((text) => void lines.push(text)))
      prelude = CONSOLE
    } else if (script.needs !== 'nothing') {
      const slow = script.needs === 'calls-at-once' || NAMES.some((name) => Tools.slow(name) && script.code.includes(`host.${name}(`))
      const call = slow
        ? new ivm.Reference((name, json) => tools.later(name, json))
        : new ivm.Callback((name, json) => tools.call(name, json))
      await context.global.set(slow ? '__later' : '__call', call)
      prelude = slow ? LATER : SYNC
    }
    const code = `(async () => {\n${prelude}${script.code}\n})()`
    const value = await context.eval(code, { promise: true, copy: true, timeout: limits.ms })
    return { value, output: lines.join('\n') }
  } finally {
    if (!isolate.isDisposed) isolate.dispose()
  }
})
