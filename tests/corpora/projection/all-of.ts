/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.allOf {
  function allOf(args?: {
    /** Both. */
    merged?: { a: string; b?: number };
    base?: {
      id: string;
      /** A name. */
      name?: string;
      at?: string;
      by?: string;
      extra?: string;
    };
    /** Like base. (default: {}) */
    alias?: {
      id: string;
      /** A name. */
      name?: string;
      at?: string;
      by?: string;
    };
    /** at most 3 characters */
    narrow?: string;
    /** at least 1 */
    numbers?: number;
    values?: "b" | "c";
    same?: { p?: { x?: string; y: string } };
    impossible?: never;
    choice?: { id: string; a?: string } | { id: string; b?: string };
    never?: never;
  }): Promise<Untyped>;
}
