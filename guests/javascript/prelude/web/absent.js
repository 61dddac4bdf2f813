// Globals of other runtimes: `require`, which says what to use instead.

export default ({ native, primordials }) => {
  const { define } = primordials;
  const { require: required } = native;

  define(globalThis, {
    require(specifier) {
      return required(`${specifier}`);
    },
  });
  return {};
};
