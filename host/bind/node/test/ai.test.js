// The AI SDK: its tools here, and `codeTool` there, with a model that follows a script.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { generateText, jsonSchema, stepCountIs, tool, zodSchema } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { CancelledError, codeTool, LimitError, Runtime, ScriptError, valueOf } from 'ampoule'
import * as z from 'zod'

const runtime = new Runtime()
after(() => runtime.close())

const tools = {
  add: tool({
    description: 'Adds two numbers.',
    inputSchema: z.object({ a: z.number(), b: z.number().default(2) }),
    execute: async ({ a, b }) => ({ sum: a + b }),
  }),
  double: tool({
    description: 'Doubles.',
    inputSchema: jsonSchema(
      { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      { validate: (value) => (/** @type {any} */ (value).n === 13 ? { success: false, error: new Error('unlucky') } : { success: true, value: /** @type {{ n: number }} */ (value) }) },
    ),
    execute: ({ n }) => 2 * n,
  }),
  late: tool({
    inputSchema: zodSchema(z.object({})),
    async *execute() {
      yield 'loading'
      yield 'there'
    },
  }),
  who: tool({ inputSchema: z.object({}), execute: (_, { toolCallId, abortSignal }) => [typeof toolCallId, abortSignal?.aborted] }),
  client: tool({ description: 'A client carries it out.', inputSchema: z.object({}) }),
}

test("the AI SDK's tools are given as they are", async () => {
  const declared = runtime.declarations(tools)
  assert.match(declared, /Adds two numbers\.[^]*add\(args: \{\s+a: number;[^]*b\?: number/)
  assert.match(declared, /Doubles\.[^]*n: number/)
  assert.doesNotMatch(declared, /client/)
  const code = `
    let caught
    try { await host.double({ n: 13 }) } catch (error) { caught = error.message }
    return [await host.add({ a: 40 }), await host.double({ n: 4 }), caught, await host.late({}), await host.who({})]`
  assert.deepEqual(valueOf(await runtime.run(code, { language: 'javascript', tools })), [
    { sum: 42 },
    8,
    'the arguments do not fit: unlucky',
    'there',
    ['string', false],
  ])
})

const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } }

/**
 * A model that calls the tool `code` with these scripts, one after the other, and then says what it was told.
 * @param {string[]} scripts
 */
function scripted(scripts) {
  const left = [...scripts]
  return new MockLanguageModelV3({
    doGenerate: async () => {
      const code = left.shift()
      if (code === undefined) {
        return { content: [{ type: 'text', text: 'it is so' }], finishReason: { unified: 'stop', raw: undefined }, usage, warnings: [] }
      }
      const call = /** @type {const} */ ({ type: 'tool-call', toolCallId: `${left.length}`, toolName: 'code', input: JSON.stringify({ code }) })
      return { content: [call], finishReason: { unified: 'tool-calls', raw: undefined }, usage, warnings: [] }
    },
  })
}

/** What the model reads of the last call.
 * @param {MockLanguageModelV3} model
 * @returns {any}
 */
function told(model) {
  const [answer] = /** @type {any} */ (model.doGenerateCalls.at(-1)?.prompt.at(-1)).content
  return answer.output
}

test('codeTool is a tool of the AI SDK', async () => {
  const model = scripted(["const { sum } = await host.add({ a: 40 }); console.log('adding'); return sum"])
  const code = codeTool(tools, { runtime, limits: { wallTime: '20s' } })
  const { text, steps } = await generateText({ model, tools: { code }, stopWhen: stepCountIs(5), prompt: 'what is 40 + 2?' })
  assert.equal(text, 'it is so')
  assert.equal(steps.length, 2)
  assert.deepEqual(told(model), { type: 'json', value: { result: 42, logs: ['adding'] } })
  const [offered] = /** @type {any} */ (model.doGenerateCalls[0]?.tools)
  assert.equal(offered.name, 'code')
  assert.match(offered.description, /add\(args: \{\s+a: number;[^]*b\?: number/)
  assert.deepEqual(offered.inputSchema.required, ['code'])
})

test('a model reads how to fix its script', async () => {
  const model = scripted(["console.log('before')\nawait host['a' + 'd']({ a: 1 })", 'return (await host.add({ a: 40 })).sum'])
  const code = codeTool(tools, { runtime })
  const { steps } = await generateText({ model, tools: { code }, stopWhen: stepCountIs(5), prompt: 'what is 40 + 2?' })
  assert.equal(steps.length, 3)
  const [first] = /** @type {any} */ (model.doGenerateCalls[1]?.prompt.at(-1)).content
  assert.equal(first.output.type, 'error-text')
  assert.match(first.output.value, /ad\b[^]*add[^]*2 \| await host\['a' \+ 'd'][^]*It had printed:\nbefore$/)
  assert.deepEqual(told(model), { type: 'json', value: { result: 42 } })
})

test('codeTool by itself', async () => {
  const code = codeTool(tools, { runtime, resultLength: 100, limits: { fuel: 300_000_000 } })
  assert.match(code.description, /in a sandbox without network\./)
  // What is granted may make HTTP requests.
  assert.doesNotMatch(codeTool(tools, { runtime, grant: '*' }).description, /network/)
  assert.deepEqual(await code.execute({ code: 'return [1]' }), { result: [1] })
  assert.deepEqual(await code.execute({ code: 'let x' }), { result: null })
  const { result } = await code.execute({ code: "return 'x'.repeat(150)" })
  assert.equal(result, `${'x'.repeat(100)}… (50 more characters: return less)`)
  await assert.rejects(code.execute({ code: 'for (;;) {}' }), LimitError)
  await assert.rejects(code.execute({ code: 'null.x' }), ScriptError)
  await assert.rejects(code.execute({ code: 'await new Promise(() => setTimeout(() => {}, 60_000))' }, { abortSignal: AbortSignal.timeout(100) }), CancelledError)
  const python = codeTool(tools, { runtime, language: 'python', env: { n: 1 } })
  assert.match(python.description, /async def add\(/)
  assert.deepEqual(await python.execute({ code: "return (await host.add(a=env['n'])).sum" }), { result: 3 })
  const context = codeTool({ who: { execute: (/** @type {any} */ _, /** @type {any} */ { context }) => context } }, { runtime })
  assert.deepEqual(await context.execute({ code: 'return await host.who()' }, { context: 'Ada' }), { result: 'Ada' })
  assert.deepEqual(await context.execute({ code: 'return await host.who()' }, { experimental_context: 'Ada' }), { result: 'Ada' })
})

test('what its input is, by Standard Schema', async () => {
  const { '~standard': schema } = codeTool({}, { runtime }).inputSchema
  assert.deepEqual(await schema.validate({ code: 'x' }), { value: { code: 'x' } })
  for (const wrong of [null, {}, { code: 1 }]) assert.ok((await schema.validate(wrong)).issues)
})
