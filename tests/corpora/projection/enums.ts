// note: enums: input#/properties/none: `enum` has no meaning with this value; left out
// note: enums: input#/properties/wrong: `enum` has no meaning with this value; left out
/** Any JSON value. */
type Json = any;
/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.enums {
  function enums(args?: {
    color?: "red" | "green" | "blue";
    odd?: "" | "two words" | "emoji 🎉" | "quote\"s" | "back\\slash" | "new\nline" | "*/" | "`${x}`" | "\u2028" | "constructor" | "42";
    level?: 1 | 2 | 3 | -1;
    ratio?: 0.5 | 1e+21 | -0.0;
    mixed?: "auto" | 1 | true | { a: [1] } | ["x"] | null;
    maybe?: "a" | "b" | null;
    filtered?: "a" | "b";
    twice?: "a" | "b";
    both?: boolean;
    only?: null;
    none?: Json;
    wrong?: Json;
    list?: ("a" | "b")[];
  }): Promise<Untyped>;
}
