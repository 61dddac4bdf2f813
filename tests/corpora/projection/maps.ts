/** Any JSON value. */
type Json = any;
/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.maps {
  function maps(args?: {
    labels?: { [key: string]: string };
    nested?: { [key: string]: { [key: string]: number | null } };
    patterns?: { [key: string]: string | number };
    mixed?: { a?: string; [key: string]: Json };
    /** names match /^[a-z]+$/ */
    named?: { [key: string]: boolean };
    records?: {
      [key: string]: {
        /** An id. */
        id?: string;
      };
    };
  }): Promise<Untyped>;
}
