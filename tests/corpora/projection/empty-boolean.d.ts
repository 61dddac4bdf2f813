declare namespace tools.emptyBoolean {
  export function noProperties(args?: NoPropertiesArgs, options?: $Options): Promise<NoPropertiesResult>;
  export function trueResult(args?: TrueResultArgs, options?: $Options): Promise<TrueResultResult>;
  export function falseResult(args?: FalseResultArgs, options?: $Options): Promise<FalseResultResult>;
  export function emptyResult(args?: EmptyResultArgs, options?: $Options): Promise<EmptyResultResult>;
  export function wrongResult(args?: WrongResultArgs, options?: $Options): Promise<WrongResultResult>;
  export function nullResult(args?: NullResultArgs, options?: $Options): Promise<NullResultResult>;
  export type NoPropertiesArgs = { readonly [key: string]: unknown };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type NoPropertiesResult = unknown;
  export type TrueResultArgs = { readonly [name: string]: never };
  export type TrueResultResult = unknown;
  export type FalseResultArgs = { readonly [name: string]: never };
  export type FalseResultResult = never;
  export type EmptyResultArgs = { readonly [name: string]: never };
  export type EmptyResultResult = unknown;
  export type WrongResultArgs = { readonly [name: string]: never };
  export type WrongResultResult = unknown;
  export type NullResultArgs = { readonly [name: string]: never };
  export type NullResultResult = null;
}
