// Globals that are there only to say what to use instead of them.

export default ({ native, primordials }) => {
  const { define, Error } = primordials;

  for (const name of Object.keys(native.standIns)) {
    const advice = native.standIns[name];
    const refuse = {
      [name]() {
        throw new Error(`${name} is not available here: ${advice}`);
      },
    };
    define(globalThis, refuse);
  }
  return {};
};
