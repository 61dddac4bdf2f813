declare namespace tools.docs {
  /**
   * Does it.
   *
   * At length, over
   * several lines.
   * (read-only)
   * @param args All of it.
   * @returns What was made.
   */
  export function documented(args?: DocumentedArgs, options?: $Options): Promise<DocumentedResult>;
  /** Only a title */
  export function titled(args?: TitledArgs, options?: $Options): Promise<TitledResult>;
  /** Deletes. (destructive; idempotent) */
  export function destructive(args?: DestructiveArgs, options?: $Options): Promise<DestructiveResult>;
  /** Adds. (not destructive) */
  export function additive(args?: AdditiveArgs, options?: $Options): Promise<AdditiveResult>;
  /**
   * Gone soon.
   * @deprecated
   */
  export function deprecated(args?: DeprecatedArgs, options?: $Options): Promise<DeprecatedResult>;
  export type DocumentedArgs = {
    /**
     * Use new.
     * @deprecated
     */
    readonly old?: string;
    /** A Readable Title */
    readonly titled?: string;
    readonly same_title?: string;
    /**
     * First line.
     *
     * - one
     * - two
     * (default: "x")
     */
    readonly lines?: string;
    /** write-only */
    readonly secret?: string;
    /** read-only */
    readonly read?: string;
    /**
     * one
     * two
     */
    readonly windows?: string;
  };
  export type DocumentedResult = {
    /** The id. */
    id: string;
  };
  export type TitledArgs = { readonly [name: string]: never };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type TitledResult = unknown;
  export type DestructiveArgs = { readonly [name: string]: never };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type DestructiveResult = unknown;
  export type AdditiveArgs = { readonly [name: string]: never };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type AdditiveResult = unknown;
  export type DeprecatedArgs = { readonly [name: string]: never };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type DeprecatedResult = unknown;
}
