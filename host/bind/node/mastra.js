// Code mode for Mastra: a tool made of the caller's tools and of MCP servers, whose nested calls suspend it for approval.

import { createTool } from '@mastra/core/tools'
import { ApprovedRuns, decisionsOf } from './lib/approvals.js'
import { codeTool as plainTool, cut, returned } from './lib/code-tool.js'

/**
 * @param {Record<string, any>} tools
 * @param {import('./mastra.js').MastraCodeOptions} [options]
 */
export async function codeTool(tools, { id = 'run_code', description, resultLength, onEvent, ...options } = {}) {
  const { language = 'typescript', grant, principal, groups } = options
  const runs = new ApprovedRuns(Object.fromEntries(Object.entries(tools).map(adapted)), { ...options, language })
  const declared = grant === undefined ? undefined : await runs.runtime.grantedDeclarations(grant, language, { principal, groups })
  const plain = plainTool(runs.tools, { runtime: runs.runtime, language, grant, description, declared })

  return createTool({
    id,
    description: plain.description,
    inputSchema: /** @type {any} */ (plain.inputSchema),
    /**
     * @param {any} input
     * @param {any} context
     */
    async execute({ code }, context = {}) {
      const within = context.agent ?? context.workflow ?? context
      const suspended = within.suspendPayload ?? context.suspendPayload
      const answer = within.resumeData ?? context.resumeData
      const told = { signal: context.abortSignal, context, label: within.toolCallId }
      const parked = answer === undefined ? undefined : await found(runs, suspended?.run)
      const run = parked ? runs.resume(parked, decisionsOf(answer, parked.waiting), told) : runs.start(code, told)
      if (onEvent) for await (const event of run.events()) onEvent(event)
      const outcome = await run.outcome
      if (outcome.ending === 'parked') {
        const calls = outcome.waiting.map(({ call, server, tool, arguments: given }) => ({ call, server, tool, arguments: given }))
        return await (within.suspend ?? context.suspend)({ run: outcome.run, calls })
      }
      const logs = outcome.output.map(({ text }) => text)
      const result = cut(returned(outcome), resultLength)
      return logs.length > 0 ? { result, logs } : { result }
    },
  })
}

/**
 * A tool of Mastra's as scripts call it: it has the context of the tool that runs the script.
 * @param {[string, any]} named
 * @returns {[string, import('./index.js').Tool]}
 */
function adapted([name, tool]) {
  const execute = (/** @type {any} */ input, /** @type {any} */ { context, abortSignal }) => tool.execute(input, { ...context, abortSignal })
  const { description, inputSchema, outputSchema, requireApproval } = tool
  return [name, { description, inputSchema, outputSchema, needsApproval: requireApproval, execute }]
}

/**
 * @param {ApprovedRuns} runs
 * @param {string} [run]
 */
async function found(runs, run) {
  const parked = (await runs.parked()).find((parked) => parked.run === run)
  if (!parked) throw new Error(`the run ${run} does not wait for an answer any more`)
  return parked
}
