/** Any JSON value. */
type Json = any;
/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.primitives {
  function allTypes(args: {
    text: string;
    count: number;
    ratio: number;
    flag: boolean;
    nothing?: null;
    list?: Json[];
    thing?: { [key: string]: Json };
  }): Promise<Untyped>;
}
