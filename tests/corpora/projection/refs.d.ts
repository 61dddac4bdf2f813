declare namespace tools.refs {
  export function refs(args?: RefsArgs, options?: $Options): Promise<RefsResult>;
  export type RefsArgs = {
    readonly def?: Thing;
    readonly again?: Thing;
    readonly old?: number;
    readonly pointer?: Thing;
    readonly deep?: { readonly a?: string; readonly b?: string };
    /** Escaped. */
    readonly escaped?: string;
    readonly anchored?: boolean;
    readonly "by-id"?: number;
    readonly "self-id"?: "red" | "green";
    readonly item?: number;
    readonly tuple?: readonly [string, number];
    readonly chain?: Thing;
    readonly missing?: unknown;
    readonly network?: unknown;
    readonly file?: unknown;
    readonly wrong?: unknown;
    readonly number?: unknown;
    readonly true?: unknown;
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type RefsResult = unknown;
  export type Thing = {
    /** Its id. */
    readonly id: string;
    readonly inner?: { readonly a?: string; readonly b?: string };
    readonly more?: string;
    readonly most?: string;
  };
}
