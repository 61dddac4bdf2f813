/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.conditional {
  /** @param args if country is "us": needs zip, zip matches /^\d{5}$/ */
  function conditional(args: {
    country: "us" | "nl";
    zip?:
      /** matches /^\d{5}$/ */
      | string
      | number;
    postcode?: string;
  }): Promise<Untyped>;
  /** @param args with card: needs cvc; with cvc: needs card */
  function dependent(args?: { card?: string; cvc?: string; expires?: string }): Promise<Untyped>;
}
