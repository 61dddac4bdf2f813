declare namespace tools.freeForm {
  export function freeForm(args: FreeFormArgs, options?: $Options): Promise<FreeFormResult>;
  export function onlyObject(args?: OnlyObjectArgs, options?: $Options): Promise<OnlyObjectResult>;
  export function openObject(args?: OpenObjectArgs, options?: $Options): Promise<OpenObjectResult>;
  export function closedObject(args?: ClosedObjectArgs, options?: $Options): Promise<ClosedObjectResult>;
  export type FreeFormArgs = {
    readonly any: unknown;
    readonly anything?: unknown;
    /** Whatever you like. */
    readonly described?: unknown;
    readonly object?: { readonly [key: string]: unknown };
    readonly open?: { readonly [key: string]: unknown };
    readonly empty?: { readonly [key: string]: unknown };
    readonly never?: never;
  };
  export type FreeFormResult = { [key: string]: unknown };
  export type OnlyObjectArgs = { readonly [name: string]: never };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type OnlyObjectResult = unknown;
  export type OpenObjectArgs = { readonly [key: string]: unknown };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type OpenObjectResult = unknown;
  export type ClosedObjectArgs = { readonly [name: string]: never };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type ClosedObjectResult = unknown;
}
