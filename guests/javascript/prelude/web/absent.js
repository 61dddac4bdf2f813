// Functions of other runtimes that scripts call out of habit. They are there so that the error says what to use instead;
// names that scripts only test for, such as `process`, stay undefined.

export default ({ primordials }) => {
  const { define, Error } = primordials;

  const absent = (name, advice) => {
    const refuse = {
      [name]() {
        throw new Error(`${name} is not available here: ${advice}`);
      },
    };
    define(globalThis, refuse);
  };
  absent("fetch", 'there is no network. Call one of the granted tools; tools.$search("words") finds them, and tools.$servers() lists their servers.');
  absent("require", "no modules can be loaded. The language, console, URL, TextEncoder, crypto and the granted tools are globals; tools.$search(\"words\") finds tools.");
  return {};
};
