declare namespace tools.hostileText {
  /**
   * Tool *\/ text
   *  *\/ again
   * @param args Args *\/ too
   */
  export function hostile(args?: HostileArgs, options?: $Options): Promise<HostileResult>;
  export type HostileArgs = {
    /** *\/ evil(); /* */
    readonly ends?: string;
    /** a **\/ b * / c */
    readonly stars?: string;
    /**
     * one
     * two
     * three
     * four
     * five
     */
    readonly lines?: string;
    /** safeEVIL x */
    readonly bidi?: string;
    /** hi! */
    readonly tags?: string;
    /** ab[31mred */
    readonly controls?: string;
    /** abc 👨‍👩‍👧 */
    readonly zero?: string;
    /** default: "a\u202eb\u0000c*\/d" */
    readonly default?: string;
    readonly value?: "\u202e" | "*/" | "</script>";
    /** matches /.*\/ /// */
    readonly pattern?: string;
    /** """ ''' ` ${x} \ */
    readonly quotes?: string;
    readonly "name*/\u2028"?: string;
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type HostileResult = unknown;
}
