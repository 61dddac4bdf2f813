/** Any JSON value. */
type Json = any;
/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.recursion {
  function tree(args: { root: Node }): Promise<Node>;
  function self(args: SelfArguments): Promise<Untyped>;
  function json(args?: { value?: Json_ }): Promise<Untyped>;
  function dynamic(args: DynamicArguments): Promise<Untyped>;
  function recursiveRef(args: RecursiveRefArguments): Promise<Untyped>;
  function merged(args?: { tree?: Tree }): Promise<Untyped>;
  type Node = { value: string; children?: Node[]; parent?: Node | null };
  type SelfArguments = { name: string; sub?: SelfArguments };
  type Json_ = string | number | boolean | Json_[] | { [key: string]: Json_ } | null;
  type DynamicArguments = { data?: Json; children?: DynamicArguments[] };
  type RecursiveRefArguments = { children?: RecursiveRefArguments[] };
  type Tree = { id?: string; a?: string; b?: string; child?: Tree; both?: Both };
  type Both = { id?: string; a?: string; b?: string; child?: Tree; both?: Both; c?: string };
}
