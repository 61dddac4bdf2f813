/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.formats {
  function formats(args?: {
    /** format uuid */
    id?: string;
    /** When it happened. (format date-time) */
    at?: string;
    /** 0 to 255 */
    small?: number;
    /** more than 0 */
    above?: number;
    /** more than 1, less than 9 */
    old?: number;
    /** multiple of 2 */
    even?: number;
    /** 3 to 10 characters; matches /^[A-Z]{2}\d+$/ */
    code?: string;
    /** at least 1 character */
    one?: string;
    /** exactly 4 characters */
    pin?: string;
    /** at least 1 item; no item twice */
    tags?: string[];
    /** media type image/png; encoding base64 */
    file?: string;
    safe?: number;
    huge?: number;
  }): Promise<Untyped>;
}
