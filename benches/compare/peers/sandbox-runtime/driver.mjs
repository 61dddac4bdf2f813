// Anthropic's sandbox-runtime, by its library: started once, and a process in bubblewrap for each run, beside proxies that allow no host.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { drive, cannot } from '../shared/driver.mjs'

const folder = `${process.env.COMPARE_SETUP}/node_modules/@anthropic-ai/sandbox-runtime`
const { SandboxManager } = await import(pathToFileURL(`${folder}/dist/index.js`))
const { version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
const words = process.argv.slice(2)

// It starts a login shell, and looks through the current folder for files to protect: both should
// be its own, not the caller's.
const empty = mkdtempSync(path.join(tmpdir(), 'compare-'))
process.on('exit', () => rmSync(empty, { recursive: true }))
process.env.HOME = empty
process.chdir(empty)

await SandboxManager.initialize({
  network: { allowedDomains: [], deniedDomains: [] },
  filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
})

// Quoted, as the words are put into a command of a shell.
const quoted = (word) => `'${word.replaceAll("'", "'\\''")}'`

await drive(`sandbox-runtime ${version}${process.env.COMPARE_VERSION ? `, ${process.env.COMPARE_VERSION}` : ''}`, async (script, tools, limits) => {
  const command = words.map((word) => quoted(word.replaceAll('{mb}', limits.mb))).join(' ')
  const wrapped = await SandboxManager.wrapWithSandbox(command)
  const child = spawn('/bin/bash', ['-c', wrapped], { stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  const complaints = []
  child.stderr.on('data', (data) => complaints.push(data))
  const kill = () => {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It is gone.
    }
  }
  const timer = setTimeout(kill, limits.ms)
  try {
    child.stdin.on('error', () => {})
    child.stdin.write(`${JSON.stringify({ code: script.code, needs: script.needs })}\n`)
    return await talk(child, tools)
  } catch (error) {
    const last = Buffer.concat(complaints).toString().trim().split('\n').at(-1)
    throw cannot(last ? `${error.message}: ${last}` : error.message)
  } finally {
    clearTimeout(timer)
    // What waits for the sandbox's end is a part of it.
    if (child.exitCode === null && child.signalCode === null) {
      child.stdin.end()
      await new Promise((resolve) => child.on('exit', resolve))
    }
    SandboxManager.cleanupAfterCommand?.()
  }
})

/** Answers a process's calls until it says how it ended. */
function talk(child, tools) {
  return new Promise((resolve, reject) => {
    const told = async ({ call, ended, failed }) => {
      if (ended) return resolve({ value: ended.value, output: ended.output ?? undefined })
      if (failed !== undefined) return reject(cannot(failed))
      const answer = await tools.later(call.name, JSON.stringify(call.arguments))
      child.stdin.write(`{"id":${call.id},"answer":${answer}}\n`)
    }
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()
      for (const line of lines) told(JSON.parse(line)).catch(reject)
    })
    child.on('error', reject)
    child.on('exit', (code, signal) => reject(cannot(`it ended with ${signal ?? code}`)))
  })
}
