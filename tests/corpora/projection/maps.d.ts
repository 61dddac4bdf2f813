declare namespace tools.maps {
  export function maps(args?: MapsArgs, options?: $Options): Promise<MapsResult>;
  export type MapsArgs = {
    readonly labels?: { readonly [key: string]: string };
    readonly nested?: { readonly [key: string]: { readonly [key: string]: number | null } };
    readonly patterns?: { readonly [key: string]: string | number };
    readonly mixed?: { readonly a?: string; readonly [key: string]: unknown };
    /** names match /^[a-z]+$/ */
    readonly named?: { readonly [key: string]: boolean };
    readonly records?: {
      readonly [key: string]: {
        /** An id. */
        readonly id?: string;
      };
    };
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type MapsResult = unknown;
}
