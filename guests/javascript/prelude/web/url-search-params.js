// URLSearchParams: a list of names and values, which a URL may share.

export default ({ native, primordials, args, inspect, inspectCustom }) => {
  const {
    arrayJoin, arrayPush, arraySort, define, enumerable, objectSetPrototypeOf, reflectApply, stringSlice, stringStartsWith, stringToWellFormed, tagged, TypeError,
  } = primordials;

  const usv = (value) => stringToWellFormed(`${value}`);
  const badPair = () => args.coded(new TypeError("Each query pair must be an iterable [name, value] tuple"), "ERR_INVALID_TUPLE");

  let reset;
  let attach;

  class URLSearchParams {
    // Names and values by turns.
    #flat = [];
    // Tells the URL, if there is one, of each change.
    #changed = undefined;

    static {
      reset = (params, query) => { params.#flat = native.parseQuery(query); };
      attach = (params, changed) => { params.#changed = changed; };
    }

    constructor(init = undefined) {
      if (init === undefined || init === null) return;
      if (typeof init !== "object" && typeof init !== "function") {
        const query = usv(init);
        this.#flat = native.parseQuery(stringStartsWith(query, "?") ? stringSlice(query, 1) : query);
      } else if (init[Symbol.iterator] !== undefined && init[Symbol.iterator] !== null) {
        this.#fill(init);
      } else {
        for (const name of Reflect.ownKeys(init)) {
          if (typeof name === "symbol" || !Object.prototype.propertyIsEnumerable.call(init, name)) continue;
          arrayPush(this.#flat, usv(name), usv(init[name]));
        }
      }
    }

    #fill(pairs) {
      for (const pair of pairs) {
        if ((typeof pair !== "object" && typeof pair !== "function") || pair === null || typeof pair[Symbol.iterator] !== "function") throw badPair();
        const items = [...pair];
        if (items.length !== 2) throw badPair();
        arrayPush(this.#flat, usv(items[0]), usv(items[1]));
      }
    }

    #write(flat) {
      this.#flat = flat;
      this.#changed?.(this.toString());
    }

    get size() { return this.#flat.length / 2; }

    append(name, value) {
      args.require(arguments.length, "name", "value");
      arrayPush(this.#flat, usv(name), usv(value));
      this.#write(this.#flat);
    }

    delete(name, value) {
      args.require(arguments.length, "name");
      name = usv(name);
      if (value !== undefined) value = usv(value);
      const kept = [];
      this.#each((key, item) => { if (key !== name || (value !== undefined && item !== value)) arrayPush(kept, key, item); });
      this.#write(kept);
    }

    get(name) {
      args.require(arguments.length, "name");
      name = usv(name);
      for (let i = 0; i < this.#flat.length; i += 2) if (this.#flat[i] === name) return this.#flat[i + 1];
      return null;
    }

    getAll(name) {
      args.require(arguments.length, "name");
      name = usv(name);
      const found = [];
      this.#each((key, item) => { if (key === name) arrayPush(found, item); });
      return found;
    }

    has(name, value) {
      args.require(arguments.length, "name");
      name = usv(name);
      if (value !== undefined) value = usv(value);
      let found = false;
      this.#each((key, item) => { found ||= key === name && (value === undefined || item === value); });
      return found;
    }

    set(name, value) {
      args.require(arguments.length, "name", "value");
      name = usv(name);
      value = usv(value);
      const kept = [];
      let isSet = false;
      this.#each((key, item) => {
        if (key !== name) arrayPush(kept, key, item);
        else if (!isSet) {
          arrayPush(kept, key, value);
          isSet = true;
        }
      });
      if (!isSet) arrayPush(kept, name, value);
      this.#write(kept);
    }

    // By name, in UTF-16 order; what has the same name keeps its order.
    sort() {
      const pairs = [];
      this.#each((key, item) => arrayPush(pairs, { key, item }));
      arraySort(pairs, (a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
      const sorted = [];
      for (let i = 0; i < pairs.length; i++) arrayPush(sorted, pairs[i].key, pairs[i].item);
      this.#write(sorted);
    }

    #each(visit) {
      for (let i = 0; i < this.#flat.length; i += 2) visit(this.#flat[i], this.#flat[i + 1]);
    }

    forEach(callback, self) {
      if (typeof callback !== "function") throw args.wrongType("callback", "of type function", callback);
      for (let i = 0; i < this.#flat.length; i += 2) reflectApply(callback, self, [this.#flat[i + 1], this.#flat[i], this]);
    }

    entries() {
      return iterate((i) => (2 * i < this.#flat.length ? { value: [this.#flat[2 * i], this.#flat[2 * i + 1]] } : undefined));
    }

    keys() {
      return iterate((i) => (2 * i < this.#flat.length ? { value: this.#flat[2 * i] } : undefined));
    }

    values() {
      return iterate((i) => (2 * i < this.#flat.length ? { value: this.#flat[2 * i + 1] } : undefined));
    }

    toString() {
      return native.writeQuery(this.#flat);
    }

    [inspectCustom](depth, options) {
      const shown = [];
      this.#each((key, item) => arrayPush(shown, `${inspect(key, options)} => ${inspect(item, options)}`));
      if (shown.length === 0) return "URLSearchParams {}";
      const line = arrayJoin(shown, ", ");
      return line.length <= (options.breakLength ?? 80) ? `URLSearchParams { ${line} }` : `URLSearchParams {\n  ${arrayJoin(shown, ",\n  ")} }`;
    }
  }
  define(URLSearchParams.prototype, { [Symbol.iterator]: URLSearchParams.prototype.entries });
  enumerable(URLSearchParams.prototype, "size append delete get getAll has set sort forEach entries keys values toString");
  tagged(URLSearchParams);

  // Live, as the specification wants it: the list may change between two steps.
  const IteratorPrototype = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
  const iterate = (at) => {
    let i = 0;
    const iterator = {
      next() {
        const entry = at(i);
        if (entry === undefined) return { value: undefined, done: true };
        i++;
        return { value: entry.value, done: false };
      },
    };
    define(iterator, { [Symbol.toStringTag]: "URLSearchParams Iterator" });
    return objectSetPrototypeOf(iterator, IteratorPrototype);
  };

  define(globalThis, { URLSearchParams });
  return { searchParams: { reset, attach } };
};
