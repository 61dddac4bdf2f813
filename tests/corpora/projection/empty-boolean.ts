// note: no-properties: input#: a tool's arguments are an object; taken as one with any properties
// note: wrong-result: output#: this is not a schema (an object, true or false); taken as any value
/** Any JSON value. */
type Json = any;
/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.emptyBoolean {
  function noProperties(args?: { [key: string]: Json }): Promise<Untyped>;
  function trueResult(): Promise<Json>;
  function falseResult(): Promise<never>;
  function emptyResult(): Promise<Json>;
  function wrongResult(): Promise<Json>;
  function nullResult(): Promise<null>;
}
