// The pages of a tool's answers: `for await (const page of pages(tools.server.tool, { … }))`.

/**
 * Calls a tool again and again, and gives each answer. `next` makes what changes in the arguments of the next call out of an
 * answer and the arguments of its call, or nothing after the last one. Without it, the answer's own `next` has the arguments of the
 * next call, or null.
 */
export async function* pages(tool, args = {}, next = undefined) {
  if (typeof tool !== "function") throw new TypeError("pages takes a tool, and the arguments of its first call: pages(tools.server.tool, { … })");
  let given = args;
  for (;;) {
    const page = await tool(given);
    yield page;
    const more = next === undefined ? ownNext(page) : await next(page, given);
    if (!more) return;
    const wanted = next === undefined ? more : { ...given, ...more };
    if (JSON.stringify(wanted) === JSON.stringify(given)) {
      throw new Error("pages would make the same call again: the arguments of the next page are those of this one");
    }
    given = wanted;
  }
}

function ownNext(page) {
  if (page !== null && typeof page === "object" && "next" in page) return page.next;
  throw new TypeError(
    "pages does not find the next page: the answer has no `next`. Say where it is: pages(tool, args, (page) => page.cursor && { cursor: page.cursor })",
  );
}
