declare namespace tools.tuples {
  export function tuples(args?: TuplesArgs, options?: $Options): Promise<TuplesResult>;
  export type TuplesArgs = {
    readonly point?: readonly [number, number];
    /** at least 1 item */
    readonly closed?: readonly [string, number?];
    readonly rest?: readonly [string, ...(number | null)[]];
    /** at least 2 items */
    readonly old?: readonly [string, boolean];
    readonly older?: readonly [string, ...string[]];
    readonly said?: readonly [
      /** Longitude */
      number,
      /** Latitude */
      number,
    ];
    readonly unions?: readonly [(string | number)?];
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type TuplesResult = unknown;
}
