declare namespace tools.mutualRecursion {
  export function mutual(args?: MutualArgs, options?: $Options): Promise<MutualResult>;
  export function endless(args?: EndlessArgs, options?: $Options): Promise<EndlessResult>;
  export type MutualArgs = { readonly expression?: Expression };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type MutualResult = unknown;
  export type EndlessArgs = {
    readonly a?: unknown;
    readonly c?: unknown;
    readonly d?: string | number;
    readonly n?: null;
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type EndlessResult = unknown;
  export type Expression =
    | number
    | { readonly function: string; readonly arguments: readonly Expression[] };
}
