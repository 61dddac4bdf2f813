// What the console calls an object: its class, the class's tag, or that it has no prototype.

export default ({ primordials, kindOf }) => {
  const {
    functionHasInstance, functionToString, objectGetOwnPropertyDescriptor, objectGetPrototypeOf, objectHasOwnProperty,
    objectPropertyIsEnumerable, stringEndsWith, stringIncludes, stringIndexOf, stringSlice, stringStartsWith,
  } = primordials;
  const MAX_CHAIN = 100;

  // The value of a data property, or undefined; runs no getter.
  const ownValue = (object, name) => objectGetOwnPropertyDescriptor(object, name)?.value;

  // The name of the nearest constructor, or null if the object has no prototype. `engineName` stands for a constructor
  // that can't be found; `showPrototype` renders a prototype without one.
  const constructorName = (object, engineName, showPrototype) => {
    let first;
    let current = object;
    for (let i = 0; current !== null && i < MAX_CHAIN; i++) {
      if (kindOf(current) === "proxy") break;
      const constructor = ownValue(current, "constructor");
      if (typeof constructor === "function" && kindOf(constructor) !== "proxy") {
        const name = ownValue(constructor, "name");
        if (typeof name === "string" && name !== "" && functionHasInstance(constructor, object)) return name;
      }
      current = objectGetPrototypeOf(current);
      if (first === undefined) first = current;
    }
    if (first === null) return null;
    return `${engineName} <${showPrototype(first)}>`;
  };

  // The tag that `Object.prototype.toString` would show; "" if there is none, or if it will be listed as a property.
  const tagOf = (object) => {
    try {
      const tag = object[Symbol.toStringTag];
      if (typeof tag !== "string" || tag === "") return "";
      return objectPropertyIsEnumerable(object, Symbol.toStringTag) ? "" : tag;
    } catch {
      return "";
    }
  };

  const prefix = (constructor, tag, fallback, size = "") => {
    if (constructor === null) {
      return tag !== "" && fallback !== tag ? `[${fallback}${size}: null prototype] [${tag}] ` : `[${fallback}${size}: null prototype] `;
    }
    return tag !== "" && constructor !== tag ? `${constructor}${size} [${tag}] ` : `${constructor}${size} `;
  };

  const isClass = (source) => {
    if (!stringStartsWith(source, "class") || !stringEndsWith(source, "}")) return false;
    const head = stringSlice(source, 5, stringIndexOf(source, "{"));
    return !stringIncludes(head, "(") || stringIncludes(head, "extends");
  };

  // Whether the object inherits from Error without being made by it.
  const isErrorLike = (value) => {
    try {
      return functionHasInstance(primordials.Error, value);
    } catch {
      return false;
    }
  };

  const nameOf = (callable) => {
    const name = ownValue(callable, "name");
    return typeof name === "string" ? name : "";
  };

  const classBase = (value, constructor, tag) => {
    let base = `class ${(objectHasOwnProperty(value, "name") && nameOf(value)) || "(anonymous)"}`;
    if (constructor !== "Function" && constructor !== null) base += ` [${constructor}]`;
    if (tag !== "" && constructor !== tag) base += ` [${tag}]`;
    if (constructor === null) return `[${base} extends [null prototype]]`;
    const parent = objectGetPrototypeOf(value);
    const superName = parent === null || kindOf(parent) === "proxy" ? "" : nameOf(parent);
    return superName === "" ? `[${base}]` : `[${base} extends ${superName}]`;
  };

  const FUNCTION_TYPES = {
    __proto__: null,
    generatorFunction: "GeneratorFunction",
    asyncFunction: "AsyncFunction",
    asyncGeneratorFunction: "AsyncGeneratorFunction",
  };

  // A function without its properties: `[Function: name]`, `[class A extends B]`.
  const functionBase = (value, constructor, tag) => {
    if (isClass(functionToString(value))) return classBase(value, constructor, tag);
    const type = FUNCTION_TYPES[kindOf(value)] ?? "Function";
    const name = nameOf(value);
    let base = `[${type}`;
    if (constructor === null) base += " (null prototype)";
    base += name === "" ? " (anonymous)]" : `: ${name}]`;
    if (constructor !== type && constructor !== null) base += ` ${constructor}`;
    if (tag !== "" && constructor !== tag) base += ` [${tag}]`;
    return base;
  };

  return { names: { constructorName, isErrorLike, tagOf, prefix, functionBase, ownValue } };
};
