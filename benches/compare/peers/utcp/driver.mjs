// @utcp/code-mode: isolated-vm with bridges to tools, which UTCP's client calls. Functions of the host are its "direct calls".

import { readFileSync } from 'node:fs'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { drive, cannot } from '../shared/driver.mjs'
import { NAMES, Tools } from '../shared/tools.mjs'

// It tells of each call.
console.log = () => {}
const packages = `${process.env.COMPARE_SETUP}/node_modules`
const load = (name) => import(pathToFileURL(`${packages}/${name}/dist/index.js`))
const { CodeModeUtcpClient } = await load('@utcp/code-mode')
const { addFunctionToUtcpDirectCall } = await load('@utcp/direct-call')
const version = (name) => JSON.parse(readFileSync(`${packages}/${name}/package.json`, 'utf8')).version

const tools = new Tools()
const schema = { type: 'object', properties: {} }
addFunctionToUtcpDirectCall('host', async () => ({
  utcp_version: '1.0.1',
  tools: NAMES.map((name) => ({
    name,
    description: name,
    inputs: schema,
    outputs: schema,
    tags: [],
    tool_call_template: { call_template_type: 'direct-call', callable_name: `host_${name}` },
  })),
}))
// Arguments arrive without their names.
const PARAMETERS = { rows: ['count'], echo: ['n'], add: ['a', 'b'] }
for (const name of NAMES) {
  const named = (values) => Object.fromEntries((PARAMETERS[name] ?? []).map((parameter, n) => [parameter, values[n]]))
  addFunctionToUtcpDirectCall(`host_${name}`, async (...values) => JSON.parse(await tools.later(name, JSON.stringify(named(values)))))
}
const client = await CodeModeUtcpClient.create()
await client.registerManual({ name: 'host', call_template_type: 'direct-call', callable_name: 'host' })

const FAILED = '[ERROR] Code execution failed: '

await drive(
  `@utcp/code-mode ${version('@utcp/code-mode')}, isolated-vm ${version('isolated-vm')}, Node ${process.versions.node}`,
  async (script, _, limits) => {
    const { result, logs } = await client.callToolChain(script.code, limits.ms, limits.mb)
    const last = logs.at(-1)
    if (last?.startsWith(FAILED)) throw cannot(last.slice(FAILED.length).split('\n')[0])
    return { value: result, output: logs.join('\n') }
  },
  tools,
)
