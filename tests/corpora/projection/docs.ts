/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
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
  function documented(args?: {
    /**
     * Use new.
     * @deprecated
     */
    old?: string;
    /** A Readable Title */
    titled?: string;
    same_title?: string;
    /**
     * First line.
     *
     * - one
     * - two
     * (default: "x")
     */
    lines?: string;
    /** write-only */
    secret?: string;
    /** read-only */
    read?: string;
    /**
     * one
     * two
     */
    windows?: string;
  }): Promise<{
    /** The id. */
    id: string;
  }>;
  /** Only a title */
  function titled(): Promise<Untyped>;
  /** Deletes. (destructive; idempotent) */
  function destructive(): Promise<Untyped>;
  /** Adds. (not destructive) */
  function additive(): Promise<Untyped>;
  /**
   * Gone soon.
   * @deprecated
   */
  function deprecated(): Promise<Untyped>;
}
