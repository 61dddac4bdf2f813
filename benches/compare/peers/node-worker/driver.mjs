// A worker thread of Node for each run, with memory limits of its own. It can do whatever Node can.

import process from 'node:process'
import { Worker } from 'node:worker_threads'
import { drive, cannot } from '../shared/driver.mjs'

const WORKER = `
const { parentPort, workerData } = require('node:worker_threads')
let last = 0
const waiting = new Map()
parentPort.on('message', ({ id, json }) => {
  waiting.get(id)(JSON.parse(json))
  waiting.delete(id)
})
const host = new Proxy({}, {
  get: (_, name) => (args) => new Promise((resolve) => {
    waiting.set(++last, resolve)
    parentPort.postMessage({ call: name, id: last, json: JSON.stringify(args) })
  }),
})
const lines = []
console.log = (...values) => lines.push(values.join(' '))
const AsyncFunction = (async () => {}).constructor
new AsyncFunction('host', workerData)(host).then((value) => {
  parentPort.postMessage({ ended: { value, output: lines.join('\\n') } })
})
`

await drive(`Node ${process.versions.node}`, (script, tools, limits) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, {
      eval: true,
      env: {},
      workerData: script.code,
      resourceLimits: { maxOldGenerationSizeMb: limits.mb },
    })
    let end = () => reject(cannot('the worker ended'))
    const timer = setTimeout(() => {
      end = () => reject(cannot('it was interrupted'))
      worker.terminate()
    }, limits.ms)
    worker.on('message', async (message) => {
      if (message.call) {
        worker.postMessage({ id: message.id, json: await tools.later(message.call, message.json) })
      } else {
        end = () => resolve(message.ended)
        worker.terminate()
      }
    })
    worker.on('error', (error) => {
      end = () => reject(error)
    })
    worker.on('exit', () => {
      clearTimeout(timer)
      end()
    })
  }),
)
