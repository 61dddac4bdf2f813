declare namespace tools.optionalNullable {
  export function optionalNullable(args: OptionalNullableArgs, options?: $Options): Promise<OptionalNullableResult>;
  export type OptionalNullableArgs = {
    readonly required: string;
    readonly optional?: string;
    readonly nullable: string | null;
    readonly both?: string | null;
    readonly openapi?: string | null;
    readonly list?: readonly (string | null)[];
    readonly record?: {
      /** An a. */
      readonly a?: string;
    } | null;
    readonly several?: string | number | null;
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type OptionalNullableResult = unknown;
}
