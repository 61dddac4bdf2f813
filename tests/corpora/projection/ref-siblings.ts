/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.refSiblings {
  function refSiblings(args?: {
    /** My own words. (default: {"id":"x"}) */
    described?: Base;
    /** The base of it all. */
    extended?: {
      extra: string;
      id: string;
      /** A name. */
      name?: string;
      x?: string;
      y?: string;
    };
    typed?: Base;
    nullable?: Base | null;
    titled?: Base;
  }): Promise<Untyped>;
  /** The base of it all. */
  type Base = {
    id: string;
    /** A name. */
    name?: string;
    x?: string;
    y?: string;
  };
}
