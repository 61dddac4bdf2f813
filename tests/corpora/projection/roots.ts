// note: string-root: input#: a tool's arguments are an object; taken as one with any properties
// note: array-root: input#: a tool's arguments are an object; taken as one with any properties
// note: ref-nowhere: input#: the reference "#/$defs/Args" points to nothing in this schema; taken as any value
// note: ref-nowhere: input#: a tool's arguments are an object; taken as one with any properties
/** Any JSON value. */
type Json = any;
/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.roots {
  function stringRoot(args?: { [key: string]: Json }): Promise<Untyped>;
  function arrayRoot(args?: { [key: string]: Json }): Promise<Untyped>;
  function nullableRoot(args?: { a?: string }): Promise<Untyped>;
  function refRoot(args: { a: string }): Promise<Untyped>;
  function refNowhere(args?: { [key: string]: Json }): Promise<Untyped>;
  function anyOfRoot(args: { a: string } | { b: string }): Promise<Untyped>;
  function partlyObject(args?: { a?: string }): Promise<Untyped>;
  function allOfRoot(args: { a: string; b?: string }): Promise<Untyped>;
  function arrayResult(): Promise<{ id: number }[]>;
  function stringResult(): Promise<string>;
  function nullableResult(): Promise<{ id: number } | null>;
  function unionResult(): Promise<
    | { ok: true; value: string }
    | {
      ok: false;
      /** What went wrong. */
      error: string;
    }>;
}
