// The granted tools as objects. Nothing of the catalog is here until a script names it: each name is asked of the host, once.
(function (native, shared) {
  "use strict";

  const { primordials, kindOf, signals, bytesOf, outbound } = shared;
  const { apply, get: getFrom, getOwnPropertyDescriptor, ownKeys } = Reflect;
  const { defineProperty, keys: keysOf, setPrototypeOf } = Object;
  const { isArray } = Array;
  const { arrayJoin, stringEndsWith, stringIndexOf, stringLastIndexOf, stringSlice, stringSplit, stringStartsWith, stringToWellFormed, TypeError } = primordials;
  const ReferenceErrorOf = ReferenceError;
  const { fromBase64: bytesFrom, prototype: { toBase64 } } = Uint8Array;
  const bytesClass = Uint8Array;
  const fromBase64 = (text) => apply(bytesFrom, bytesClass, [text]);
  const StringOf = String;
  const ProxyOf = Proxy;
  const PromiseOf = Promise;
  const { reject } = Promise;
  const rejected = (reason) => apply(reject, PromiseOf, [reason]);
  const { then: promiseThen } = Promise.prototype;
  const objectPrototype = Object.prototype;
  const { hasOwnProperty } = objectPrototype;
  const { parse: jsonParse } = JSON;
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
      this.kind = options?.kind ?? "failed";
      this.server = options?.server;
      this.tool = options?.tool;
      this.content = options?.content ?? [];
      const data = options?.data;
      if (data !== undefined) this.data = data;
    }
  }
  constant(ToolError.prototype, "name", "ToolError");
  // What no line has awaited has no stack yet.
  const { get: stackOf, set: setStack } = getOwnPropertyDescriptor(Error.prototype, "stack");
  const stack = function () {
    return apply(stackOf, this, []) ?? `${this.name}: ${this.message}`;
  };
  defineProperty(ToolError.prototype, "stack", bare({ get: stack, set: setStack, enumerable: false, configurable: true }));

  const describeError = (error, message, kind, server, tool, content, data) => {
    constant(error, "message", message);
    error.kind = kind;
    error.server = server;
    error.tool = tool;
    error.content = content;
    if (data !== undefined) error.data = data;
  };

  const isObject = (value) => value !== null && typeof value === "object" && !isArray(value);

  const abortable = (id, args, signal) => {
    if (!signals.isSignal(signal)) {
      const meant = signals.isSignal(signal.signal) ? "; did you mean controller.signal?" : "";
      throw new TypeError(`signal must be an AbortSignal${meant}`);
    }
    if (signals.isAborted(signal)) return rejected(signals.reasonOf(signal));
    const started = native.startAbortable(id, args);
    const call = started[0];
    const promise = started[1];
    const stop = () => native.abort(call, signals.reasonOf(signal));
    signals.listen(signal, stop);
    const forget = () => signals.forget(signal, stop);
    apply(promiseThen, promise, [forget, forget]);
    return promise;
  };

  const call = (id, args, options) => {
    try {
      const signal = options?.signal;
      return signal === undefined || signal === null ? native.start(id, args) : abortable(id, args, signal);
    } catch (error) {
      return rejected(error);
    }
  };

  // How `fetch` makes its calls, where they are granted.
  outbound.find = native.outbound;
  outbound.call = call;
  outbound.isToolError = (error) => error instanceof ToolError;

  // Functions by the tools' numbers, so that a tool is the same function each time.
  const functions = bare({});
  const functionOf = (id, name) => {
    const known = functions[id];
    if (known !== undefined) return known;
    if (name[0] === "$") return (functions[id] = offered(id, name));
    const made = {
      // `arguments` would make each call dearer; nobody writes more values than these in order.
      [name](args, options, c, d, e, f) {
        if (args === undefined || isObject(args)) return call(id, args, options);
        return callWithValues(id, name, [args, options, c, d, e, f]);
      },
    }[name];
    defineProperty(made, "length", bare({ value: 2, configurable: true }));
    return (functions[id] = made);
  };

  // What a server has besides tools, such as `$read`: it takes one object of named arguments, or values in order.
  const offered = (id, name) => {
    const made = {
      [name](...args) {
        const promise = callOffered(id, name, args);
        return name === "$read" ? apply(promiseThen, promise, [withBytes]) : promise;
      },
    }[name];
    defineProperty(made, "length", bare({ value: 2, configurable: true }));
    return made;
  };
  const callOffered = (id, name, args) => {
    let count = args.length;
    while (count > 0 && args[count - 1] === undefined) count--;
    const options = count > 1 && isOptions(args[count - 1]) ? args[--count] : undefined;
    if (count === 0 || (count === 1 && isObject(args[0]))) return call(id, args[0], options);
    const names = native.parameters(id);
    if (count > names.length) return rejected(new TypeError(`${name} takes (${arrayJoin(names, ", ")}); it was given ${count} values`));
    const named = bare({});
    for (let at = 0; at < count; at++) if (args[at] !== undefined) named[names[at]] = args[at];
    return call(id, named, options);
  };
  // The parts of a resource, blobs as bytes. What is no base64 stays as it came.
  const withBytes = (contents) => {
    for (let at = 0; at < contents.length; at++) {
      const part = contents[at];
      if (!isObject(part) || typeof part.blob !== "string") continue;
      try {
        part.blob = fromBase64(part.blob);
      } catch {}
    }
    return contents;
  };

  // Content blocks of bytes, for scripts to return.
  const BEGINNINGS = [["iVBORw0KGgo", "image/png"], ["/9j/", "image/jpeg"], ["R0lGOD", "image/gif"], ["UklGR", "image/webp"]];
  const typeOf = (base64) => {
    for (let at = 0; at < BEGINNINGS.length; at++) if (stringStartsWith(base64, BEGINNINGS[at][0])) return BEGINNINGS[at][1];
    return undefined;
  };
  // The base64 and the type in a `data:` URL, or undefined.
  const ofUrl = (text) => {
    if (!stringStartsWith(text, "data:")) return undefined;
    const comma = stringIndexOf(text, ",");
    const head = stringSlice(text, 5, comma);
    if (comma < 0 || !stringEndsWith(head, ";base64")) return undefined;
    return { data: stringSlice(text, comma + 1), mimeType: stringSplit(head, ";")[0] };
  };
  // Bytes, or their base64, and what is said of their type: by a part of a resource, a content block, a `data:` URL, or an object
  // that has one as its `image_url`.
  const partsOf = (given) => {
    if (typeof given === "string") {
      const ofIt = ofUrl(given);
      if (ofIt !== undefined) return ofIt;
      return stringIndexOf(given, ":") < 0 ? { data: given } : undefined;
    }
    if (isObject(given)) {
      if (given.blob !== undefined) return { data: given.blob, mimeType: given.mimeType };
      if (typeof given.data === "string" && typeof given.mimeType === "string") return { data: given.data, mimeType: given.mimeType };
      const url = isObject(given.image_url) ? given.image_url.url : given.image_url;
      if (typeof url === "string") return ofUrl(url);
    }
    return { data: bytesOf(given) };
  };
  const blockOf = (type) =>
    ({
      [type](given, mimeType) {
        const { data, mimeType: said } = partsOf(given) ?? bare({});
        if (data === undefined) {
          const isAddress = typeof given === "string" || (isObject(given) && given.image_url !== undefined);
          throw new TypeError(`${type} takes bytes, or their base64, and a MIME type${isAddress ? "; an address is not fetched" : ""}`);
        }
        const base64 = typeof data === "string" ? data : apply(toBase64, bytesOf(data), []);
        const told = mimeType ?? (said || undefined) ?? (type === "image" ? typeOf(base64) : undefined);
        if (typeof told !== "string") throw new TypeError(`${type} needs the type of its bytes: ${type}(bytes, "${type}/…")`);
        const block = { type, data: base64, mimeType: told };
        native.show(block);
        return block;
      },
    })[type];

  // How far the script is, for whoever waits for it.
  const progress = (...given) => {
    const [fraction, text] = typeof given[0] === "string" ? [undefined, given[0]] : given;
    if (fraction !== undefined && !(typeof fraction === "number" && fraction >= 0 && fraction <= 1)) {
      throw new TypeError('progress takes a fraction from 0 to 1, and a text: progress(0.5, "half done")');
    }
    native.progress(fraction, text === undefined ? "" : stringToWellFormed(`${text}`));
  };

  // Values for the person, apart from the result.
  const emit = (...values) => {
    if (values.length === 0) throw new TypeError('emit takes what the person is to see: emit("text"), emit(image(bytes)), emit(await whole(tool, { … }))');
    for (let at = 0; at < values.length; at++) {
      if (kindOf(values[at]) === "promise") throw new TypeError("emit was given a promise: write `await` before the call that gives the value");
      native.emit(values[at]);
    }
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
  const view = (target, traps) => new ProxyOf(target, bare({ ...fixed, ...traps }));
  const descriptor = (value) => bare({ value, writable: true, enumerable: true, configurable: true });

  // An account of a server, `jira@work`: its object has the server's tools.
  const accountOf = (server, account) => {
    const at = stringLastIndexOf(server, "@");
    const name = at > 0 ? stringSlice(server, 0, at) : server;
    return serverOf(native.serverName(`${name}@${account}`));
  };
  // `as`, which takes the name of an account. A tool of that name takes its arguments by the same function.
  const accountsOf = (server, id) => ({
    as(account, ...given) {
      if (typeof account === "string" && given.length === 0) return accountOf(server, account);
      if (id !== undefined) return apply(functionOf(id, "as"), undefined, [account, ...given]);
      throw new TypeError('as takes the name of an account: as("work")');
    },
  }).as;

  // A server's object. Without its tool `then`, it can be awaited.
  const serverObject = (server, hidden) => {
    const target = {};
    constant(target, toStringTag, server);
    // By the names that were asked for.
    const found = bare({});
    const find = (key) => {
      if (key === hidden) return undefined;
      const known = found[key];
      if (known !== undefined) return known;
      const mayLack = isUsual(key) || key === "as";
      const id = mayLack ? native.resolveIfThere(server, key) : native.resolve(server, key);
      if (key === "as") return (found.as = accountsOf(server, id));
      if (id === undefined) return undefined;
      const tool = key === "then" ? thenTool(id, () => serverObject(server, "then")) : functionOf(id, native.nameOf(id)[1]);
      defineProperty(target, key, descriptor(tool));
      return (found[key] = tool);
    };
    return view(target, {
      get: (target, key) => found[key] ?? (typeof key === "symbol" ? target[key] : (find(key) ?? target[key])),
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

  // A tool named `then` makes the object that has it look like a promise. Awaiting calls it with two functions, and gets the
  // object without it.
  const thenTool = (id, without) => {
    const tool = functionOf(id, "then");
    return function then(args, options) {
      if (typeof args === "function" && typeof options === "function") return args(without());
      return tool(args, options);
    };
  };

  const servers = bare({});
  const serverOf = (name) => (servers[name] ??= serverObject(name));

  // The name of the server that an object stands for, or undefined.
  const nameOfServer = (object) => {
    const names = ownKeys(servers);
    for (let at = 0; at < names.length; at++) if (servers[names[at]] === object) return names[at];
    return undefined;
  };
  // The tool that a function calls, or undefined.
  const idOf = (tool) => {
    const ids = ownKeys(functions);
    for (let at = 0; at < ids.length; at++) if (functions[ids[at]] === tool) return +ids[at];
    return undefined;
  };
  // A call that gives all of the tool's answer: `content`, and `structuredContent` and `_meta` where it has them.
  const whole = (tool, args) => {
    const id = typeof tool === "function" ? idOf(tool) : typeof tool === "string" ? native.resolve(undefined, tool) : undefined;
    if (id === undefined || native.nameOf(id)[1][0] === "$" || !(args === undefined || isObject(args))) {
      return rejected(new TypeError("whole takes a tool, which is not called, and its arguments: whole(tools.server.tool, { … })"));
    }
    try {
      return native.startWhole(id, args);
    } catch (error) {
      return rejected(error);
    }
  };
  const declarations = (server) => {
    const texts = [];
    const list = native.toolsOf(server);
    for (let at = 0; at < list.length; at++) texts[at] = native.describe(native.resolve(server, list[at].name));
    return arrayJoin(texts, "\n\n");
  };
  const searchMisuse = () => new TypeError("$search takes a query, and after it { limit, server }");
  // How to search: all of it, or the server or the limit alone.
  const searchOptions = (options) => {
    if (options === undefined || options === null) return bare({});
    if (typeof options === "number") return bare({ limit: options });
    const server = typeof options === "string" ? options : nameOfServer(options);
    if (server !== undefined) return bare({ server });
    if (isObject(options)) return options;
    throw searchMisuse();
  };

  const catalog = {
    /** The servers with granted tools. */
    $servers() {
      return native.servers();
    },
    /** The granted tools that match a query best. */
    $search(query, options) {
      if (isObject(query)) throw searchMisuse();
      const { limit, server } = searchOptions(options);
      if (limit !== undefined && limit !== null && !(typeof limit === "number" && limit >= 1)) {
        throw new TypeError("The limit of $search must be a number of at least 1");
      }
      const named = server === undefined || server === null ? undefined : (nameOfServer(server) ?? native.serverName(StringOf(server)));
      return native.search(StringOf(query ?? ""), limit, named);
    },
    /** The declaration of a tool, or of all tools of a server, with documentation. */
    $describe(of) {
      const id = typeof of === "function" ? idOf(of) : undefined;
      if (id !== undefined) return native.describe(id);
      const server = nameOfServer(of);
      if (server !== undefined) return declarations(server);
      // What a search finds.
      if (isObject(of) && typeof of.name === "string") return native.describe(native.resolve(of.server, of.name));
      if (typeof of !== "string") throw new TypeError("$describe takes a tool or a server, or the name of one");
      const named = native.resolveIfThere(undefined, of);
      if (named !== undefined) return native.describe(named);
      return native.hasServer(of) ? declarations(native.serverName(of)) : native.describe(native.resolve(undefined, of));
    },
  };
  for (const name of ownKeys(catalog)) constant(catalog, name, catalog[name]);
  constant(catalog, toStringTag, "tools");
  const fail = (error) => {
    throw error;
  };
  // What a name is that is no server's: a tool's alone, or with its server; or what other surfaces call the catalog's functions.
  const meant = (name) => {
    const meaning = native.meaning(name);
    const other = otherNames[name];
    if (other !== undefined) return meaning === undefined ? (catalog[other] ?? callMCPTool) : either(name, meaning, other);
    if (typeof meaning === "string") throw new ReferenceErrorOf(meaning);
    return meaning === undefined ? undefined : functionOf(meaning, native.nameOf(meaning)[1]);
  };
  // A name that a tool has, and the catalog's function elsewhere. Named arguments are a tool's alone.
  const either = (name, meaning, other) => {
    const id = typeof meaning === "number" ? meaning : undefined;
    return {
      [name](...given) {
        const isTools = isObject(given[0]) && !(other === "call" && typeof given[0].name === "string");
        if (id !== undefined && isTools) return apply(functionOf(id, native.nameOf(id)[1]), undefined, given);
        const tool = id === undefined ? meaning : `it is the tool \`${native.nameOf(id)[0]}.${native.nameOf(id)[1]}\`, written \`${native.written(id)}({ … })\``;
        throw new ReferenceErrorOf(`\`tools.${name}\` may mean either: ${tool}; or it is ${written[other]}`);
      },
    }[name];
  };
  const written = bare({
    $search: 'the search for tools, written `tools.$search("words")`',
    $describe: 'the declaration of a tool, written `tools.$describe("server.tool")`',
    $servers: "the list of servers, written `tools.$servers()`",
    call: 'the call of any tool, written `callTool("server.tool", { … })`',
  });
  const otherNames = bare({
    search: "$search", searchTools: "$search", search_tools: "$search", describe: "$describe", describeTool: "$describe",
    describe_tool: "$describe", documentTool: "$describe", document_tool: "$describe", list: "$servers", listServers: "$servers",
    list_servers: "$servers", servers: "$servers", call: "call", callTool: "call", call_tool: "call", callMCPTool: "call", invoke: "call",
  });
  // Servers by the names that the script has asked for.
  const asked = bare({});
  const tools = view(catalog, {
    get: (target, key) => {
      const known = asked[key];
      if (known !== undefined) return known;
      if (typeof key === "symbol" || has(target, key)) return target[key];
      if (isUsual(key) && !native.hasServer(key)) return target[key];
      try {
        return (asked[key] = serverOf(native.serverName(key)));
      } catch (error) {
        return meant(key) ?? fail(error);
      }
    },
    has: (target, key) => (typeof key === "symbol" || has(target, key) ? key in target : native.hasServer(key)),
    ownKeys: (target) => {
      const names = ownKeys(target);
      const list = native.servers();
      for (let at = 0; at < list.length; at++) if (!has(target, list[at].name)) names[names.length] = list[at].name;
      return names;
    },
    getOwnPropertyDescriptor: (target, key) => {
      if (typeof key === "symbol" || has(target, key)) return getOwnPropertyDescriptor(target, key);
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
  let codemodeThen;
  const codemodeObject = (hidden) => view(codemodeTarget, {
    get: (target, key) => {
      if (typeof key === "symbol" || key === hidden) return target[key];
      const id = native.resolveIfThere(undefined, key);
      if (id === undefined) {
        if (isUsual(key)) return target[key];
        return native.hasServer(key) ? serverOf(native.serverName(key)) : native.resolve(undefined, key);
      }
      if (key === "then") return (codemodeThen ??= thenTool(id, () => codemodeObject("then")));
      return functionOf(id, native.nameOf(id)[1]);
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
      if (typeof key === "symbol") return getOwnPropertyDescriptor(target, key);
      return native.resolveIfThere(undefined, key) === undefined ? undefined : descriptor(anyTool(key));
    },
  });
  const codemode = codemodeObject();

  const callMCPTool = function callMCPTool(name, args, options, more) {
    // Server, tool and arguments.
    if (typeof args === "string" && native.hasServer(StringOf(name))) {
      const id = native.resolve(StringOf(name), args);
      return functionOf(id, native.nameOf(id)[1])(options, more);
    }
    // As the protocol's own clients are called: `callTool({ name, arguments })`; or with what a search found.
    if (isObject(name)) {
      if (typeof name.server !== "string") return anyTool(StringOf(name.name))(name.arguments ?? args, options);
      const id = native.resolve(name.server, StringOf(name.name));
      return functionOf(id, native.nameOf(id)[1])(name.arguments ?? args, options);
    }
    return anyTool(StringOf(name))(args, options);
  };

  // A class over a server, for scripts that were written for one: it takes a client, and its methods take one object, or values
  // in the order of the schema.
  // Whether an object holds arguments by their names; else it is the first argument.
  const isNamed = (id, value) => {
    if (!isObject(value) || kindOf(value) !== undefined) return false;
    const keys = keysOf(value);
    return keys.length === 0 || native.takesAny(id, keys);
  };
  const isOptions = (value) => isObject(value) && has(value, "signal");
  const callInOrder = (id, tool, args) => {
    let count = args.length;
    while (count > 0 && args[count - 1] === undefined) count--;
    const options = count > 1 && isOptions(args[count - 1]) ? args[--count] : undefined;
    if (count === 0 || (count === 1 && isNamed(id, args[0]))) return call(id, args[0], options);
    const named = count > 1 && isNamed(id, args[count - 1]) ? args[--count] : undefined;
    const names = native.parameters(id);
    if (count > names.length) {
      const taken = names.length === 0 ? "no arguments" : `its arguments in the order (${arrayJoin(names, ", ")})`;
      return rejected(new TypeError(`${tool} takes ${taken}, or one object with their names; it was given ${count}`));
    }
    const object = bare({});
    for (let at = 0; at < count; at++) if (args[at] !== undefined) object[names[at]] = args[at];
    const others = named === undefined ? [] : keysOf(named);
    for (let at = 0; at < others.length; at++) {
      const name = others[at];
      if (has(object, name)) return rejected(new TypeError(`${tool} got two values for \`${name}\``));
      object[name] = named[name];
    }
    return call(id, object, options);
  };

  // Whether it is the arguments as JSON.
  const isJsonOfNames = (id, value) => {
    if (typeof value !== "string" || value[0] !== "{") return false;
    try {
      return isNamed(id, jsonParse(value));
    } catch {
      return false;
    }
  };
  // Values without names are taken where the schema leaves no doubt what the first one is.
  const callWithValues = (id, tool, given) => {
    const first = given[0];
    let count = given.length;
    while (count > 1 && given[count - 1] === undefined) count--;
    if (first === null && (count === 1 || isOptions(given[1]))) return call(id, undefined, given[1]);
    const names = native.parameters(id);
    const isJson = isJsonOfNames(id, first);
    const isSure = names.length === 1 || native.requiresAny(id);
    if (isSure && !isJson && count <= names.length + 1) return callInOrder(id, tool, given);
    const kind = first === null ? "null" : isArray(first) ? "an array" : `a ${typeof first}`;
    const not = isJson ? "its JSON text" : count === 1 ? kind : `${count} values`;
    const written = native.written(id);
    const says = names.length > 0 ? `write \`${written}({ ${arrayJoin(names, ": …, ")}: … })\`` : `it has none: write \`${written}()\``;
    const all = isSure || names.length === 0 ? "" : " with those that are meant";
    return rejected(new TypeError(`${tool} takes one object of named arguments, not ${not}: ${says}${all}`));
  };
  const wrapper = (server, name) => {
    const methods = bare({});
    const methodOf = (key) => {
      const known = methods[key];
      if (known !== undefined) return known;
      const id = isUsual(key) ? native.resolveIfThere(server, key) : native.resolve(server, key);
      if (id === undefined) return undefined;
      const tool = native.nameOf(id)[1];
      return (methods[key] = (...args) => callInOrder(id, tool, args));
    };
    const isTool = (key) => typeof key === "string" && key !== "then";
    const made = { [name]: class {} }[name];
    // Objects and subclasses have what a script gives them, and below that the tools.
    const base = new ProxyOf({}, bare({
      get: (target, key, object) => (isTool(key) ? methodOf(key) : undefined) ?? getFrom(target, key, object),
      has: (target, key) => key in target || (isTool(key) && native.resolveIfThere(server, key) !== undefined),
    }));
    setPrototypeOf(made.prototype, base);
    return made;
  };

  // What modules that connect to a server export elsewhere.
  const nothing = async () => {};
  const client = (name) => {
    if (name === "callMCPTool" || name === "callTool") return callMCPTool;
    if (name === "tools") return tools;
    if (name === "codemode") return codemode;
    if (name === "ToolError") return ToolError;
    const made = bare({ callMCPTool, callTool: callMCPTool, tools, codemode, connect: nothing, disconnect: nothing, close: nothing });
    return name[0] >= "A" && name[0] <= "Z" ? { [name]: class { constructor() { return made; } } }[name] : made;
  };

  constant(globalThis, "tools", tools);
  constant(globalThis, "codemode", codemode);
  constant(globalThis, "callMCPTool", callMCPTool);
  constant(globalThis, "callTool", callMCPTool);
  constant(globalThis, "ToolError", ToolError);
  constant(globalThis, "image", blockOf("image"));
  constant(globalThis, "audio", blockOf("audio"));
  constant(globalThis, "progress", progress);
  constant(globalThis, "emit", emit);
  constant(globalThis, "whole", whole);
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
