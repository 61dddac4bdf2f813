declare namespace tools.anyOf {
  export function anyOf(args?: AnyOfArgs, options?: $Options): Promise<AnyOfResult>;
  export type AnyOfArgs = {
    readonly simple?: string | number;
    readonly same?: string;
    /** - "b": The second. */
    readonly literals?: "a" | "b" | "c" | "d";
    readonly "open-literals"?: "a" | "b" | string;
    readonly numbers?: number;
    readonly records?:
      | { readonly a: string }
      | {
        /** A b. */
        readonly b: string;
      };
    readonly anything?: unknown;
    readonly nested?: string | boolean | number | null;
    readonly shared?:
      | { readonly id: string; readonly a: string }
      | { readonly id: string; readonly b?: string };
    /** needs at least one of: a; b */
    readonly needs?: { readonly a?: string; readonly b?: string };
    readonly list?: readonly (string | number)[];
    /** Outer. */
    readonly described?:
      /** As text. */
      | string
      /** As number. (at least 0) */
      | number;
    readonly empty?: unknown;
    /** matches /^a/ */
    readonly typed?: string;
    readonly impossible?: string;
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type AnyOfResult = unknown;
}
