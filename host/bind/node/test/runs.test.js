// Runs: options, outcomes, errors, events, cancellation, many at once.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AmpouleError, CancelledError, LimitError, RunError, Runtime, ScriptError, valueOf } from 'ampoule'

const runtime = new Runtime()
after(() => runtime.close())

const folder = mkdtempSync(join(tmpdir(), 'ampoule-node-'))
after(() => rmSync(folder, { recursive: true }))

/** @param {string} kind */
const fault = (kind, /** @type {RegExp} */ says) => (/** @type {any} */ error) => {
  assert.ok(error instanceof AmpouleError, error)
  assert.equal(error.name, 'AmpouleError')
  assert.equal(error.code, kind)
  assert.match(error.message, says)
  return true
}

test('an outcome is the document that `ampoule run --json` prints', async () => {
  const outcome = await runtime.run("console.log('a'); console.error('b'); return [1]")
  assert.ok(outcome.ending === 'returned')
  assert.deepEqual(outcome.value, [1])
  assert.deepEqual(outcome.output, [{ level: 'log', text: 'a' }, { level: 'error', text: 'b' }])
  assert.equal(outcome.language, 'typescript')
  assert.ok(outcome.usage.fuel > 0 && outcome.usage.peakMemoryBytes > 2 ** 20)
  assert.deepEqual(outcome.usage.calls, [])
})

test('the language is what the code looks like, or what it is said to be', async () => {
  assert.equal((await runtime.run("def f():\n    return 1\nreturn f()")).language, 'python')
  assert.equal(valueOf(await runtime.run('return 7 // 2', { language: 'python' })), 3)
})

test('errors have what the script threw, and where', async () => {
  const outcome = await runtime.run("x = 1\nraise KeyError('a')", { language: 'python' })
  assert.throws(
    () => valueOf(outcome),
    (error) => {
      assert.ok(error instanceof ScriptError && error instanceof RunError && error instanceof Error)
      assert.equal(error.name, 'ScriptError')
      assert.equal(error.thrown.name, 'KeyError')
      assert.equal(error.thrown.location?.line, 2)
      assert.equal(error.outcome, outcome)
      assert.match(error.message, /^KeyError: 'a'\n --> script\.py:2:1\n2 \| raise KeyError\('a'\)\n {2}\| \^/)
      return true
    },
  )
})

test('errors name the limit', async () => {
  const outcome = await runtime.run("console.log('before'); for (;;) {}", { limits: { wallTime: 200 } })
  assert.throws(
    () => valueOf(outcome),
    (error) => {
      assert.ok(error instanceof LimitError)
      assert.deepEqual([error.name, error.limit, error.allowed, error.unit, error.printed], ['LimitError', 'wall-time', 200, 'ms', 'before\n'])
      assert.ok(error.used >= 200)
      assert.match(error.message, /^the run hit the limit `wall-time`: \d+ of 200 ms$/)
      return true
    },
  )
})

for (const [limits, limit] of /** @type {[import('ampoule').Limits, string][]} */ ([
  [{ wallTime: '200ms' }, 'wall-time'],
  [{ wallTime: 200.5 }, 'wall-time'],
  [{ fuel: 300_000_000 }, 'fuel'],
])) {
  test(`limits are written in many ways: ${JSON.stringify(limits)}`, async () => {
    const outcome = await runtime.run('for (;;) {}', { limits })
    assert.ok(outcome.ending === 'limit')
    assert.equal(outcome.limit, limit)
  })
}

test('each limit by its name', async () => {
  const tools = { echo: { execute: (/** @type {any} */ { value }) => value } }
  const cases = /** @type {[string, import('ampoule').Limits, string][]} */ ([
    ['const kept = []; for (;;) kept.push(new Uint8Array(1 << 20).fill(1))', { memory: '48MiB' }, 'memory'],
    ["return 'x'.repeat(10_000)", { outputBytes: 1000 }, 'output-bytes'],
    ['for (;;) await host.echo({ value: 1 })', { calls: 2 }, 'calls'],
    ["await host.echo({ value: 'x'.repeat(10_000) })", { argumentBytes: 1000 }, 'argument-bytes'],
    ["await host.echo({ value: 'x'.repeat(10_000) })", { resultBytes: 1000 }, 'result-bytes'],
  ])
  for (const [code, limits, limit] of cases) {
    const outcome = await runtime.run(code, { language: 'javascript', tools, limits })
    assert.ok(outcome.ending === 'limit', JSON.stringify(outcome))
    assert.equal(outcome.limit, limit)
  }
})

test("a runtime's limits and ceilings", async () => {
  await using(new Runtime({ limits: { fuel: 300_000_000 }, ceilings: { memory: '64MiB' } }), async (own) => {
    const outcome = await own.run('for (;;) {}')
    assert.ok(outcome.ending === 'limit' && outcome.limit === 'fuel')
    await assert.rejects(own.run('', { limits: { memory: '65MiB' } }), fault('usage', /above the ceiling/))
  })
})

test('wrong options are reported in a sentence', async () => {
  for (const [options, says] of /** @type {[any, RegExp][]} */ ([
    [{ language: 'ruby' }, /^unknown language `ruby`; the languages are typescript, javascript, python$/],
    [{ limits: { time: 1 } }, /^unknown limit `time`; the limits are fuel, wallTime, memory,/],
    [{ limits: { memory: 'lots' } }, /^the limit `memory`: this is not a size/],
    [{ limits: { memory: '1 TiB' } }, /above the ceiling/],
    [{ env: { n: 1n } }, /^options, `env` among them, must be what JSON is made of: .*BigInt/],
    [{ grant: 'nobody.*' }, /nobody/],
    [{ session: 's' }, /this host keeps no sessions/],
    [{ timeout: 5 }, /`options.timeout` is not a known key/],
    [{ tools: ['add'] }, /`tools` must be an object/],
    [{ tools: { add: () => 1 } }, /^`add` is not a tool/],
    [{ tools: { shop: { add: undefined } } }, /^`shop.add` is not a tool/],
    [{ tools: { '': { add: { execute() {} } } } }, /^the tools of ``: /],
  ])) {
    await assert.rejects(runtime.run('return 1', options), fault('usage', says))
  }
  const wrong = /** @type {any} */ ({ servers: { files: { command: 1 } } })
  assert.throws(() => new Runtime(wrong), fault('usage', /mcpServers\.files\.command/))
  assert.throws(() => new Runtime(/** @type {any} */ ({ limit: {} })), fault('usage', /`options.limit` is not a known key/))
  await assert.rejects(runtime.warm(/** @type {any} */ ('ruby')), fault('usage', /unknown language `ruby`/))
})

test('events as an async iterator', async () => {
  const run = runtime.start("console.log('a'); console.error('b'); progress(0.5, 'half'); await host.f(); return 1", {
    language: 'javascript',
    tools: { f: { execute: () => 2 } },
  })
  /** @type {import('ampoule').RunEvent[]} */
  const events = []
  for await (const event of run.events()) events.push(event)
  assert.ok(events.every(({ run: id }, n) => id === run.id && events[n]?.number === n))
  // A later listener gets all events from the start.
  const again = []
  for await (const event of run.events()) again.push(event)
  assert.deepEqual(again, events)
  assert.equal(valueOf(await run.outcome), 1)
  const told = events.filter(({ event }) => !event.startsWith('compil'))
  assert.deepEqual(told.map(({ event }) => event), ['output', 'output', 'progress', 'call-started', 'call-ended'])
  const ended = told.at(-1)
  assert.ok(ended?.event === 'call-ended')
  assert.deepEqual([ended.call, ended.server, ended.tool, ended.end, ended.state], [0, 'host', 'f', 'returned', 'answered'])
})

test('who listens may stop', async () => {
  const run = runtime.start("for (let n = 0; n < 10; n++) console.log(n); return 'all'", { language: 'javascript' })
  for await (const event of run.events()) if (event.event === 'output') break
  assert.equal(valueOf(await run.outcome), 'all')
})

test('a run that is cancelled has an outcome, with what it printed', async () => {
  const run = runtime.start("console.log('waiting'); for (;;) {}", { language: 'javascript' })
  for await (const event of run.events()) if (event.event === 'output') run.cancel()
  const outcome = await run.outcome
  assert.equal(outcome.ending, 'cancelled')
  assert.throws(() => valueOf(outcome), (error) => error instanceof CancelledError && error.printed === 'waiting\n')
  // One that is over stays as it is.
  run.cancel()
  assert.equal(await run.outcome, outcome)
})

test('an AbortSignal cancels', async () => {
  const controller = new AbortController()
  const running = runtime.run('for (;;) {}', { signal: controller.signal })
  setTimeout(() => controller.abort(), 100)
  assert.equal((await running).ending, 'cancelled')
  assert.equal((await runtime.run('for (;;) {}', { signal: AbortSignal.abort() })).ending, 'cancelled')
  assert.equal((await runtime.run('for (;;) {}', { signal: AbortSignal.timeout(100) })).ending, 'cancelled')
  // A signal is let go of when its run is over.
  const kept = new AbortController()
  let listeners = 0
  kept.signal.addEventListener = (...given) => void (listeners++, EventTarget.prototype.addEventListener.apply(kept.signal, /** @type {any} */ (given)))
  kept.signal.removeEventListener = (...given) => void (listeners--, EventTarget.prototype.removeEventListener.apply(kept.signal, /** @type {any} */ (given)))
  assert.equal(valueOf(await runtime.run('return 1', { signal: kept.signal })), 1)
  assert.equal(listeners, 0)
})

test('disposing of a run cancels it, and waits until it is over', async () => {
  const run = runtime.start('for (;;) {}')
  await run[Symbol.asyncDispose]()
  assert.equal((await run.outcome).ending, 'cancelled')
})

test('disposing of a runtime closes it', async () => {
  const own = new Runtime()
  const run = own.start('for (;;) {}')
  await own[Symbol.asyncDispose]()
  await assert.rejects(run.outcome, fault('closed', /^the runtime was closed$/))
  await assert.rejects(own.run('return 1'), fault('closed', /^the runtime was closed$/))
  await own.close()
})

test('a thousand at once', async () => {
  const tools = {
    double: { execute: (/** @type {any} */ { n }) => 2 * n },
    half: {
      async execute(/** @type {any} */ { n }) {
        await sleep(10)
        return n / 2
      },
    },
  }
  const code = 'return await host.half({ n: await host.double({ n: env.n }) })'
  const numbers = Array.from({ length: 1000 }, (_, n) => n)
  const outcomes = await Promise.all(numbers.map((n) => runtime.run(code, { language: 'javascript', tools, env: { n } })))
  assert.deepEqual(outcomes.map(valueOf), numbers)
})

test('a run without an isolate gets a time to try again', async () => {
  await using(new Runtime({ isolates: 1, slotWait: 50 }), async (own) => {
    const first = own.start("console.log('begun'); for (;;) {}", { language: 'javascript' })
    for await (const { event } of first.events()) if (event === 'output') break
    await assert.rejects(own.run('return 1'), (error) => {
      fault('busy', /./)(error)
      return error instanceof AmpouleError && typeof error.retryAfter === 'number'
    })
    first.cancel()
  })
})

test('the event loop goes on while a script burns fuel', async () => {
  const computing = Array.from({ length: 4 }, () => runtime.run('for (;;) {}', { limits: { wallTime: 1500 } }))
  let [turns, longest, last, over] = [0, 0, performance.now(), false]
  const turn = () => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    turns++
    if (!over) setTimeout(turn, 1)
  }
  turn()
  const outcomes = await Promise.all(computing)
  over = true
  assert.ok(outcomes.every((outcome) => outcome.ending === 'limit' && outcome.limit === 'wall-time'))
  // Isolates share the processors with it. Of a loop that is blocked there is one turn, as long as the runs.
  assert.ok(turns > 50, `${turns} turns`)
  assert.ok(longest < 1000, `${longest} ms`)
})

test('sessions go on from run to run, and records are left', async () => {
  const options = { sessions: join(folder, 'sessions'), records: join(folder, 'records') }
  await using(new Runtime(options), async (own) => {
    await own.run('let n = 41', { session: 'one', language: 'javascript' })
    const outcome = await own.run('return n + 1', { session: 'one', language: 'javascript', record: true })
    assert.equal(valueOf(outcome), 42)
    assert.ok(outcome.session?.kept && outcome.session.run === 2)
    const { record } = outcome
    assert.ok(record && readdirSync(options.records, { recursive: true }).some((name) => String(name).includes(record)))
  })
})

test("workspaces are each principal's own", async () => {
  const given = join(folder, 'given')
  mkdirSync(given)
  writeFileSync(join(given, 'a.txt'), 'given')
  const options = { workspaces: join(folder, 'files'), folders: { given: { path: given } } }
  await using(new Runtime(options), async (own) => {
    const write = "open('/workspace/b.txt', 'w').write(open('/folders/given/a.txt').read())"
    assert.equal((await own.run(write, { language: 'python', principal: 'ada' })).ending, 'returned')
    const read = "import os\nreturn os.path.exists('/workspace/b.txt')"
    assert.equal(valueOf(await own.run(read, { language: 'python', principal: 'ada' })), true)
    assert.equal(valueOf(await own.run(read, { language: 'python', principal: 'grace' })), false)
  })
})

test('groups count where a configuration says who may do what', async () => {
  const config = join(folder, 'roles.toml')
  writeFileSync(config, '[skills]\n[roles.operators]\ngroups = ["ops"]\ntools = ["skills"]\n')
  await using(new Runtime({ config }), async (own) => {
    const code = 'return (await tools.skills.list({})).length'
    const options = { grant: '*', principal: 'ada' }
    assert.equal(valueOf(await own.run(code, { ...options, groups: ['dev', 'ops'] })), 0)
    assert.equal((await own.run(code, { ...options, groups: ['dev'] })).ending, 'threw')
    assert.match(await own.grantedDeclarations('*', 'typescript', { principal: 'ada', groups: ['ops'] }), /save\(/)
    assert.doesNotMatch(await own.grantedDeclarations('*', 'typescript', { principal: 'ada' }), /save\(/)
    await assert.rejects(own.run(code, { groups: ['ops'] }), fault('usage', /`groups` need a `principal`/))
  })
})

test('what policies keep back is withheld', async () => {
  const there = join(folder, 'governed')
  mkdirSync(join(there, 'policies'), { recursive: true })
  const config = join(there, 'ampoule.toml')
  writeFileSync(config, '[policies]\n')
  writeFileSync(join(there, 'policies/model.cedar'), '@reason("not today")\nforbid(principal, action == Action::"model", resource);\n')
  await using(new Runtime({ config }), async (own) => {
    const outcome = await own.run('console.log(1); return 2')
    assert.deepEqual([outcome.ending, outcome.output], ['returned', []])
    assert.match(outcome.withheld ?? '', /not today/)
    assert.throws(() => valueOf(outcome), { name: 'WithheldError', message: /not today/ })
  })
})

const SERVER = `
import { createInterface } from 'node:readline'
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) continue
  const answers = {
    initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'greeter', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'greet', description: 'Greets.', inputSchema: { type: 'object' } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: 'hello' }] }),
  }
  const made = answers[method]
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(made ? { result: made() } : { error: { code: -32601, message: 'no such method' } }) }))
}
`

test('a failed run is undone once', async () => {
  const called = /** @type {unknown[]} */ ([])
  const create = { execute: () => ({ id: called.push('create') }), undo: 'remove({ id: result.id })' }
  const remove = { execute: (/** @type {any} */ { id }) => void called.push(id) }
  const tools = { create, remove }
  const failed = await runtime.run("await host.create({}); await host.create({}); throw new Error('no')", { tools })
  const offer = failed.undo
  assert.ok(offer)
  assert.deepEqual(offer.calls.map((call) => [call.tool, call.arguments, call.takesBack.call]), [['remove', '{"id":2}', 1], ['remove', '{"id":1}', 0]])
  const undone = await runtime.run({ undo: offer.run }, { tools })
  assert.deepEqual([undone.ending, undone.language], ['returned', 'undo'])
  assert.deepEqual(called, ['create', 'create', 2, 1])
  await assert.rejects(runtime.run({ undo: offer.run }, { tools }), fault('usage', /a run is undone once/))
  const wrong = { create: { ...create, undo: 'remove({ id: results.id })' } }
  await assert.rejects(async () => runtime.run('return 1', { tools: wrong }), fault('usage', /undo/))
})

test('one call is a run of its own', async () => {
  const add = {
    inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    execute: (/** @type {any} */ { a, b }) => a + b,
  }
  const call = { server: 'host', tool: 'add', arguments: { a: 40, b: 2 } }
  const outcome = await runtime.run(call, { tools: { add } })
  assert.equal(valueOf(outcome), 42)
  assert.equal(outcome.language, 'call')
  assert.equal(outcome.usage.peakMemoryBytes, 0)
  const failed = await runtime.run({ ...call, arguments: {} }, { tools: { add } })
  assert.throws(() => valueOf(failed), (error) => error instanceof ScriptError && /`a`/.test(error.message))
  await assert.rejects(runtime.run(call, { tools: { add }, env: { a: 1 } }), fault('usage', /`env` is an option of scripts/))
  await assert.rejects(runtime.run(/** @type {any} */ ({ tool: 'add' })), fault('usage', /`options.call.server` is missing/))
  for (const none of [undefined, null, 1]) {
    await assert.rejects(runtime.run(/** @type {any} */ (none)), fault('usage', /`code` must be a script as a string, \{/))
  }
})

test('errors list the calls that may have changed something', async () => {
  const order = { inputSchema: { type: 'object' }, execute: () => 'ordered' }
  const outcome = await runtime.run("await host.order({ item: 'ink' }); throw new Error('then this')", { tools: { order } })
  assert.throws(() => valueOf(outcome), (error) => error instanceof ScriptError && /then this[^]*host\.order[^]*ink/.test(error.message))
})

test('servers are written as clients write them', async () => {
  const file = join(folder, 'server.mjs')
  writeFileSync(file, SERVER)
  const greeter = { command: process.execPath, args: [file] }
  const config = join(folder, 'ampoule.toml')
  writeFileSync(config, `[servers.greeter]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(file)}]\n`)
  const ways = /** @type {import('ampoule').RuntimeOptions[]} */ ([{ servers: { greeter } }, { servers: { mcpServers: { greeter } } }, { config }])
  for (const options of ways) {
    await using(new Runtime(options), async (own) => {
      const code = 'return await greeter.greet({})'
      for (const grant of ['greeter.*', ['greeter.greet']]) assert.equal(valueOf(await own.run(code, { grant })), 'hello')
      // Nothing is granted that nobody names.
      assert.equal((await own.run(code)).ending, 'threw')
      assert.match(await own.grantedDeclarations('greeter'), /Greets\.[^]*greet\(/)
      await assert.rejects(own.grantedDeclarations('nobody'), fault('usage', /nobody/))
    })
  }
})

test('a server has several accounts', async () => {
  const file = join(folder, 'accounts.mjs')
  writeFileSync(file, SERVER)
  const config = join(folder, 'accounts.toml')
  const command = `command = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(file)}]\n`
  writeFileSync(config, `[servers.greeter]\n${command}account = "work"\n[servers.greeter.accounts.work]\n[servers.greeter.accounts.home]\n`)
  await using(new Runtime({ config }), async (own) => {
    const code = "await greeter.greet({}); return await greeter.as('home').greet({})"
    const outcome = await own.run(code, { grant: 'greeter' })
    assert.equal(valueOf(outcome), 'hello')
    assert.deepEqual(outcome.usage.calls.map((call) => call.server), ['greeter@work', 'greeter@home'])
    const refused = await own.run("return await greeter.as('work').greet({})", { grant: 'greeter@home' })
    assert.equal(refused.ending, 'threw')
    assert.deepEqual(refused.usage.calls, [])
  })
})

test('values for the person are apart from the result', async () => {
  const order = { inputSchema: { type: 'object' }, execute: () => ({ item: 'ink' }) }
  const code = "emit('a', [1]); return (await whole(host.order)).structuredContent"
  const outcome = await runtime.run(code, { tools: { order } })
  assert.deepEqual([valueOf(outcome), outcome.emitted], [{ item: 'ink' }, ['a', [1]]])
  const threw = await runtime.run("emit('a'); throw new Error('b')")
  assert.deepEqual([threw.ending, threw.emitted], ['threw', ['a']])
})

test('a guest that was warmed is not compiled by the first run', async () => {
  await using(new Runtime(), async (own) => {
    await own.warm('javascript')
    const run = own.start('return 1', { language: 'javascript' })
    for await (const { event } of run.events()) assert.notEqual(event, 'compiling')
  })
})

/**
 * What `await using` does, of which Node 20 knows nothing.
 * @template {AsyncDisposable} T
 * @param {T} thing
 * @param {(thing: T) => Promise<void>} use
 */
async function using(thing, use) {
  try {
    await use(thing)
  } finally {
    await thing[Symbol.asyncDispose]()
  }
}
