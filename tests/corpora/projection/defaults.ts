/** Any JSON value. */
type Json = any;
/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.defaults {
  function defaults(args: {
    /** default: "a \"b\"" */
    text?: string;
    /** default: 0.5 */
    number?: number;
    /** default: false */
    flag?: boolean;
    /** default: [] */
    list?: string[];
    /** default: {"a":1} */
    record?: { [key: string]: Json };
    nothing?: string | null;
    /** How many. (default: 30; 1 to 100) */
    said?: number;
    /** default: "x" */
    needed: string;
    /** for example "a", "b" */
    examples?: string;
    /** default: "*\/ alert(1) /*" */
    hostile?: string;
  }): Promise<Untyped>;
}
