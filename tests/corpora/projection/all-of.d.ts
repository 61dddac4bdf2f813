declare namespace tools.allOf {
  export function allOf(args?: AllOfArgs, options?: $Options): Promise<AllOfResult>;
  export type AllOfArgs = {
    /** Both. */
    readonly merged?: { readonly a: string; readonly b?: number };
    readonly base?: {
      readonly id: string;
      /** A name. */
      readonly name?: string;
      readonly at?: string;
      readonly by?: string;
      readonly extra?: string;
    };
    /** Like base. (default: {}) */
    readonly alias?: {
      readonly id: string;
      /** A name. */
      readonly name?: string;
      readonly at?: string;
      readonly by?: string;
    };
    /** at most 3 characters */
    readonly narrow?: string;
    /** at least 1 */
    readonly numbers?: number;
    readonly values?: "b" | "c";
    readonly same?: { readonly p?: { readonly x?: string; readonly y: string } };
    readonly impossible?: never;
    readonly choice?:
      | { readonly id: string; readonly a?: string }
      | { readonly id: string; readonly b?: string };
    readonly never?: never;
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type AllOfResult = unknown;
}
