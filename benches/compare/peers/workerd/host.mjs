// The functions of the host, for sandboxes in workerd.

import few from './rows-100.json'
import many from './rows-10000.json'
import text from './text.json'

const rows = { 100: few, 10000: many }

/** JSON in, JSON out. */
export async function call(env, name, json) {
  switch (name) {
    case 'echo':
      return JSON.stringify({ n: JSON.parse(json).n })
    case 'rows':
      return rows[JSON.parse(json).count]
    case 'text':
      return text
    default: {
      const answer = await env.HOST.fetch(`http://host/${name}`, { method: 'POST', body: json })
      return answer.text()
    }
  }
}

/** What is asked over HTTP: nothing, for the floor, or that a script be run. */
export const serving = (run) => ({
  async fetch(request, env) {
    const body = await request.text()
    if (body === '') return new Response('')
    try {
      return Response.json(await run(JSON.parse(body), env))
    } catch (error) {
      return Response.json({ error: String(error?.message ?? error) })
    }
  },
})
