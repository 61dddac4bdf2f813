// What scripts call: functions of the host that answer at once, one that answers only when
// released, and one of a real MCP server.

import { readFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import process from 'node:process'

/** The names that a script's `host` has. */
export const NAMES = ['rows', 'text', 'echo', 'hold', 'add']

export class Tools {
  #kept = new Map()
  #held = []
  #wanted = 0
  #reached = () => {}
  #server

  /** What answers at once: JSON in, JSON out, as a tool's messages are. */
  call(name, json) {
    switch (name) {
      case 'echo':
        return JSON.stringify({ n: JSON.parse(json).n })
      case 'rows':
        return this.#file(`rows-${JSON.parse(json).count}.json`)
      case 'text':
        return this.#file('text.json')
      default:
        throw new Error(`${name} does not answer at once`)
    }
  }

  /** The same, and what takes time. */
  async later(name, json) {
    if (name === 'hold') {
      return new Promise((resolve) => {
        this.#held.push(resolve)
        if (this.#held.length === this.#wanted) this.#reached()
      })
    }
    if (name === 'add') {
      this.#server ??= Server.start()
      return JSON.stringify(await (await this.#server).call('get-sum', JSON.parse(json)))
    }
    return this.call(name, json)
  }

  /** Whether a tool takes time. */
  static slow(name) {
    return name === 'hold' || name === 'add'
  }

  /** When so many calls hold. */
  holding(count) {
    this.#wanted = count
    return new Promise((resolve) => {
      this.#reached = resolve
    })
  }

  /** Lets go of those that hold. */
  release() {
    for (const resolve of this.#held.splice(0)) resolve('{"held":true}')
  }

  #file(name) {
    const kept = this.#kept.get(name) ?? readFileSync(`${process.env.COMPARE_DATA}/${name}`, 'utf8')
    this.#kept.set(name, kept)
    return kept
  }
}

/** A client of an MCP server over standard input and output, as lean as can be. */
class Server {
  #last = 0
  #waiting = new Map()

  static async start() {
    const server = new Server()
    const [command, ...rest] = JSON.parse(process.env.COMPARE_MCP)
    const child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'ignore'] })
    server.write = (message) => child.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n')
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { id, result, error, method } = JSON.parse(line)
      if (method !== undefined) return
      const waiting = server.#waiting.get(id)
      server.#waiting.delete(id)
      if (error) waiting?.reject(new Error(error.message))
      else waiting?.resolve(result)
    })
    await server.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'compare', version: '1' },
    })
    server.write({ method: 'notifications/initialized' })
    return server
  }

  ask(method, params) {
    const id = ++this.#last
    this.write({ id, method, params })
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  async call(name, args) {
    const { content } = await this.ask('tools/call', { name, arguments: args })
    return content[0].text
  }
}
