/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.hostileText {
  /**
   * Tool *\/ text
   *  *\/ again
   * @param args Args *\/ too
   */
  function hostile(args?: {
    /** *\/ evil(); /* */
    ends?: string;
    /** a **\/ b * / c */
    stars?: string;
    /**
     * one
     * two
     * three
     * four
     * five
     */
    lines?: string;
    /** safeEVIL x */
    bidi?: string;
    /** hi! */
    tags?: string;
    /** ab[31mred */
    controls?: string;
    /** abc 👨‍👩‍👧 */
    zero?: string;
    /** default: "a\u202eb\u0000c*\/d" */
    default?: string;
    value?: "\u202e" | "*/" | "</script>";
    /** matches /.*\/ /// */
    pattern?: string;
    /** """ ''' ` ${x} \ */
    quotes?: string;
    "name*/\u2028"?: string;
  }): Promise<Untyped>;
}
