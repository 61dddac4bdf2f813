// workerd, Cloudflare's runtime of Workers, in a process of its own, reached by HTTP: for each run a new worker by the Worker Loader's
// `load`. `loader`: by itself; `codemode`: by @cloudflare/codemode.

import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, createServer, request } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { drive, cannot } from '../shared/driver.mjs'
import { Tools } from '../shared/tools.mjs'

const kind = process.argv[2]
const packages = `${process.env.COMPARE_SETUP}/node_modules`
const require = createRequire(`${process.env.COMPARE_SETUP}/`)
const version = (name) => JSON.parse(readFileSync(`${packages}/${name}/package.json`, 'utf8')).version
const here = path.dirname(new URL(import.meta.url).pathname)

// Slow functions are called here, by HTTP; the host of the sandboxes has those that answer at once.
const tools = new Tools()
const host = createServer((request, response) => {
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', async () => response.end(await tools.later(request.url.slice(1), Buffer.concat(parts).toString())))
})
await new Promise((resolve) => host.listen(0, '127.0.0.1', resolve))

const text = (name) => `(name = "${name}", text = embed "${process.env.COMPARE_DATA}/${name}")`
// The first one is what is served.
const modules = [
  `(name = "run.mjs", esModule = embed "${here}/${kind}.mjs")`,
  `(name = "host.mjs", esModule = embed "${here}/host.mjs")`,
  ...['rows-100.json', 'rows-10000.json', 'text.json'].map(text),
]
if (kind === 'codemode') {
  const dist = `${packages}/@cloudflare/codemode/dist`
  const found = new Set()
  const add = (file) => {
    if (found.has(file)) return
    found.add(file)
    const imported = readFileSync(`${dist}/${file}`, 'utf8').matchAll(/^import .* from "\.\/(.*)";$/gm)
    for (const [, next] of imported) add(next)
  }
  add('index.js')
  modules.push(...[...found].map((file) => `(name = "${file}", esModule = embed "${dist}/${file}")`))
  modules.push(`(name = "acorn", esModule = embed "${packages}/acorn/dist/acorn.mjs")`)
}
const folder = mkdtempSync(path.join(tmpdir(), 'compare-'))
const port = await new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address()
    server.close(() => resolve(port))
  })
})
writeFileSync(
  `${folder}/config.capnp`,
  `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "host", external = (address = "127.0.0.1:${host.address().port}", http = ())),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [${modules.join(',\n')}],
  compatibilityDate = "2026-01-01",
  compatibilityFlags = ["nodejs_compat", "experimental"],
  bindings = [(name = "LOADER", workerLoader = ()), (name = "HOST", service = "host")],
);
`,
)
const program = `${packages}/@cloudflare/workerd-linux-64/bin/workerd`
const workerd = spawn(program, ['serve', '--experimental', '--import-path=/', `${folder}/config.capnp`], { stdio: ['ignore', 'ignore', 'inherit'] })
process.on('exit', () => {
  workerd.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

const agent = new Agent({ keepAlive: true })
const ask = (body, ms) =>
  new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, method: 'POST', agent, timeout: ms }, (response) => {
      const parts = []
      response.on('data', (part) => parts.push(part))
      response.on('end', () => resolve(Buffer.concat(parts).toString()))
    })
    asking.on('timeout', () => asking.destroy(cannot('it timed out, and still runs')))
    asking.on('error', reject)
    asking.end(body)
  })

// It is there when it answers.
for (let tries = 0; ; tries++) {
  try {
    await ask('', 1000)
    break
  } catch (error) {
    if (tries === 2000) throw error
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
const floor = []
for (let n = 0; n < 50; n++) {
  const began = performance.now()
  await ask('', 1000)
  floor.push(performance.now() - began)
}
floor.sort((a, b) => a - b)

const names = kind === 'codemode' ? ['workerd', '@cloudflare/codemode'] : ['workerd']
const versions = names.map((name) => `${name} ${version(name)}`).join(', ')
const driven = `${versions}; its HTTP floor ${floor[25].toFixed(3)} ms`
await drive(
  driven,
  async (script, _, limits) => {
    const { code, needs } = script
    const { value, output, error } = JSON.parse(await ask(JSON.stringify({ code, needs }), limits.ms))
    if (error) throw cannot(error)
    return { value, output }
  },
  tools,
)
