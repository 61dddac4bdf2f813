/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.toolNames {
  /** Also: tools.toolNames["get-x"] */
  function getX_h42da3a(args?: { a?: string }): Promise<Untyped>;
  /** Also: tools.toolNames["get_x"] */
  function getX_h506109(args?: { a?: string }): Promise<Untyped>;
  function getX2(args?: { a?: string }): Promise<Untyped>;
  /** Also: tools.toolNames["get.y"] */
  function getY_h924b2a(args?: { a?: string }): Promise<Untyped>;
  /** Also: tools.toolNames["Get Y"] */
  function getY_hd08023(args?: { a?: string }): Promise<Untyped>;
  function apiGetUser(args?: { a?: string }): Promise<Untyped>;
  function listURLs(args?: { a?: string }): Promise<Untyped>;
  function delete_(args?: { a?: string }): Promise<Untyped>;
  function class_(args?: { a?: string }): Promise<Untyped>;
  function then(args?: { a?: string }): Promise<Untyped>;
  function constructor(args?: { a?: string }): Promise<Untyped>;
  function proto(args?: { a?: string }): Promise<Untyped>;
  function toString(args?: { a?: string }): Promise<Untyped>;
  function _1password(args?: { a?: string }): Promise<Untyped>;
  function 日本語(args?: { a?: string }): Promise<Untyped>;
  function naïveCafé(args?: { a?: string }): Promise<Untyped>;
  /** Also: tools.toolNames["🎉"] */
  function unnamed_h7f9751(args?: { a?: string }): Promise<Untyped>;
  /** Also: tools.toolNames[""] */
  function unnamed_haf1349(args?: { a?: string }): Promise<Untyped>;
  /** Also: tools.toolNames["   "] */
  function unnamed_ha04ffc(args?: { a?: string }): Promise<Untyped>;
  /** Also: tools.toolNames["$"] */
  function unnamed_he76980(args?: { a?: string }): Promise<Untyped>;
  function aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_h9957a9(args?: { a?: string }): Promise<Untyped>;
  function aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa_hfac378(args?: { a?: string }): Promise<Untyped>;
  function snakeCaseName(args?: { a?: string }): Promise<Untyped>;
  function screamingCase(args?: { a?: string }): Promise<Untyped>;
  function v20Items(args?: { a?: string }): Promise<Untyped>;
  function x(args?: { a?: string }): Promise<Untyped>;
  /** Also: tools.toolNames["X"] */
  function x_hf7b966(args?: { a?: string }): Promise<Untyped>;
  function ǅ(args?: { a?: string }): Promise<Untyped>;
  function ß(args?: { a?: string }): Promise<Untyped>;
}
