declare namespace tools.wrappedResult {
  /** @returns How many there are. */
  export function count(args?: CountArgs, options?: $Options): Promise<CountResult>;
  export function names(args?: NamesArgs, options?: $Options): Promise<NamesResult>;
  export function trees(args?: TreesArgs, options?: $Options): Promise<TreesResult>;
  export function tree(args?: TreeArgs, options?: $Options): Promise<TreeResult>;
  export function maybe(args?: MaybeArgs, options?: $Options): Promise<MaybeResult>;
  export function anything(args?: AnythingArgs, options?: $Options): Promise<AnythingResult>;
  export function wrongInside(args?: WrongInsideArgs, options?: $Options): Promise<WrongInsideResult>;
  export function saysNo(args?: SaysNoArgs, options?: $Options): Promise<SaysNoResult>;
  export function hasNone(args?: HasNoneArgs, options?: $Options): Promise<HasNoneResult>;
  export function unmarked(args?: UnmarkedArgs, options?: $Options): Promise<UnmarkedResult>;
  export type CountArgs = { readonly [name: string]: never };
  export type CountResult = number;
  export type NamesArgs = { readonly [name: string]: never };
  export type NamesResult = string[];
  export type TreesArgs = { readonly [name: string]: never };
  export type TreesResult = Tree[];
  export type TreeArgs = { readonly [name: string]: never };
  export type TreeResult = Tree;
  export type MaybeArgs = { readonly [name: string]: never };
  export type MaybeResult = number | null;
  export type AnythingArgs = { readonly [name: string]: never };
  export type AnythingResult = unknown;
  export type WrongInsideArgs = { readonly [name: string]: never };
  export type WrongInsideResult = unknown;
  export type SaysNoArgs = { readonly [name: string]: never };
  export type SaysNoResult = { result: number };
  export type HasNoneArgs = { readonly [name: string]: never };
  export type HasNoneResult = { results?: number };
  export type UnmarkedArgs = { readonly [name: string]: never };
  export type UnmarkedResult = { result: number };
  export type Tree = { name: string; kids: Tree[] };
}
