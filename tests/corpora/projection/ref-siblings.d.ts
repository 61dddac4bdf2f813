declare namespace tools.refSiblings {
  export function refSiblings(args?: RefSiblingsArgs, options?: $Options): Promise<RefSiblingsResult>;
  export type RefSiblingsArgs = {
    /** My own words. (default: {"id":"x"}) */
    readonly described?: Base;
    /** The base of it all. */
    readonly extended?: {
      readonly extra: string;
      readonly id: string;
      /** A name. */
      readonly name?: string;
      readonly x?: string;
      readonly y?: string;
    };
    readonly typed?: Base;
    readonly nullable?: Base | null;
    readonly titled?: Base;
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type RefSiblingsResult = unknown;
  /** The base of it all. */
  export type Base = {
    readonly id: string;
    /** A name. */
    readonly name?: string;
    readonly x?: string;
    readonly y?: string;
  };
}
