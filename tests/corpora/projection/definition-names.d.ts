declare namespace tools.definitionNames {
  export function one(args?: OneArgs, options?: $Options): Promise<OneResult>;
  export function two(args?: TwoArgs, options?: $Options): Promise<TwoResult>;
  export function three(args?: ThreeArgs, options?: $Options): Promise<ThreeResult>;
  export function four(args?: FourArgs, options?: $Options): Promise<FourResult>;
  export type OneArgs = { readonly p?: OneItem; readonly q?: OneItem };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type OneResult = unknown;
  export type TwoArgs = { readonly p?: OneItem; readonly q?: OneItem };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type TwoResult = unknown;
  export type ThreeArgs = { readonly p?: ThreeItem; readonly q?: ThreeItem };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type ThreeResult = unknown;
  export type FourArgs = {
    readonly p?: Promise_;
    readonly q?: Promise_;
    readonly r?: String;
    readonly s?: String;
    readonly t?: WithSpace_hb45463;
    readonly u?: WithSpace_hb45463;
    readonly v?: WithSpace_hde25a2;
    readonly w?: WithSpace_hde25a2;
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type FourResult = unknown;
  export type OneItem = {
    readonly a?: string;
    readonly b?: string;
    readonly c?: string;
    readonly d?: string;
  };
  export type ThreeItem = {
    readonly a?: number;
    readonly b?: string;
    readonly c?: string;
    readonly d?: string;
  };
  export type Promise_ = {
    readonly a?: string;
    readonly b?: string;
    readonly c?: string;
    readonly d?: string;
    readonly e?: "Promise";
  };
  export type String = {
    readonly a?: string;
    readonly b?: string;
    readonly c?: string;
    readonly d?: string;
    readonly e?: "string";
  };
  export type WithSpace_hb45463 = {
    readonly a?: string;
    readonly b?: string;
    readonly c?: string;
    readonly d?: string;
    readonly e?: "with space";
  };
  export type WithSpace_hde25a2 = {
    readonly a?: string;
    readonly b?: string;
    readonly c?: string;
    readonly d?: string;
    readonly e?: "with-space";
  };
}
