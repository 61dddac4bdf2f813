declare namespace tools.primitives {
  export function allTypes(args: AllTypesArgs, options?: $Options): Promise<AllTypesResult>;
  export type AllTypesArgs = {
    readonly text: string;
    readonly count: number;
    readonly ratio: number;
    readonly flag: boolean;
    readonly nothing?: null;
    readonly list?: readonly unknown[];
    readonly thing?: { readonly [key: string]: unknown };
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type AllTypesResult = unknown;
}
