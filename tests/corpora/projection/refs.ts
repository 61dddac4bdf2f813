// note: refs: input#/properties/missing: the reference "#/$defs/Missing" points to nothing in this schema; taken as any value
// note: refs: input#/properties/network: the reference "https://example.org/schema.json" points to nothing in this schema; taken as any value
// note: refs: input#/properties/file: the reference "file:///etc/passwd" points to nothing in this schema; taken as any value
// note: refs: input#/properties/number: the reference "#/$defs/number" points to nothing in this schema; taken as any value
/** Any JSON value. */
type Json = any;
/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.refs {
  function refs(args?: {
    def?: Thing;
    again?: Thing;
    old?: number;
    pointer?: Thing;
    deep?: { a?: string; b?: string };
    /** Escaped. */
    escaped?: string;
    anchored?: boolean;
    "by-id"?: number;
    "self-id"?: "red" | "green";
    item?: number;
    tuple?: [string, number];
    chain?: Thing;
    missing?: Json;
    network?: Json;
    file?: Json;
    wrong?: Json;
    number?: Json;
    true?: Json;
  }): Promise<Untyped>;
  type Thing = {
    /** Its id. */
    id: string;
    inner?: { a?: string; b?: string };
    more?: string;
    most?: string;
  };
}
