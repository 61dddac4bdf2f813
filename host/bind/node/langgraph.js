// Code mode for LangGraph in JavaScript: a tool whose nested calls interrupt the graph for approval.

import { tool } from '@langchain/core/tools'
import { interrupt } from '@langchain/langgraph'
import { ApprovedRuns, decisionsOf } from './lib/approvals.js'
import { codeTool as plainTool, cut, returned } from './lib/code-tool.js'

/**
 * @param {any[] | import('./index.js').Tools} tools
 * @param {import('./langgraph.js').LangGraphCodeOptions} [options]
 */
export async function codeTool(tools, { name = 'run_code', description, resultLength, onEvent, ...options } = {}) {
  const { language = 'typescript', grant, principal, groups } = options
  const runs = new ApprovedRuns(Array.isArray(tools) ? Object.fromEntries(tools.map(adapted)) : tools, { ...options, language })
  const declared = grant === undefined ? undefined : await runs.runtime.grantedDeclarations(grant, language, { principal, groups })
  const plain = plainTool(runs.tools, { runtime: runs.runtime, language, grant, description, declared })
  const schema = plain.inputSchema['~standard'].jsonSchema.input({ target: 'draft-2020-12' })

  /**
   * @param {{ code: string }} input
   * @param {any} config
   */
  async function run({ code }, config) {
    // LangGraph runs a node again from its start, and gives the answers to its interrupts in their order: the label of a
    // parked run says which of them it waits for.
    const label = `${config?.toolCall?.id ?? config?.toolCallId}#`
    const told = { signal: config?.signal, context: config }
    let parked = (await runs.parked()).find((run) => run.label?.startsWith(label))
    let times = Number(parked?.label?.slice(label.length) ?? 0)
    for (let answered = 0; answered < times; answered++) interrupt(null)
    for (;;) {
      const next = `${label}${parked ? ++times : times}`
      const running = parked ? runs.resume(parked, decisionsOf(asked(parked), parked.waiting), { ...told, label: next }) : runs.start(code, { ...told, label: next })
      if (onEvent) for await (const event of running.events()) onEvent(event)
      const outcome = await running.outcome
      if (outcome.ending !== 'parked') {
        const result = cut(returned(outcome), resultLength)
        return outcome.output.map(({ text }) => `${text}\n`).join('') + (typeof result === 'string' ? result : JSON.stringify(result))
      }
      parked = (await runs.parked()).find(({ run }) => run === outcome.run)
      if (!parked) throw new Error(`the run ${outcome.run} does not wait for an answer any more`)
    }
  }
  return tool(/** @type {any} */ (run), { name, description: plain.description, schema })
}

/**
 * Interrupts the graph; or gives the answer.
 * @param {import('./index.js').ParkedRun} parked
 */
function asked({ run, waiting }) {
  return interrupt({ run, calls: waiting })
}

/**
 * A tool of LangChain's as scripts call it.
 * @param {any} tool
 * @returns {[string, import('./index.js').Tool]}
 */
function adapted(tool) {
  const execute = (/** @type {any} */ input, /** @type {any} */ { abortSignal }) => tool.invoke(input, { signal: abortSignal })
  return [tool.name, { description: tool.description, inputSchema: tool.schema, execute }]
}
