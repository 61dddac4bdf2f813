// Pyodide: CPython compiled to WebAssembly, in this process. `plain`: loaded anew for each run; `snapshot`: from a snapshot of its memory,
// made once and kept in a file. A thread beside it asks a run to stop when its time is up.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { drive, cannot } from '../shared/driver.mjs'

const require = createRequire(`${process.env.COMPARE_SETUP}/`)
const { loadPyodide, version } = await import(pathToFileURL(require.resolve('pyodide/pyodide.mjs')))

let options = {}
if (process.argv[2] === 'snapshot') {
  const kept = `${process.env.COMPARE_SETUP}/snapshot`
  if (!existsSync(kept)) {
    const first = await loadPyodide({ _makeSnapshot: true })
    writeFileSync(`${kept}-${process.pid}`, first.makeMemorySnapshot())
    renameSync(`${kept}-${process.pid}`, kept)
  }
  options = { _loadSnapshot: readFileSync(kept) }
}

// SIGINT, which Python makes a KeyboardInterrupt of.
const ALARM = `
const { parentPort } = require('node:worker_threads')
let timer
parentPort.on('message', ({ buffer, ms }) => {
  clearTimeout(timer)
  if (buffer) timer = setTimeout(() => { new Uint8Array(buffer)[0] = 2 }, ms)
})
`
const alarm = new Worker(ALARM, { eval: true })
alarm.unref()

// Functions of the host: JSON in, JSON out; synchronous ones, and promises.
const HOST = `
import json as _json
class _Host:
    def __init__(self, call): self._call = call
    def __getattr__(self, name):
        return lambda **arguments: _json.loads(self._call(name, _json.dumps(arguments)))
host = _Host(_call)
`
const HOST_LATER = `
import json as _json
class _Host:
    def __init__(self, call): self._call = call
    def __getattr__(self, name):
        async def call(**arguments):
            return _json.loads(await self._call(name, _json.dumps(arguments)))
        return call
host = _Host(_call)
`

await drive(`pyodide ${version}, Node ${process.versions.node}`, async (script, tools, limits) => {
  const pyodide = await loadPyodide(options)
  const buffer = new SharedArrayBuffer(1)
  pyodide.setInterruptBuffer(new Uint8Array(buffer))
  alarm.postMessage({ buffer, ms: limits.ms })
  const lines = []
  pyodide.setStdout({ batched: (line) => void lines.push(line) })
  let { code } = script
  const slow = /\bhost\.(hold|add)\(/.test(code)
  if (script.needs === 'calls' && slow) code = code.replaceAll('= host.', '= await host.')
  if (script.needs === 'calls' || script.needs === 'calls-at-once') {
    const later = slow || script.needs === 'calls-at-once'
    const call = later ? (name, json) => tools.later(name, json) : (name, json) => tools.call(name, json)
    pyodide.globals.set('_call', call)
    pyodide.runPython(later ? HOST_LATER : HOST)
  }
  try {
    const whole = `import json as _json\n${code.trimEnd().replace(/\nresult$/, '')}\n_json.dumps(result)`
    const value = /\bawait /.test(code) ? await pyodide.runPythonAsync(whole) : pyodide.runPython(whole)
    return { value: JSON.parse(value), output: lines.join('\n') }
  } catch (error) {
    throw cannot(error.message.trim().split('\n').at(-1))
  } finally {
    alarm.postMessage({})
  }
})
