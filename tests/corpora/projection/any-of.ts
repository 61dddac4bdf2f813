/** Any JSON value. */
type Json = any;
/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.anyOf {
  function anyOf(args?: {
    simple?: string | number;
    same?: string;
    /** - "b": The second. */
    literals?: "a" | "b" | "c" | "d";
    "open-literals"?: "a" | "b" | string;
    numbers?: number;
    records?:
      | { a: string }
      | {
        /** A b. */
        b: string;
      };
    anything?: Json;
    nested?: string | boolean | number | null;
    shared?: { id: string; a: string } | { id: string; b?: string };
    /** needs at least one of: a; b */
    needs?: { a?: string; b?: string };
    list?: (string | number)[];
    /** Outer. */
    described?:
      /** As text. */
      | string
      /** As number. (at least 0) */
      | number;
    empty?: Json;
    /** matches /^a/ */
    typed?: string;
    impossible?: string;
  }): Promise<Untyped>;
}
