/** Any JSON value. */
type Json = any;
/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.freeForm {
  function freeForm(args: {
    any: Json;
    anything?: Json;
    /** Whatever you like. */
    described?: Json;
    object?: { [key: string]: Json };
    open?: { [key: string]: Json };
    empty?: { [key: string]: Json };
    never?: never;
  }): Promise<{ [key: string]: Json }>;
  function onlyObject(): Promise<Untyped>;
  function openObject(args?: { [key: string]: Json }): Promise<Untyped>;
  function closedObject(): Promise<Untyped>;
}
