declare namespace tools.defaults {
  export function defaults(args: DefaultsArgs, options?: $Options): Promise<DefaultsResult>;
  export type DefaultsArgs = {
    /** default: "a \"b\"" */
    readonly text?: string;
    /** default: 0.5 */
    readonly number?: number;
    /** default: false */
    readonly flag?: boolean;
    /** default: [] */
    readonly list?: readonly string[];
    /** default: {"a":1} */
    readonly record?: { readonly [key: string]: unknown };
    readonly nothing?: string | null;
    /** How many. (default: 30; 1 to 100) */
    readonly said?: number;
    /** default: "x" */
    readonly needed: string;
    /** for example "a", "b" */
    readonly examples?: string;
    /** default: "*\/ alert(1) /*" */
    readonly hostile?: string;
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type DefaultsResult = unknown;
}
