declare namespace tools.not {
  export function not(args?: NotArgs, options?: $Options): Promise<NotResult>;
  export type NotArgs = {
    /** not "admin" */
    readonly other?: string;
    /** not 1 or 2 */
    readonly values?: number;
    /** not with b */
    readonly without?: { readonly a?: string };
    /** not {} */
    readonly nothing?: never;
    /** not {"type":"string"} */
    readonly schema?: unknown;
    readonly all?: string;
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type NotResult = unknown;
}
