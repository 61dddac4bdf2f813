// The package's front door; what each thing is stands in index.d.ts.

export { codeTool } from './lib/code-tool.js'
export {
  AmpouleError,
  CallError,
  CancelledError,
  DeniedError,
  InterruptedError,
  LimitError,
  ParkedError,
  ParkRequest,
  RunError,
  ScriptError,
  TrapError,
  WithheldError,
  valueOf,
} from './lib/errors.js'
export { ToolResult } from './lib/layers.js'
export { Runtime } from './lib/runtime.js'
