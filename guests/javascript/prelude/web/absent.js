// Globals of other runtimes: `fetch`, which says what to use instead, and `require`.

export default ({ native, primordials }) => {
  const { define, Error } = primordials;
  const { insteadOfFetch, require: required } = native;

  define(globalThis, {
    fetch() {
      throw new Error(`fetch is not available here: ${insteadOfFetch}`);
    },
    require(specifier) {
      return required(`${specifier}`);
    },
  });
  return {};
};
