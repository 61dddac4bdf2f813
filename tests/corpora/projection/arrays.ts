// note: arrays: input#/properties/wrong: `items` has no meaning with this value; left out
/** Any JSON value. */
type Json = any;
/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.arrays {
  function arrays(args?: {
    plain?: string[];
    nested?: number[][];
    records?: { id: string }[];
    any?: Json[];
    nullable?: (string | null)[];
    /** Names. (each: A name, at most 5 characters) */
    described?: string[];
    nothing?: [];
    untyped?: string[];
    wrong?: Json[];
  }): Promise<Untyped>;
}
