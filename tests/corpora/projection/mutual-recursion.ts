/** Any JSON value. */
type Json = any;
/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.mutualRecursion {
  function mutual(args?: { expression?: Expression }): Promise<Untyped>;
  function endless(args?: { a?: Json; c?: Json; d?: string | number; n?: null }): Promise<Untyped>;
  type Expression = number | { function: string; arguments: Expression[] };
}
