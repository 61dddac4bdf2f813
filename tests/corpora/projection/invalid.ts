// note: invalid: input#/properties/unknown: JSON Schema has no type "strnig"; taken as any value
// note: invalid: input#/properties/number-type: `type` has no meaning with this value; left out
// note: invalid: input#/properties/schema-list: this is not a schema (an object, true or false); taken as any value
// note: invalid: input#/properties/schema-null: this is not a schema (an object, true or false); taken as any value
// note: invalid: input#/properties/schema-text: this is not a schema (an object, true or false); taken as any value
// note: invalid: input#/properties/required: `required` has no meaning with this value; left out
// note: invalid: input#/properties/properties: `properties` has no meaning with this value; left out
// note: invalid: input#/properties/all-of: `allOf` has no meaning with this value; left out
// note: invalid: input#/properties/members: `anyOf` has no meaning with this value; left out
// note: invalid: input#/properties/extra: `additionalProperties` has no meaning with this value; left out
// note: wrong-properties: input#: `properties` has no meaning with this value; left out
// note: odd-type: input#: JSON Schema has no type "objekt"; taken as any value
/** Any JSON value. */
type Json = any;
/** The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the list of content blocks. */
type Untyped = any;
declare namespace tools.invalid {
  function invalid(args: {
    unknown: Json;
    "number-type"?: Json;
    "schema-list"?: Json;
    "schema-null"?: Json;
    "schema-text"?: Json;
    required?: { a?: string };
    properties?: { [key: string]: Json };
    "all-of"?: Json;
    members?: string;
    draft3: string;
    extra?: { [key: string]: Json };
    missing: Json;
  }): Promise<Untyped>;
  function wrongProperties(args: { kept: Json }): Promise<Untyped>;
  function oddType(args?: { kept?: string }): Promise<Untyped>;
}
