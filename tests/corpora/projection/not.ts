/** Any JSON value. */
type Json = any;
/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.not {
  function not(args?: {
    /** not "admin" */
    other?: string;
    /** not 1 or 2 */
    values?: number;
    /** not with b */
    without?: { a?: string };
    /** not {} */
    nothing?: never;
    /** not {"type":"string"} */
    schema?: Json;
    all?: string;
  }): Promise<Untyped>;
}
