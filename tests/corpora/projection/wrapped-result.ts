// note: wrong-inside: output#/properties/result: JSON Schema has no type "strnig"; taken as any value
/** Any JSON value. */
type Json = any;
declare namespace tools.wrappedResult {
  /** @returns How many there are. */
  function count(): Promise<number>;
  function names(): Promise<string[]>;
  function trees(): Promise<Tree[]>;
  function tree(): Promise<Tree>;
  function maybe(): Promise<number | null>;
  function anything(): Promise<Json>;
  function wrongInside(): Promise<Json>;
  function saysNo(): Promise<{ result: number }>;
  function hasNone(): Promise<{ results?: number }>;
  function unmarked(): Promise<{ result: number }>;
  type Tree = { name: string; kids: Tree[] };
}
