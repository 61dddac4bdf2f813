import { RpcTarget } from 'cloudflare:workers'
import { call, serving } from './host.mjs'

class Host extends RpcTarget {
  #env
  constructor(env) {
    super()
    this.#env = env
  }
  call(name, json) {
    return call(this.#env, name, json)
  }
}

// In a sandbox: the script becomes a method of an entrypoint.
const module = (code) => `import { WorkerEntrypoint } from 'cloudflare:workers'
export default class extends WorkerEntrypoint {
  async run(remote) {
    const lines = []
    const console = { log: (...values) => void lines.push(values.join(' ')) }
    const host = new Proxy({}, { get: (_, name) => async (args) => JSON.parse(await remote.call(name, JSON.stringify(args))) })
    const value = await (async () => {
${code}
    })()
    return { value, output: lines.join('\\n') }
  }
}
`

export default serving(async ({ code }, env) => {
  const worker = env.LOADER.load({
    compatibilityDate: '2026-01-01',
    mainModule: 'script.js',
    modules: { 'script.js': module(code) },
    globalOutbound: null,
  })
  return worker.getEntrypoint().run(new Host(env))
})
