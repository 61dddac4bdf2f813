declare namespace tools.formats {
  export function formats(args?: FormatsArgs, options?: $Options): Promise<FormatsResult>;
  export type FormatsArgs = {
    /** format uuid */
    readonly id?: string;
    /** When it happened. (format date-time) */
    readonly at?: string;
    /** 0 to 255 */
    readonly small?: number;
    /** more than 0 */
    readonly above?: number;
    /** more than 1, less than 9 */
    readonly old?: number;
    /** multiple of 2 */
    readonly even?: number;
    /** 3 to 10 characters; matches /^[A-Z]{2}\d+$/ */
    readonly code?: string;
    /** at least 1 character */
    readonly one?: string;
    /** exactly 4 characters */
    readonly pin?: string;
    /** at least 1 item; no item twice */
    readonly tags?: readonly string[];
    /** media type image/png; encoding base64 */
    readonly file?: string;
    readonly safe?: number;
    readonly huge?: number;
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type FormatsResult = unknown;
}
