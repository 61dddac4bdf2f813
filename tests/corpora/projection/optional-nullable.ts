/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.optionalNullable {
  function optionalNullable(args: {
    required: string;
    optional?: string;
    nullable: string | null;
    both?: string | null;
    openapi?: string | null;
    list?: (string | null)[];
    record?: {
      /** An a. */
      a?: string;
    } | null;
    several?: string | number | null;
  }): Promise<Untyped>;
}
