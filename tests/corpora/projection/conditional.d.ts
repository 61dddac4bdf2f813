declare namespace tools.conditional {
  /** @param args if country is "us": needs zip, zip matches /^\d{5}$/ */
  export function conditional(args: ConditionalArgs, options?: $Options): Promise<ConditionalResult>;
  /** @param args with card: needs cvc; with cvc: needs card */
  export function dependent(args?: DependentArgs, options?: $Options): Promise<DependentResult>;
  export type ConditionalArgs = {
    readonly country: "us" | "nl";
    readonly zip?:
      /** matches /^\d{5}$/ */
      | string
      | number;
    readonly postcode?: string;
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type ConditionalResult = unknown;
  export type DependentArgs = {
    readonly card?: string;
    readonly cvc?: string;
    readonly expires?: string;
  };
  /** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
  export type DependentResult = unknown;
}
