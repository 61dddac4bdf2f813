// Headers: names and values of an HTTP message, names without regard to case.

export default ({ primordials, args, inspect, inspectCustom }) => {
  const {
    arrayJoin, arrayPush, arraySort, define, enumerable, isArray, objectKeys, regExpExec, stringToLowerCase, tagged, RegExp, TypeError,
  } = primordials;
  const { iterator } = Symbol;
  const NAME = new RegExp("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$");
  // The first 256 characters without controls, each a byte.
  const VALUE = new RegExp("^[\\t\\x20-\\x7e\\x80-\\xff]*$");
  const AROUND = new RegExp("^[\\t\\n\\r ]*([^]*?)[\\t\\n\\r ]*$");

  const nameOf = (name) => {
    name = `${name}`;
    if (regExpExec(NAME, name) === null) throw new TypeError(`${inspect(name)} is not the name of a header`);
    return stringToLowerCase(name);
  };
  const valueOf = (name, value) => {
    value = regExpExec(AROUND, `${value}`)[1];
    if (regExpExec(VALUE, value) === null) {
      throw new TypeError(`The header ${name} can't have the value ${inspect(value)}: no line breaks, and nothing beyond Latin-1`);
    }
    return value;
  };

  let pairsOf;
  let isHeaders;

  class Headers {
    // Pairs of a name in lower case and a value, in the order in which they were added.
    #pairs = [];

    static {
      pairsOf = (headers) => headers.#pairs;
      isHeaders = (value) => typeof value === "object" && value !== null && #pairs in value;
    }

    constructor(init = undefined) {
      if (init === undefined || init === null) return;
      if (typeof init !== "object") throw args.wrongType("init", "of type object", init);
      if (isHeaders(init)) {
        for (let i = 0; i < init.#pairs.length; i++) this.append(init.#pairs[i][0], init.#pairs[i][1]);
      } else if (init[iterator] !== undefined && init[iterator] !== null) {
        for (const pair of init) {
          const items = isArray(pair) ? pair : [...pair];
          if (items.length !== 2) throw new TypeError("Each header must be a pair: [name, value]");
          this.append(items[0], items[1]);
        }
      } else {
        const names = objectKeys(init);
        for (let i = 0; i < names.length; i++) this.append(names[i], init[names[i]]);
      }
    }

    append(name, value) {
      args.require(arguments.length, "name", "value");
      name = nameOf(name);
      arrayPush(this.#pairs, [name, valueOf(name, value)]);
    }

    set(name, value) {
      args.require(arguments.length, "name", "value");
      name = nameOf(name);
      value = valueOf(name, value);
      this.delete(name);
      arrayPush(this.#pairs, [name, value]);
    }

    delete(name) {
      args.require(arguments.length, "name");
      name = nameOf(name);
      const kept = [];
      for (let i = 0; i < this.#pairs.length; i++) if (this.#pairs[i][0] !== name) arrayPush(kept, this.#pairs[i]);
      this.#pairs = kept;
    }

    get(name) {
      args.require(arguments.length, "name");
      const found = this.#all(nameOf(name));
      return found.length === 0 ? null : arrayJoin(found, ", ");
    }

    has(name) {
      args.require(arguments.length, "name");
      return this.#all(nameOf(name)).length > 0;
    }

    getSetCookie() {
      return this.#all("set-cookie");
    }

    #all(name) {
      const found = [];
      for (let i = 0; i < this.#pairs.length; i++) if (this.#pairs[i][0] === name) arrayPush(found, this.#pairs[i][1]);
      return found;
    }

    // Sorted, those of one name together; cookies each by itself.
    #sorted() {
      const names = [];
      const seen = { __proto__: null };
      for (let i = 0; i < this.#pairs.length; i++) {
        const name = this.#pairs[i][0];
        if (seen[name] === undefined) arrayPush(names, name);
        seen[name] = true;
      }
      arraySort(names);
      const sorted = [];
      for (let i = 0; i < names.length; i++) {
        const values = this.#all(names[i]);
        if (names[i] !== "set-cookie") arrayPush(sorted, [names[i], arrayJoin(values, ", ")]);
        else for (let at = 0; at < values.length; at++) arrayPush(sorted, [names[i], values[at]]);
      }
      return sorted;
    }

    forEach(callback, thisArg) {
      if (typeof callback !== "function") throw args.wrongType("callback", "of type function", callback);
      const sorted = this.#sorted();
      for (let i = 0; i < sorted.length; i++) primordials.reflectApply(callback, thisArg, [sorted[i][1], sorted[i][0], this]);
    }

    *entries() { yield* this.#sorted(); }
    *keys() { for (const pair of this.#sorted()) yield pair[0]; }
    *values() { for (const pair of this.#sorted()) yield pair[1]; }
    [iterator]() { return this.entries(); }

    [inspectCustom](depth, options) {
      const shown = {};
      const sorted = this.#sorted();
      for (let i = 0; i < sorted.length; i++) shown[sorted[i][0]] = sorted[i][1];
      return depth < 0 ? "[Headers]" : `Headers ${inspect(shown, options)}`;
    }
  }
  enumerable(Headers.prototype, "append set delete get has getSetCookie forEach entries keys values");
  tagged(Headers);

  define(globalThis, { Headers });
  return { headers: { Headers, isHeaders, pairsOf } };
};
