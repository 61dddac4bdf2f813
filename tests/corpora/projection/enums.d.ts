declare namespace tools.enums {
  export function enums(args?: EnumsArgs, options?: $Options): Promise<EnumsResult>;
  export type EnumsArgs = {
    readonly color?: "red" | "green" | "blue";
    readonly odd?: "" | "two words" | "emoji 🎉" | "quote\"s" | "back\\slash" | "new\nline" | "*/" | "`${x}`" | "\u2028" | "constructor" | "42";
    readonly level?: 1 | 2 | 3 | -1;
    readonly ratio?: 0.5 | 1e+21 | -0.0;
    readonly mixed?: "auto" | 1 | true | { a: [1] } | ["x"] | null;
    readonly maybe?: "a" | "b" | null;
    readonly filtered?: "a" | "b";
    readonly twice?: "a" | "b";
    readonly both?: boolean;
    readonly only?: null;
    readonly none?: unknown;
    readonly wrong?: unknown;
    readonly list?: readonly ("a" | "b")[];
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type EnumsResult = unknown;
}
