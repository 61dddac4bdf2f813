/** Any JSON value. */
type Json = any;
/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.records {
  function records(args: {
    user?: {
      name: string;
      address: {
        /** With number. */
        street?: string;
        zip: string;
      };
    };
    closed?: { a?: string };
    open?: { a?: string; [key: string]: Json };
    typed?: { a?: string; [key: string]: Json };
    "with-dash"?: string;
    "with space"?: string;
    "ключ"?: string;
    "1st"?: string;
    ""?: string;
    __proto__?: string;
    class?: string;
    "quote\""?: string;
    undeclared: Json;
  }): Promise<Untyped>;
}
