declare namespace tools.arrays {
  export function arrays(args?: ArraysArgs, options?: $Options): Promise<ArraysResult>;
  export type ArraysArgs = {
    readonly plain?: readonly string[];
    readonly nested?: readonly (readonly number[])[];
    readonly records?: readonly { readonly id: string }[];
    readonly any?: readonly unknown[];
    readonly nullable?: readonly (string | null)[];
    /** Names. (each: A name, at most 5 characters) */
    readonly described?: readonly string[];
    readonly nothing?: readonly [];
    readonly untyped?: readonly string[];
    readonly wrong?: readonly unknown[];
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type ArraysResult = unknown;
}
