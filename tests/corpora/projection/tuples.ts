/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.tuples {
  function tuples(args?: {
    point?: [number, number];
    /** at least 1 item */
    closed?: [string, number?];
    rest?: [string, ...(number | null)[]];
    /** at least 2 items */
    old?: [string, boolean];
    older?: [string, ...string[]];
    said?: [
      /** Longitude */
      number,
      /** Latitude */
      number,
    ];
    unions?: [(string | number)?];
  }): Promise<Untyped>;
}
