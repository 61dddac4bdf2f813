declare namespace tools.const_ {
  export function const_(args: ConstArgs, options?: $Options): Promise<ConstResult>;
  export { const_ as const };
  export type ConstArgs = {
    readonly kind: "page";
    readonly version: 2;
    readonly nil?: null;
    /** Always x. */
    readonly typed?: "x";
    readonly shape?: { a: 1; "b c": [true, null] };
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type ConstResult = unknown;
}
