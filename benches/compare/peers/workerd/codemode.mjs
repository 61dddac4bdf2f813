import { DynamicWorkerExecutor } from './index.js'
import { call, serving } from './host.mjs'

const NAMES = ['rows', 'text', 'echo', 'hold', 'add']

export default serving(async ({ code }, env) => {
  const executor = new DynamicWorkerExecutor({ loader: env.LOADER, timeout: 60_000 })
  const fns = Object.fromEntries(NAMES.map((name) => [name, async (args) => JSON.parse(await call(env, name, JSON.stringify(args)))]))
  const { result, error, logs } = await executor.execute(`async () => {\n${code}\n}`, [{ name: 'host', fns }])
  return { value: result, output: logs?.join('\n'), error }
})
