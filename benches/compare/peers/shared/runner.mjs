// Runs one script in this process, as a process that is started for each run does. The host is at the other end of standard input and output.

import process from 'node:process'

let last = 0
const waiting = new Map()
const say = (message) => process.stdout.write(JSON.stringify(message) + '\n')
const host = new Proxy(
  {},
  {
    get: (_, name) => (args) =>
      new Promise((resolve) => {
        waiting.set(++last, resolve)
        say({ call: { id: last, name, arguments: args } })
      }),
  },
)
const lines = []
console.log = (...values) => lines.push(values.join(' '))
const AsyncFunction = (async () => {}).constructor

async function run({ code }) {
  let said
  try {
    const value = await new AsyncFunction('host', code)(host)
    said = { ended: { value, output: lines.join('\n') || null } }
  } catch (error) {
    said = { failed: `${error.name}: ${error.message}` }
  }
  process.stdout.write(JSON.stringify(said) + '\n', () => process.exit(0))
}

let begun = false
function told(line) {
  const message = JSON.parse(line)
  if (!begun) {
    begun = true
    run(message)
    return
  }
  waiting.get(message.id)(message.answer)
  waiting.delete(message.id)
}

// Lines, read by hand: `readline` takes longer to load than a script to run.
let parts = []
process.stdin.setEncoding('utf8').on('data', (text) => {
  let from = 0
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
    parts.push(text.slice(from, end))
    const line = parts.join('')
    parts = []
    from = end + 1
    told(line)
  }
  parts.push(text.slice(from))
})
