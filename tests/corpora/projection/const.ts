/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.const_ {
  function const_(args: {
    kind: "page";
    version: 2;
    nil?: null;
    /** Always x. */
    typed?: "x";
    shape?: { a: 1; "b c": [true, null] };
  }): Promise<Untyped>;
}
