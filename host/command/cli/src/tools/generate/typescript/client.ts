/// <reference path="../tools.d.ts" />

/** Calls a tool by its server's name and its own. */
export const callMCPTool = (name: string, args?: object, options?: tools.$Options): Promise<unknown> =>
  globalThis.callMCPTool(name, args, options);
