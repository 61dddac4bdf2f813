// Code mode for Mastra: a tool made of the caller's tools and of MCP servers, whose nested calls suspend it for approval.

import { createTool } from '@mastra/core/tools'
import { approvedCode } from './lib/approvals.js'
import { resultOf } from './lib/code-tool.js'
import { decisionsOf, here, outcomeOf, shownOf } from './lib/kept.js'

/**
 * @param {Record<string, any>} tools
 * @param {import('./mastra.js').MastraCodeOptions} [options]
 */
export async function codeTool(tools, { id = 'run_code', onEvent, ...options } = {}) {
  const given = Object.fromEntries(Object.entries(tools).map(adapted))
  const { runs, plain, resultLength } = await approvedCode(given, options)

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
      const options = { signal: context.abortSignal, context, label: within.toolCallId }
      const next = answer === undefined ? runs.start(code, options) : await resumed(runs, suspended, answer, options)
      if (onEvent && 'events' in next) for await (const event of next.events()) onEvent(event)
      const outcome = 'events' in next ? await next.outcome : next
      if (outcome.ending !== 'parked') return resultOf(outcome, resultLength)
      const calls = shownOf(await runs.kept(), outcome)
      return await (within.suspend ?? context.suspend)({ run: outcome.run, calls })
    },
  })
}

/**
 * The run that a tool call was suspended with, resumed; or its outcome, if the answer is for none of the calls that it waits for
 * now. An answer is for the calls that were shown, which are what the tool was suspended with.
 * @param {import('./lib/approvals.js').ApprovedRuns} runs
 * @param {import('./mastra.js').SuspendedCode | undefined} suspended
 * @param {any} answer
 * @param {import('./approvals.js').StartOptions} options
 */
async function resumed(runs, suspended, answer, options) {
  const run = (await runs.kept()).find(({ run }) => run === suspended?.run)
  if (!run) throw new Error(`the run ${suspended?.run} does not wait for an answer any more`)
  const isShown = (/** @type {number} */ call) => suspended?.calls.some((shown) => shown.call === call)
  const answered = here(run).openCalls.filter(({ call }) => isShown(call) && (answer?.answers === undefined || call in answer.answers))
  return answered.length > 0 ? runs.resume(run.run, decisionsOf(answer, answered), options) : outcomeOf(run)
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
