// quickjs-emscripten: QuickJS compiled to WebAssembly, in this process. `context`: a new runtime and context in one instance, whose memory all
// share; `module`: a new WebAssembly instance for each run, of code compiled once.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import process from 'node:process'
import { drive, cannot } from '../shared/driver.mjs'
import { NAMES, Tools } from '../shared/tools.mjs'

const require = createRequire(`${process.env.COMPARE_SETUP}/`)
const { newQuickJSWASMModuleFromVariant, newVariant, RELEASE_SYNC } = require('quickjs-emscripten')
const folder = `${process.env.COMPARE_SETUP}/node_modules`
const { version } = JSON.parse(readFileSync(`${folder}/quickjs-emscripten/package.json`, 'utf8'))
const wasm = readFileSync(`${folder}/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm`)
const variant = newVariant(RELEASE_SYNC, { wasmModule: await WebAssembly.compile(wasm) })

const SYNC = `const host = Object.fromEntries(${JSON.stringify(NAMES)}.map((name) => [name, (args) => JSON.parse(__call(name, JSON.stringify(args)))]))\n`
const LATER = `const host = Object.fromEntries(${JSON.stringify(NAMES)}.map((name) => [name, async (args) => JSON.parse(await __later(name, JSON.stringify(args)))]))\n`

const shared = process.argv[2] === 'context' && (await newQuickJSWASMModuleFromVariant(variant))

await drive(`quickjs-emscripten ${version}`, async (script, tools, limits) => {
  const quickjs = shared || (await newQuickJSWASMModuleFromVariant(variant))
  const runtime = quickjs.newRuntime()
  runtime.setMemoryLimit(limits.mb << 20)
  const until = performance.now() + limits.ms
  runtime.setInterruptHandler(() => performance.now() > until)
  const context = runtime.newContext()
  const pending = new Set()
  try {
    const lines = []
    let prelude = ''
    if (script.needs === 'console') {
      define(context, '__print', (text) => void lines.push(text))
      prelude = 'const console = { log: (...values) => __print(values.join(" ")) }\n'
    } else if (script.needs !== 'nothing') {
      const slow = script.needs === 'calls-at-once' || NAMES.some((name) => Tools.slow(name) && script.code.includes(`host.${name}(`))
      prelude = slow ? LATER : SYNC
      if (slow) defineLater(context, runtime, tools, pending)
      else define(context, '__call', (name, json) => tools.call(name, json))
    }
    const code = `(async () => {\n${prelude}${script.code}\n})().then((value) => JSON.stringify(value))`
    const promise = context.unwrapResult(context.evalCode(code))
    const settled = context.resolvePromise(promise)
    promise.dispose()
    const jobs = runtime.executePendingJobs()
    if (jobs.error) throw thrown(context, jobs.error)
    const result = await settled
    if (result.error) throw thrown(context, result.error)
    const text = context.getString(result.value)
    result.value.dispose()
    return { value: JSON.parse(text), output: lines.join('\n') }
  } catch (error) {
    throw performance.now() > until ? cannot('it was interrupted') : error
  } finally {
    context.dispose()
    runtime.dispose()
  }
})

function thrown(context, handle) {
  const error = context.dump(handle)
  handle.dispose()
  return new Error(`${error?.name}: ${error?.message}`)
}

function define(context, name, does) {
  const made = context.newFunction(name, (...handles) => {
    const answer = does(...handles.map((handle) => context.getString(handle)))
    return answer === undefined ? context.undefined : context.newString(answer)
  })
  context.setProp(context.global, name, made)
  made.dispose()
}

function defineLater(context, runtime, tools, pending) {
  const made = context.newFunction('__later', (name, json) => {
    const promise = context.newPromise()
    pending.add(promise)
    tools.later(context.getString(name), context.getString(json)).then((answer) => {
      const value = context.newString(answer)
      promise.resolve(value)
      value.dispose()
      pending.delete(promise)
      // Waiting code resumes once all answers so far are there.
      if (!runtime.pumping) {
        runtime.pumping = true
        queueMicrotask(() => {
          runtime.pumping = false
          if (runtime.alive) runtime.executePendingJobs()
        })
      }
    })
    return promise.handle
  })
  context.setProp(context.global, '__later', made)
  made.dispose()
}
