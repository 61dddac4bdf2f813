// Imports what packages have, when they are taken in. `packages` are pairs of a name and its specifiers.
const failures = {};
const said = (error) => {
  try {
    return `${error?.name}: ${error?.message}`.slice(0, 1000);
  } catch {
    return "it threw something that can't be shown";
  }
};
for (const [name, specifiers] of packages) {
  let imported = 0;
  let first;
  for (const specifier of specifiers) {
    try {
      await import(specifier);
      imported += 1;
    } catch (error) {
      failures[specifier] = said(error);
      first ??= `its module "${specifier}" can't be imported here: ${failures[specifier]}`;
    }
  }
  if (first !== undefined && imported === 0) return { refused: name, why: first };
}
return { failures };
