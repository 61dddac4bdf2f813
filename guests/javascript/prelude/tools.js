// The granted tools as objects. Nothing of the catalog is here until a script names it: each name is asked of the host, once.
(function (native) {
  "use strict";

  const { apply, ownKeys } = Reflect;
  const { defineProperty, getOwnPropertyDescriptor, setPrototypeOf } = Object;
  const { isArray } = Array;
  const { stringify } = JSON;
  const StringOf = String;
  const PromiseOf = Promise;
  const { reject } = Promise;
  const rejected = (reason) => apply(reject, PromiseOf, [reason]);
  const { then: promiseThen } = Promise.prototype;
  const objectPrototype = Object.prototype;
  const { hasOwnProperty } = objectPrototype;
  const has = (object, key) => apply(hasOwnProperty, object, [key]);
  const { toStringTag } = Symbol;
  // Objects that inherit nothing: what a script adds to Object.prototype is not in them.
  const bare = (properties) => setPrototypeOf(properties, null);
  const constant = (object, name, value) =>
    defineProperty(object, name, bare({ value, writable: true, enumerable: false, configurable: true }));

  /** A call that a tool refused, or that did not reach it. */
  class ToolError extends Error {
    constructor(message, options) {
      super(message, options);
      this.server = options?.server;
      this.tool = options?.tool;
      this.content = options?.content ?? [];
    }
  }
  constant(ToolError.prototype, "name", "ToolError");
  // What no line has awaited has no stack yet.
  const { get: stackOf, set: setStack } = getOwnPropertyDescriptor(Error.prototype, "stack");
  const stack = function () {
    return apply(stackOf, this, []) ?? `${this.name}: ${this.message}`;
  };
  defineProperty(ToolError.prototype, "stack", bare({ get: stack, set: setStack, enumerable: false, configurable: true }));

  const describeError = (error, message, server, tool, content) => {
    constant(error, "message", message);
    error.server = server;
    error.tool = tool;
    error.content = content;
  };

  // Arguments as JSON. Throws what a script can act on.
  const encoded = (tool, args) => {
    if (args === undefined) return "{}";
    if (args === null || typeof args !== "object" || isArray(args)) {
      const given = args === null ? "null" : isArray(args) ? "an array" : `a ${typeof args}`;
      throw new TypeError(`${tool} takes one object with named arguments, such as ${tool}({ name: value }), not ${given}`);
    }
    let json;
    try {
      json = stringify(args);
    } catch (error) {
      throw new TypeError(`The arguments of ${tool} can't be written as JSON: ${error?.message}`, { cause: error });
    }
    if (json === undefined || json[0] !== "{") {
      throw new TypeError(`The arguments of ${tool} are no object when written as JSON`);
    }
    return json;
  };

  const abortable = (id, json, signal) => {
    if (signal.aborted) return rejected(signal.reason);
    const [call, promise] = native.startAbortable(id, json);
    const stop = () => native.abort(call, signal.reason);
    signal.addEventListener("abort", stop);
    const forget = () => signal.removeEventListener("abort", stop);
    apply(promiseThen, promise, [forget, forget]);
    return promise;
  };

  const call = (id, name, args, options) => {
    try {
      const json = encoded(name, args);
      const signal = options?.signal;
      return signal === undefined || signal === null ? native.start(id, json) : abortable(id, json, signal);
    } catch (error) {
      return rejected(error);
    }
  };

  // Functions by the tools' numbers, so that a tool is the same function each time.
  const functions = bare({});
  const functionOf = (id, name) => {
    const known = functions[id];
    if (known !== undefined) return known;
    const made = {
      [name](args, options) {
        return call(id, name, args, options);
      },
    }[name];
    return (functions[id] = made);
  };

  // Names that programs ask any object for: without a tool of that name they are as in any object.
  const usual = bare({
    then: 1, catch: 1, finally: 1, toJSON: 1, length: 1, name: 1, prototype: 1, inspect: 1, nodeType: 1, asymmetricMatch: 1,
    $$typeof: 1, __esModule: 1, default: 1,
  });
  const isUsual = (key) => key in usual || key in objectPrototype;

  // What tools and servers refuse: they are the grant, and the grant does not change.
  const fixed = bare({
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
    preventExtensions: () => false,
    setPrototypeOf: () => false,
  });
  const view = (target, traps) => new Proxy(target, bare({ ...fixed, ...traps }));
  const descriptor = (value) => bare({ value, writable: true, enumerable: true, configurable: true });

  // A server's object. Without its tool `then`, it can be awaited.
  const serverObject = (server, hidden) => {
    const target = {};
    constant(target, toStringTag, server);
    const find = (key) => {
      if (key === hidden) return undefined;
      const own = target[key];
      if (own !== undefined && has(target, key)) return own;
      const id = isUsual(key) ? native.resolveIfThere(server, key) : native.resolve(server, key);
      if (id === undefined) return undefined;
      const tool = key === "then" ? thenTool(id, server) : functionOf(id, native.nameOf(id)[1]);
      defineProperty(target, key, descriptor(tool));
      return tool;
    };
    return view(target, {
      get: (target, key) => (typeof key === "symbol" ? target[key] : (find(key) ?? target[key])),
      has: (target, key) =>
        typeof key === "symbol" ? key in target : key !== hidden && native.resolveIfThere(server, key) !== undefined,
      ownKeys: () => {
        const names = [];
        const list = native.toolsOf(server);
        for (let at = 0; at < list.length; at++) if (list[at].name !== hidden) names[names.length] = list[at].name;
        return names;
      },
      getOwnPropertyDescriptor: (target, key) => {
        if (typeof key === "symbol" || key === hidden) return undefined;
        return native.resolveIfThere(server, key) === undefined ? undefined : descriptor(find(key));
      },
    });
  };

  // A tool named `then` makes its server look like a promise. Awaiting calls it with two functions, and gets the server.
  const thenTool = (id, server) => {
    const tool = functionOf(id, "then");
    return function then(args, options) {
      if (typeof args === "function" && typeof options === "function") return args(serverObject(server, "then"));
      return tool(args, options);
    };
  };

  const servers = bare({});
  const serverOf = (name) => (servers[name] ??= serverObject(name));

  const catalog = {
    /** The servers with granted tools. */
    $servers() {
      return native.servers();
    },
    /** The granted tools that match a query best. */
    $search(query, options) {
      const limit = options?.limit;
      const server = options?.server;
      return native.search(StringOf(query), limit, server === undefined ? undefined : native.serverName(StringOf(server)));
    },
    /** A tool's declaration, with its documentation. */
    $describe(tool) {
      return native.describe(native.resolve(undefined, StringOf(tool)));
    },
  };
  for (const name of ownKeys(catalog)) constant(catalog, name, catalog[name]);
  constant(catalog, toStringTag, "tools");
  const tools = view(catalog, {
    get: (target, key) => {
      if (typeof key === "symbol" || has(target, key)) return target[key];
      if (isUsual(key) && !native.hasServer(key)) return target[key];
      return serverOf(native.serverName(key));
    },
    has: (target, key) => (typeof key === "symbol" || has(target, key) ? key in target : native.hasServer(key)),
    ownKeys: (target) => {
      const names = ownKeys(target);
      const list = native.servers();
      for (let at = 0; at < list.length; at++) if (!has(target, list[at].name)) names[names.length] = list[at].name;
      return names;
    },
    getOwnPropertyDescriptor: (target, key) => {
      if (typeof key === "symbol" || has(target, key)) return Reflect.getOwnPropertyDescriptor(target, key);
      return native.hasServer(key) ? descriptor(serverOf(native.serverName(key))) : undefined;
    },
  });

  // A tool by a name that says it all: alone where only one server has it, or with its server.
  const anyTool = (name) => {
    const id = native.resolve(undefined, name);
    return functionOf(id, native.nameOf(id)[1]);
  };
  const codemodeTarget = {};
  constant(codemodeTarget, toStringTag, "codemode");
  const codemode = view(codemodeTarget, {
    get: (target, key) => {
      if (typeof key === "symbol") return target[key];
      if (isUsual(key) && native.resolveIfThere(undefined, key) === undefined) return target[key];
      return anyTool(key);
    },
    has: (target, key) => (typeof key === "symbol" ? key in target : native.resolveIfThere(undefined, key) !== undefined),
    ownKeys: (target) => {
      const names = ownKeys(target);
      const list = native.servers();
      for (let at = 0; at < list.length; at++) {
        const own = native.toolsOf(list[at].name);
        for (let tool = 0; tool < own.length; tool++) {
          const { name } = own[tool];
          names[names.length] = native.resolveIfThere(undefined, name) === undefined ? `${list[at].name}__${name}` : name;
        }
      }
      return names;
    },
    getOwnPropertyDescriptor: (target, key) => {
      if (typeof key === "symbol") return Reflect.getOwnPropertyDescriptor(target, key);
      return native.resolveIfThere(undefined, key) === undefined ? undefined : descriptor(anyTool(key));
    },
  });

  const callMCPTool = async function callMCPTool(name, args, options) {
    return anyTool(StringOf(name))(args, options);
  };

  // A class over a server, for scripts that were written for one: it takes a client, and its methods take one object, or values
  // in the order of the schema.
  const positional = (id, args) => {
    const names = native.parameters(id);
    const object = bare({});
    for (let at = 0; at < args.length && at < names.length; at++) {
      if (args[at] !== undefined) object[names[at]] = args[at];
    }
    return object;
  };
  const isObject = (value) => value !== null && typeof value === "object" && !isArray(value);
  const wrapper = (server, name) => {
    const methods = bare({});
    const methodOf = (key) => {
      const known = methods[key];
      if (known !== undefined) return known;
      const id = isUsual(key) ? native.resolveIfThere(server, key) : native.resolve(server, key);
      if (id === undefined) return undefined;
      const tool = native.nameOf(id)[1];
      return (methods[key] = (...args) =>
        args.length === 0 || (isObject(args[0]) && args.length <= 2)
          ? call(id, tool, args[0], args[1])
          : call(id, tool, positional(id, args)));
    };
    const made = {
      [name]: class {
        constructor() {
          return view(this, {
            get: (target, key) => (typeof key === "symbol" || key === "then" ? target[key] : (methodOf(key) ?? target[key])),
            set: (target, key, value) => ((target[key] = value), true),
          });
        }
      },
    };
    return made[name];
  };

  // What modules that connect to a server export elsewhere.
  const client = (name) => {
    if (name === "callMCPTool" || name === "callTool") return callMCPTool;
    if (name === "tools") return tools;
    if (name === "codemode") return codemode;
    if (name === "ToolError") return ToolError;
    const made = bare({ callMCPTool, callTool: callMCPTool, tools, codemode });
    return name[0] >= "A" && name[0] <= "Z" ? { [name]: class { constructor() { return made; } } }[name] : made;
  };

  constant(globalThis, "tools", tools);
  constant(globalThis, "codemode", codemode);
  constant(globalThis, "callMCPTool", callMCPTool);
  constant(globalThis, "ToolError", ToolError);
  return {
    toolError: ToolError.prototype,
    describeError,
    server: serverOf,
    tool: (server, name) => {
      const id = native.resolve(server, name);
      return functionOf(id, native.nameOf(id)[1]);
    },
    wrapper,
    client,
  };
});
