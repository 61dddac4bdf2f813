// Imports what packages have, when they are taken in. `packages` are lists of a name, its specifiers, and whether they are all of its entry points.
const failures = {};
const { log } = console;
const said = (error) => {
  try {
    return `${error?.name}: ${error?.message}`.slice(0, 1000);
  } catch {
    return "it threw something that can't be shown";
  }
};
for (const [name, specifiers, isAll] of packages) {
  let imported = 0;
  let first;
  for (const specifier of specifiers) {
    // Where the run comes to no end, this says which import was under way.
    log(`importing ${specifier}`);
    try {
      await import(specifier);
      imported += 1;
    } catch (error) {
      failures[specifier] = said(error);
      first ??= `its module "${specifier}" can't be imported here: ${failures[specifier]}`;
    }
  }
  if (first !== undefined && imported === 0 && isAll) return { refused: name, why: first };
}
return { failures };
