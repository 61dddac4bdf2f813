declare namespace tools.recursion {
  export function tree(args: TreeArgs, options?: $Options): Promise<TreeResult>;
  export function self(args: SelfArgs, options?: $Options): Promise<SelfResult>;
  export function json(args?: JsonArgs, options?: $Options): Promise<JsonResult>;
  export function dynamic(args: DynamicArgs, options?: $Options): Promise<DynamicResult>;
  export function recursiveRef(args: RecursiveRefArgs, options?: $Options): Promise<RecursiveRefResult>;
  export function merged(args?: MergedArgs, options?: $Options): Promise<MergedResult>;
  export type TreeArgs = { readonly root: NodeInput };
  export type TreeResult = Node;
  export type SelfArgs = SelfArguments;
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type SelfResult = unknown;
  export type JsonArgs = { readonly value?: Json_ };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type JsonResult = unknown;
  export type DynamicArgs = DynamicArguments;
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type DynamicResult = unknown;
  export type RecursiveRefArgs = RecursiveRefArguments;
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type RecursiveRefResult = unknown;
  export type MergedArgs = { readonly tree?: Tree };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type MergedResult = unknown;
  export type Node = { value: string; children?: Node[]; parent?: Node | null };
  export type SelfArguments = { readonly name: string; readonly sub?: SelfArguments };
  export type Json_ = 
    | string
    | number
    | boolean
    | readonly Json_[]
    | { readonly [key: string]: Json_ }
    | null;
  export type DynamicArguments = {
    readonly data?: unknown;
    readonly children?: readonly DynamicArguments[];
  };
  export type RecursiveRefArguments = { readonly children?: readonly RecursiveRefArguments[] };
  export type Tree = {
    readonly id?: string;
    readonly a?: string;
    readonly b?: string;
    readonly child?: Tree;
    readonly both?: Both;
  };
  export type Both = {
    readonly id?: string;
    readonly a?: string;
    readonly b?: string;
    readonly child?: Tree;
    readonly both?: Both;
    readonly c?: string;
  };
  export type NodeInput = {
    readonly value: string;
    readonly children?: readonly NodeInput[];
    readonly parent?: NodeInput | null;
  };
}
