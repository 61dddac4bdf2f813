// A worker of Deno for each run, without any permission.

import process from 'node:process'
import { drive, cannot } from '../shared/driver.mjs'

const WORKER = `
let last = 0
const waiting = new Map()
const host = new Proxy({}, {
  get: (_, name) => (args) => new Promise((resolve) => {
    waiting.set(++last, resolve)
    postMessage({ call: name, id: last, json: JSON.stringify(args) })
  }),
})
const lines = []
console.log = (...values) => lines.push(values.join(' '))
const AsyncFunction = (async () => {}).constructor
onmessage = ({ data }) => {
  if (data.code === undefined) {
    waiting.get(data.id)(JSON.parse(data.json))
    waiting.delete(data.id)
    return
  }
  new AsyncFunction('host', data.code)(host).then(
    (value) => postMessage({ ended: { value, output: lines.join('\\n') } }),
    (error) => postMessage({ failed: String(error) }),
  )
}
`
const source = URL.createObjectURL(new Blob([WORKER], { type: 'text/javascript' }))

await drive(`Deno ${process.versions.deno}`, (script, tools, limits) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(source, { type: 'module', deno: { permissions: 'none' } })
    const end = (settle, what) => {
      clearTimeout(timer)
      worker.terminate()
      settle(what)
    }
    const timer = setTimeout(() => end(reject, cannot('it was ended')), limits.ms)
    worker.onmessage = async ({ data }) => {
      if (data.ended) end(resolve, data.ended)
      else if (data.failed) end(reject, cannot(data.failed))
      else worker.postMessage({ id: data.id, json: await tools.later(data.call, data.json) })
    }
    worker.onerror = (event) => {
      event.preventDefault()
      end(reject, cannot(event.message))
    }
    worker.postMessage({ code: script.code })
  }),
)
