// note: type-arrays: input#/properties/empty: `type` has no meaning with this value; left out
// note: type-arrays: input#/properties/unknown: JSON Schema has no type "file"; taken as any value
/** Any JSON value. */
type Json = any;
/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.typeArrays {
  function typeArrays(args?: {
    scalar?: string | number | boolean;
    nullable?: { a?: string } | null;
    list?: string[] | string;
    all?: string | number | boolean | { [key: string]: Json } | Json[] | null;
    one?: string;
    repeated?: string;
    empty?: Json;
    unknown?: Json;
  }): Promise<Untyped>;
}
