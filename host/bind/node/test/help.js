// What the tests share.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import process from 'node:process'

/** The repository, where the programs and the document are: of the package that is tested, or of the one it is a copy of. */
export const repository = new URL(process.env.AMPOULE_REPOSITORY ? `file://${process.env.AMPOULE_REPOSITORY}/` : '../../../../', import.meta.url)

/** @param {string} path */
export function text(path) {
  return readFileSync(new URL(path, repository), 'utf8')
}

/** @typedef {{ code: number | null, signal: string | null, out: string, err: string, tookMs: number }} Ended */

/**
 * Runs a program in a process of its own, whose `ampoule` is this one.
 * @param {string} program a module in JavaScript
 * @param {string[]} [options] of Node's
 * @param {number} [patience] in milliseconds
 * @returns {Promise<Ended>}
 */
export function ended(program, options = [], patience = 120_000) {
  const began = performance.now()
  const child = spawn(process.execPath, [...options, '--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: patience,
    killSignal: 'SIGKILL',
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (/** @type {Buffer} */ data) => (out += data))
  child.stderr.on('data', (/** @type {Buffer} */ data) => (err += data))
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, out, err, tookMs: performance.now() - began }))
  })
}
