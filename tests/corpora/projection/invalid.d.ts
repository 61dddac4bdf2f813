declare namespace tools.invalid {
  export function invalid(args: InvalidArgs, options?: $Options): Promise<InvalidResult>;
  export function wrongProperties(args: WrongPropertiesArgs, options?: $Options): Promise<WrongPropertiesResult>;
  export function oddType(args?: OddTypeArgs, options?: $Options): Promise<OddTypeResult>;
  export type InvalidArgs = {
    readonly unknown: unknown;
    readonly "number-type"?: unknown;
    readonly "schema-list"?: unknown;
    readonly "schema-null"?: unknown;
    readonly "schema-text"?: unknown;
    readonly required?: { readonly a?: string };
    readonly properties?: { readonly [key: string]: unknown };
    readonly "all-of"?: unknown;
    readonly members?: string;
    readonly draft3: string;
    readonly extra?: { readonly [key: string]: unknown };
    readonly missing: unknown;
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type InvalidResult = unknown;
  export type WrongPropertiesArgs = { readonly kept: unknown };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type WrongPropertiesResult = unknown;
  export type OddTypeArgs = { readonly kept?: string };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type OddTypeResult = unknown;
}
