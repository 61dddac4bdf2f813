/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.definitionNames {
  function one(args?: { p?: OneItem; q?: OneItem }): Promise<Untyped>;
  function two(args?: { p?: OneItem; q?: OneItem }): Promise<Untyped>;
  function three(args?: { p?: ThreeItem; q?: ThreeItem }): Promise<Untyped>;
  function four(args?: {
    p?: Promise_;
    q?: Promise_;
    r?: String;
    s?: String;
    t?: WithSpace_hb45463;
    u?: WithSpace_hb45463;
    v?: WithSpace_hde25a2;
    w?: WithSpace_hde25a2;
  }): Promise<Untyped>;
  type OneItem = { a?: string; b?: string; c?: string; d?: string };
  type ThreeItem = { a?: number; b?: string; c?: string; d?: string };
  type Promise_ = { a?: string; b?: string; c?: string; d?: string; e?: "Promise" };
  type String = { a?: string; b?: string; c?: string; d?: string; e?: "string" };
  type WithSpace_hb45463 = { a?: string; b?: string; c?: string; d?: string; e?: "with space" };
  type WithSpace_hde25a2 = { a?: string; b?: string; c?: string; d?: string; e?: "with-space" };
}
