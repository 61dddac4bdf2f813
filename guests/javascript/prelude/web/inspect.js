// Shows values as Node's console does: two levels deep, at most 100 entries of a list, and lines that fit. Beyond that, one
// value takes about 64 KiB of text at most, however it is nested.

export default ({ native, primordials, kindOf, text, layout, names, entries, errorBase }) => {
  const {
    arrayIncludes, arrayJoin, arrayPop, arrayPush, bigIntValueOf, booleanValueOf, dateGetTime, dateToISOString, define, isArray, mapGet, mapHas, mapSet,
    mapSize, numberIsNaN, numberValueOf, objectGetOwnPropertyDescriptor, objectGetOwnPropertyNames, objectGetOwnPropertySymbols,
    objectKeys, objectPropertyIsEnumerable, reflectApply, regExpExec, regExpFlags, regExpSource, setSize, stringIndexOf, stringRepeat, stringSlice, stringSplit, stringValueOf,
    symbolFor, symbolValueOf, typedArrayLength, typedArrayTag, Map,
  } = primordials;
  const MAX_TEXT = 65_536;
  const MAX_DEPTH = 100;
  // Listing the keys of a longer array, to find those that are not indices, costs more than they are worth.
  const MAX_KEYED_ARRAY = 10_000;
  const SHORTEST_SPLIT = 16;
  const custom = symbolFor("nodejs.util.inspect.custom");
  const isIndex = (key) => typeof key === "string" && regExpExec(/^(0|[1-9][0-9]*)$/, key) !== null;

  const LISTS = { __proto__: null, array: "Array", typedArray: "Uint8Array", set: "Set", map: "Map" };
  // Kinds that are a name with entries in braces.
  const NAMED = {
    __proto__: null, arrayBuffer: "ArrayBuffer", sharedArrayBuffer: "SharedArrayBuffer", dataView: "DataView", promise: "Promise", weakMap: "WeakMap", weakSet: "WeakSet",
  };
  const BOXED = {
    __proto__: null, number: { name: "Number", valueOf: numberValueOf }, string: { name: "String", valueOf: stringValueOf },
    boolean: { name: "Boolean", valueOf: booleanValueOf }, symbol: { name: "Symbol", valueOf: symbolValueOf },
    bigint: { name: "BigInt", valueOf: bigIntValueOf },
  };

  class Inspection {
    constructor(options) {
      this.depth = options.depth === null ? MAX_DEPTH : options.depth ?? 2;
      if (!(this.depth <= MAX_DEPTH)) this.depth = MAX_DEPTH;
      this.maxArrayLength = options.maxArrayLength === null ? Infinity : options.maxArrayLength ?? 100;
      this.maxStringLength = options.maxStringLength === null ? Infinity : options.maxStringLength ?? 10_000;
      this.breakLength = options.breakLength ?? 80;
      this.showHidden = options.showHidden ?? false;
      this.showProxy = options.showProxy ?? false;
      this.indentation = 0;
      this.deepest = 0;
      this.seen = [];
      this.circular = undefined;
      this.room = MAX_TEXT;
    }

    hasRoom() {
      return this.room > 0;
    }

    // Counts a text that goes into the result.
    spend(shown) {
      this.room -= shown.length;
      return shown;
    }

    value(value, level) {
      if (typeof value === "string") return this.string(value);
      if (value === null || (typeof value !== "object" && typeof value !== "function")) return this.spend(text.primitive(value));
      const kind = kindOf(value);
      if (kind === "proxy") return this.proxy(value, level);
      const own = this.customised(value, level);
      if (own !== undefined) return own;
      if (arrayIncludes(this.seen, value)) return this.spend(`[Circular *${this.reference(value)}]`);
      return this.object(value, kind, level);
    }

    // A value inside of another one's braces.
    indented(value, level, by = 2) {
      this.indentation += by;
      const shown = this.value(value, level);
      this.indentation -= by;
      return shown;
    }

    string(value) {
      let trailer = "";
      if (value.length > this.maxStringLength) {
        const rest = value.length - this.maxStringLength;
        value = stringSlice(value, 0, this.maxStringLength);
        trailer = `... ${rest} more character${rest > 1 ? "s" : ""}`;
      }
      if (value.length > SHORTEST_SPLIT && value.length > this.breakLength - this.indentation - 4 && stringIndexOf(value, "\n") !== -1) {
        const lines = stringSplit(value, "\n");
        const parts = [];
        for (let i = 0; i < lines.length; i++) {
          const isLast = i === lines.length - 1;
          if (!isLast || lines[i] !== "") arrayPush(parts, text.quoted(isLast ? lines[i] : `${lines[i]}\n`));
        }
        return this.spend(arrayJoin(parts, ` +\n${stringRepeat(" ", this.indentation + 2)}`) + trailer);
      }
      return this.spend(text.quoted(value) + trailer);
    }

    proxy(value, level) {
      const parts = native.proxyParts(value);
      if (!isArray(parts)) return this.spend("<Revoked Proxy>");
      if (!this.showProxy) return this.value(this.target(parts[0]), level);
      if (level > this.depth) return this.spend("Proxy [Array]");
      const shown = [this.indented(parts[0], level + 1), this.indented(parts[1], level + 1)];
      return this.join(shown, { base: "", open: "Proxy [", close: "]", isList: true }, level + 1);
    }

    // What is behind all proxies, or the revoked one that hides it.
    target(value) {
      let parts;
      while (kindOf(value) === "proxy" && isArray(parts = native.proxyParts(value))) value = parts[0];
      return value;
    }

    // What the object's own `[nodejs.util.inspect.custom]` method says, or undefined.
    customised(value, level) {
      const method = value[custom];
      if (typeof method !== "function" || method === inspect) return undefined;
      const depth = this.depth - level;
      const shown = reflectApply(method, value, [depth, this.options(depth), inspect]);
      if (shown === value) return undefined;
      if (typeof shown === "object" && shown !== null) return this.value(shown, level);
      return this.spend(arrayJoin(stringSplit(`${shown}`, "\n"), `\n${stringRepeat(" ", this.indentation)}`));
    }

    options(depth) {
      const { maxArrayLength, maxStringLength, breakLength, showHidden, showProxy } = this;
      return { depth, maxArrayLength, maxStringLength, breakLength, showHidden, showProxy, stylize: (shown) => `${shown}` };
    }

    // The number of an object that contains itself.
    reference(value) {
      this.circular ??= new Map();
      if (!mapHas(this.circular, value)) mapSet(this.circular, value, mapSize(this.circular) + 1);
      return mapGet(this.circular, value);
    }

    object(value, kind, level) {
      const tag = names.tagOf(value);
      const engineName = kind === "error" ? "Error" : typeof value === "function" ? "Function" : LISTS[kind] ?? NAMED[kind] ?? "Object";
      const constructor = names.constructorName(value, engineName, (prototype) => inspect(prototype, { depth: -1 }));
      const shape = this.shape(value, kind, constructor, tag);
      if (typeof shape === "string") return this.spend(shape);
      if (level > this.depth) {
        const title = stringSlice(names.prefix(constructor, tag, engineName === "Uint8Array" ? typedArrayTag(value) : engineName), 0, -1);
        return this.spend(constructor === null ? title : `[${title}]`);
      }
      return this.braced(value, shape, level + 1);
    }

    // The entries and properties of an object, in its braces.
    braced(value, shape, level) {
      arrayPush(this.seen, value);
      this.deepest = level;
      const shown = shape.entries(this, value, level);
      for (let i = 0; i < shape.keys.length; i++) {
        if (!this.hasRoom()) {
          arrayPush(shown, entries.more(shape.keys.length - i, "property", "properties"));
          break;
        }
        arrayPush(shown, this.property(value, shape.keys[i], level));
      }
      arrayPop(this.seen);
      if (this.circular !== undefined && mapHas(this.circular, value)) {
        const reference = `<ref *${mapGet(this.circular, value)}>`;
        shape.base = shape.base === "" ? reference : `${reference} ${shape.base}`;
      }
      return this.spendFrame(shown, this.join(shown, shape, level, value));
    }

    // Counts what the braces and the indentation add to texts that were counted already.
    spendFrame(shown, joined) {
      let inner = 0;
      for (let i = 0; i < shown.length; i++) inner += shown[i].length;
      this.room -= joined.length - inner;
      return joined;
    }

    join(shown, { base, open, close, isList }, level, value) {
      return layout.joined(shown, {
        base, open, close, isList,
        more: shown.length > this.maxArrayLength,
        inner: this.deepest - level,
        breakLength: this.breakLength,
        indentation: this.indentation,
        isNumeric: isList && value !== undefined && this.isNumeric(value, shown.length),
      });
    }

    isNumeric(list, count) {
      for (let i = 0; i < count; i++) {
        const { value } = objectGetOwnPropertyDescriptor(list, i) ?? {};
        if (typeof value !== "number" && typeof value !== "bigint") return false;
      }
      return true;
    }

    // How to show the object: its text as a whole, or what stands around its entries and which properties follow them.
    shape(value, kind, constructor, tag) {
      const plain = { base: "", open: "{", close: "}", isList: false, keys: [], entries: entries.none };
      if (LISTS[kind] !== undefined) return this.listShape(plain, value, kind, constructor, tag);
      const keys = this.keysOf(value, kind);
      plain.keys = keys;
      // A built-in object that was given the prototype of plain ones is shown as one of them.
      const isDisguised = constructor === "Object" && kind !== "arguments" && typeof value !== "function";
      if (NAMED[kind] !== undefined && !isDisguised) {
        plain.open = `${names.prefix(constructor, tag, NAMED[kind])}{`;
        plain.entries = kind === "weakMap" || kind === "weakSet" ? entries.weak : entries[kind];
        return plain;
      }
      if (!isDisguised) plain.base = this.base(value, kind, constructor, tag, keys);
      if (plain.base !== "") return keys.length === 0 ? plain.base : plain;
      if (kind === "arguments") plain.open = "[Arguments] {";
      else if (kind === "namespace") plain.open = `${names.prefix(constructor, tag, "Module")}{`;
      else if (constructor !== "Object" || tag !== "") plain.open = `${names.prefix(constructor, tag, "Object")}{`;
      return keys.length === 0 ? `${plain.open}}` : plain;
    }

    listShape(shape, value, kind, constructor, tag) {
      const isSequence = kind === "array" || kind === "typedArray";
      const count = kind === "array" ? value.length : kind === "set" ? setSize(value) : kind === "map" ? mapSize(value) : typedArrayLength(value);
      const isPlain = kind === "array" && constructor === "Array" && tag === "";
      const fallback = kind === "typedArray" ? typedArrayTag(value) : LISTS[kind];
      const prefix = isPlain ? "" : names.prefix(constructor, tag, fallback, `(${count})`);
      shape.keys = isSequence && count > MAX_KEYED_ARRAY ? [] : this.keysOf(value, kind);
      shape.open = prefix + (isSequence ? "[" : "{");
      shape.close = isSequence ? "]" : "}";
      shape.isList = isSequence;
      shape.entries = entries[kind];
      return count === 0 && shape.keys.length === 0 ? shape.open + shape.close : shape;
    }

    // The properties to list. The indices of arrays and strings are entries, not properties.
    keysOf(value, kind) {
      const found = this.showHidden ? objectGetOwnPropertyNames(value) : objectKeys(value);
      const symbols = objectGetOwnPropertySymbols(value);
      const skipsIndices = kind === "array" || kind === "typedArray" || kind === "string";
      const keys = [];
      for (let i = 0; i < found.length; i++) {
        if (!(skipsIndices && isIndex(found[i]))) arrayPush(keys, found[i]);
      }
      for (let i = 0; i < symbols.length; i++) {
        if (this.showHidden || objectPropertyIsEnumerable(value, symbols[i])) arrayPush(keys, symbols[i]);
      }
      return keys;
    }

    // What stands before the braces, and stands alone if there are no properties; "" for ordinary objects.
    base(value, kind, constructor, tag, keys) {
      if (typeof value === "function") return names.functionBase(value, constructor, tag);
      if (kind === "error" || kind === "domException" || names.isErrorLike(value)) return errorBase(value, constructor, tag, keys, this.indentation);
      if (kind === "regexp" || kind === "date") {
        const shown = kind === "regexp" ? this.regExp(value) : numberIsNaN(dateGetTime(value)) ? "Invalid Date" : dateToISOString(value);
        const name = kind === "regexp" ? "RegExp" : "Date";
        const prefix = names.prefix(constructor, tag, name);
        return prefix === `${name} ` ? shown : prefix + shown;
      }
      if (kind === "temporal") return this.temporal(value, constructor, tag);
      return BOXED[kind] === undefined ? "" : this.boxed(value, constructor, tag, BOXED[kind]);
    }

    regExp(value) {
      try {
        return `/${regExpSource(value)}/${regExpFlags(value)}`;
      } catch {
        return "[RegExp]";
      }
    }

    // A value of Temporal as its text, after the name of its class.
    temporal(value, constructor, tag) {
      const shown = `<${native.temporal.text(value, { __proto__: null }, undefined)}>`;
      return tag === `Temporal.${constructor}` ? `${tag} ${shown}` : names.prefix(constructor, tag, "Temporal") + shown;
    }

    boxed(value, constructor, tag, { name, valueOf }) {
      let shown = `[${name}`;
      if (name !== constructor) shown += constructor === null ? " (null prototype)" : ` (${constructor})`;
      const inner = valueOf(value);
      shown += `: ${typeof inner === "string" ? text.quoted(inner) : text.primitive(inner)}]`;
      return tag !== "" && tag !== constructor ? `${shown} [${tag}]` : shown;
    }

    // One property: `name: value`, or the value alone for an entry of a list.
    property(object, key, level, isEntry = false) {
      const descriptor = objectGetOwnPropertyDescriptor(object, key);
      let shown;
      if (descriptor === undefined) shown = "undefined";
      else if (descriptor.get !== undefined) shown = descriptor.set === undefined ? "[Getter]" : "[Getter/Setter]";
      else if (descriptor.set !== undefined) shown = "[Setter]";
      else shown = this.indented(descriptor.value, level);
      if (isEntry) return shown;
      const name = text.key(key, descriptor === undefined || descriptor.enumerable);
      this.spend(name);
      return `${name}: ${shown}`;
    }
  }

  const inspect = (value, options) => new Inspection(options ?? {}).value(value, 0);
  define(inspect, { custom });

  return { inspect, inspectCustom: custom };
};
