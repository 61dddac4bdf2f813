// Every example of a document, one after the other, as somebody types them into one program.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ended, text } from './help.js'

/** The documents, and how many examples each has at least. */
const documents = /** @type {const} */ ([
  ['docs/start/node.md', 3],
  ['docs/guides/node.md', 8],
  ['xtask/src/dist/files/npm.md', 1],
])

for (const [name, least] of documents) test(`every example of ${name} runs`, async () => {
  const document = text(name)
  const examples = [...document.matchAll(/^```js\n([^]*?)^```$/gm)]
  assert.ok(examples.length >= least, `${examples.length} examples`)
  // Lines are counted as in the document.
  let program = ''
  for (const { index, 1: code } of examples) {
    const missing = lines(document.slice(0, index)) + 1 - lines(program)
    program += '\n'.repeat(missing) + code
  }
  const { code, err } = await ended(program)
  assert.equal(code, 0, err)
})

/** Whether there is `isolated-vm`, for this version of Node. */
const there = await import('isolated-vm').then(
  () => true,
  () => false,
)

test('what the migration from isolated-vm begins with runs there', { skip: !there && 'isolated-vm is not there: `npm rebuild isolated-vm`' }, async () => {
  const { code, out, err } = await ended(`${migration('isolated-vm')}\nconsole.log(sum)`, ['--no-node-snapshot'])
  assert.deepEqual([code, out], [0, '9\n'], err)
})

test('what the migration from isolated-vm ends with gives the same', async () => {
  const { code, out, err } = await ended(`${migration('ampoule')}\nconsole.log(sum)`)
  assert.deepEqual([code, out], [0, '9\n'], err)
})

/**
 * A block of the page on moving from `isolated-vm`.
 * @param {string} library the one that it imports
 */
function migration(library) {
  const page = text('docs/migrate/from-isolated-vm.md')
  const [, example] = page.match(new RegExp(`^\`\`\`js ${library}\n([^]*?)^\`\`\`$`, 'm')) ?? []
  assert.ok(example)
  return example
}

/** @param {string} text */
function lines(text) {
  return text.split('\n').length - 1
}
