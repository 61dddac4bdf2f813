declare namespace tools.typeArrays {
  export function typeArrays(args?: TypeArraysArgs, options?: $Options): Promise<TypeArraysResult>;
  export type TypeArraysArgs = {
    readonly scalar?: string | number | boolean;
    readonly nullable?: { readonly a?: string } | null;
    readonly list?: readonly string[] | string;
    readonly all?: 
      | string
      | number
      | boolean
      | { readonly [key: string]: unknown }
      | readonly unknown[]
      | null;
    readonly one?: string;
    readonly repeated?: string;
    readonly empty?: unknown;
    readonly unknown?: unknown;
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type TypeArraysResult = unknown;
}
