declare namespace tools.records {
  export function records(args: RecordsArgs, options?: $Options): Promise<RecordsResult>;
  export type RecordsArgs = {
    readonly user?: {
      readonly name: string;
      readonly address: {
        /** With number. */
        readonly street?: string;
        readonly zip: string;
      };
    };
    readonly closed?: { readonly a?: string };
    readonly open?: { readonly a?: string; readonly [key: string]: unknown };
    readonly typed?: { readonly a?: string; readonly [key: string]: unknown };
    readonly "with-dash"?: string;
    readonly "with space"?: string;
    readonly "ключ"?: string;
    readonly "1st"?: string;
    readonly ""?: string;
    readonly __proto__?: string;
    readonly class?: string;
    readonly "quote\""?: string;
    readonly undeclared: unknown;
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type RecordsResult = unknown;
}
