/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.oneOf {
  function draw(args: {
    shape: { kind: "circle"; radius: number } | { kind: "square"; side: number };
    loose?: string | { id?: string };
    /**
     * - "fast": Fast
     * - "slow": Takes its time.
     */
    options?: "fast" | "slow";
  }): Promise<Untyped>;
  function discriminated(args?: { pet?: Cat | Dog; pets?: (Cat | Dog)[] }): Promise<Untyped>;
  function rootChoice(args: { by_id: string } | { by_name: string }): Promise<Untyped>;
  /** @param args needs exactly one of: id; name */
  function exactlyOne(args?: { id?: string; name?: string }): Promise<Untyped>;
  type Cat = { petType: string; name?: string; lives?: number; color?: string; age?: number };
  type Dog = { petType: string; name?: string; bark?: boolean; color?: string; age?: number };
}
