declare namespace tools.oneOf {
  export function draw(args: DrawArgs, options?: $Options): Promise<DrawResult>;
  export function discriminated(args?: DiscriminatedArgs, options?: $Options): Promise<DiscriminatedResult>;
  export function rootChoice(args: RootChoiceArgs, options?: $Options): Promise<RootChoiceResult>;
  /** @param args needs exactly one of: id; name */
  export function exactlyOne(args?: ExactlyOneArgs, options?: $Options): Promise<ExactlyOneResult>;
  export type DrawArgs = {
    readonly shape:
      | { readonly kind: "circle"; readonly radius: number }
      | { readonly kind: "square"; readonly side: number };
    readonly loose?: string | { readonly id?: string };
    /**
     * - "fast": Fast
     * - "slow": Takes its time.
     */
    readonly options?: "fast" | "slow";
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type DrawResult = unknown;
  export type DiscriminatedArgs = {
    readonly pet?: Cat | Dog;
    readonly pets?: readonly (Cat | Dog)[];
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type DiscriminatedResult = unknown;
  export type RootChoiceArgs = { readonly by_id: string } | { readonly by_name: string };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type RootChoiceResult = unknown;
  export type ExactlyOneArgs = { readonly id?: string; readonly name?: string };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type ExactlyOneResult = unknown;
  export type Cat = {
    readonly petType: string;
    readonly name?: string;
    readonly lives?: number;
    readonly color?: string;
    readonly age?: number;
  };
  export type Dog = {
    readonly petType: string;
    readonly name?: string;
    readonly bark?: boolean;
    readonly color?: string;
    readonly age?: number;
  };
}
