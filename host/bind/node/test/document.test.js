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

test('what it says of isolated-vm is so', { skip: !there && 'isolated-vm is not there: `npm rebuild isolated-vm`' }, async () => {
  const [, example] = /^```ts isolated-vm\n([^]*?)^```$/m.exec(text('docs/guides/node.md')) ?? []
  assert.ok(example)
  const { code, out, err } = await ended(`${example}\nconsole.log(sum)`, ['--no-node-snapshot'])
  assert.deepEqual([code, out], [0, '9\n'], err)
})

/** @param {string} text */
function lines(text) {
  return text.split('\n').length - 1
}
