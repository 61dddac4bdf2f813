declare namespace tools.roots {
  export function stringRoot(args?: StringRootArgs, options?: $Options): Promise<StringRootResult>;
  export function arrayRoot(args?: ArrayRootArgs, options?: $Options): Promise<ArrayRootResult>;
  export function nullableRoot(args?: NullableRootArgs, options?: $Options): Promise<NullableRootResult>;
  export function refRoot(args: RefRootArgs, options?: $Options): Promise<RefRootResult>;
  export function refNowhere(args?: RefNowhereArgs, options?: $Options): Promise<RefNowhereResult>;
  export function anyOfRoot(args: AnyOfRootArgs, options?: $Options): Promise<AnyOfRootResult>;
  export function partlyObject(args?: PartlyObjectArgs, options?: $Options): Promise<PartlyObjectResult>;
  export function allOfRoot(args: AllOfRootArgs, options?: $Options): Promise<AllOfRootResult>;
  export function arrayResult(args?: ArrayResultArgs, options?: $Options): Promise<ArrayResultResult>;
  export function stringResult(args?: StringResultArgs, options?: $Options): Promise<StringResultResult>;
  export function nullableResult(args?: NullableResultArgs, options?: $Options): Promise<NullableResultResult>;
  export function unionResult(args?: UnionResultArgs, options?: $Options): Promise<UnionResultResult>;
  export type StringRootArgs = { readonly [key: string]: unknown };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type StringRootResult = unknown;
  export type ArrayRootArgs = { readonly [key: string]: unknown };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type ArrayRootResult = unknown;
  export type NullableRootArgs = { readonly a?: string };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type NullableRootResult = unknown;
  export type RefRootArgs = { readonly a: string };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type RefRootResult = unknown;
  export type RefNowhereArgs = { readonly [key: string]: unknown };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type RefNowhereResult = unknown;
  export type AnyOfRootArgs = { readonly a: string } | { readonly b: string };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type AnyOfRootResult = unknown;
  export type PartlyObjectArgs = { readonly a?: string };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type PartlyObjectResult = unknown;
  export type AllOfRootArgs = { readonly a: string; readonly b?: string };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type AllOfRootResult = unknown;
  export type ArrayResultArgs = { readonly [name: string]: never };
  export type ArrayResultResult = { id: number }[];
  export type StringResultArgs = { readonly [name: string]: never };
  export type StringResultResult = string;
  export type NullableResultArgs = { readonly [name: string]: never };
  export type NullableResultResult = { id: number } | null;
  export type UnionResultArgs = { readonly [name: string]: never };
  export type UnionResultResult =
    | { ok: true; value: string }
    | {
      ok: false;
      /** What went wrong. */
      error: string;
    };
}
