// What scripts for other code modes call by its name alone. Each is made for the script that names it: `make` is asked once.
(function (native, shared) {
  "use strict";

  const { primordials, kindOf } = shared;
  const { mapDelete, mapGet, mapHas, mapSet, TypeError } = primordials;
  const { setPrototypeOf } = Object;
  const { isArray } = Array;
  const StringOf = String;
  const PromiseOf = Promise;
  const { resolve } = Promise;
  const { apply } = Reflect;
  const clone = globalThis.structuredClone;
  const bare = (properties) => setPrototypeOf(properties, null);

  // What `store` keeps: in a session, the memory is there in its next run.
  const kept = new Map();
  const keyOf = (key, of) => {
    if (typeof key === "string") return key;
    if (typeof key === "number") return StringOf(key);
    throw new TypeError(`${of} takes a key, which is a text: ${of === "store" ? 'store("key", value)' : 'load("key")'}`);
  };
  const copyOf = (value, key) => {
    if (kindOf(value) === "promise") throw new TypeError(`store can't keep the promise for "${key}": write \`await\` before the call that gives it`);
    try {
      return clone(value);
    } catch (error) {
      const why = error?.name === "DataCloneError" ? "it is, or holds, a function, a promise, a tool or another thing that is not data" : error?.message;
      throw new TypeError(`store can't keep the value for "${key}": ${why}. Keep texts, numbers, lists, objects, dates, maps, sets and bytes`);
    }
  };

  const functions = bare({
    text: function text(value) {
      native.print(native.textOf(value, false), false);
    },
    json: function json(value) {
      native.print(native.textOf(value, true), false);
    },
    // The client gets it at once, and the output has it, apart from the result.
    notify: function notify(value, ...more) {
      if (more.length === 0 && value !== null && typeof value === "object" && !isArray(value)) {
        const id = native.resolveIfThere(undefined, "notify");
        if (id !== undefined) {
          throw new TypeError(
            `\`notify\` may mean the tool \`${native.nameOf(id)[0]}.${native.nameOf(id)[1]}\`, written \`${native.written(id)}({ … })\`, ` +
              "or a message to the client, written `notify(\"text\")`",
          );
        }
      }
      const text = native.textOf(value, false);
      native.print(text, true);
      native.progress(undefined, text);
    },
    store: function store(key, value) {
      native.checkEnd();
      const name = keyOf(key, "store");
      if (value === undefined) mapDelete(kept, name);
      else mapSet(kept, name, copyOf(value, name));
    },
    load: function load(key) {
      const name = keyOf(key, "load");
      return mapHas(kept, name) ? clone(mapGet(kept, name)) : undefined;
    },
    exit: function exit() {
      native.exit();
    },
    yield_control: function yield_control() {
      return apply(resolve, PromiseOf, []);
    },
  });

  // A tool's name is given alone where that means it, or with its server's.
  const allTools = () => {
    const all = [];
    const servers = native.servers();
    for (let at = 0; at < servers.length; at++) {
      const list = native.toolsOf(servers[at].name);
      for (let one = 0; one < list.length; one++) {
        const { server, name, description } = list[one];
        const alone = native.hasServer(name) ? undefined : native.resolveIfThere(undefined, name);
        const isIt = alone !== undefined && native.nameOf(alone)[0] === server && native.nameOf(alone)[1] === name;
        all[all.length] = { name: isIt ? name : `${server}__${name}`, description };
      }
    }
    return all;
  };

  return (name) => (name === "ALL_TOOLS" ? allTools() : functions[name]);
});
