// What the console shows between the braces of each kind of object, besides its own properties. Each function takes the
// inspection under way, the object and the level below it, and gives a list of texts.

export default ({ native, primordials, text }) => {
  const {
    arrayBufferByteLength, arrayPush, dataViewBuffer, dataViewByteLength, dataViewByteOffset, isArray, mapForEach, mapSize, mathMin, numberToString,
    objectHasOwnProperty, objectKeys, setForEach, setSize, sharedArrayBufferByteLength, stringPadStart, typedArrayLength, Uint8Array,
  } = primordials;

  const LONG_RUN = 1000;

  const more = (count, one = "item", many = `${one}s`) => `... ${count} more ${count > 1 ? many : one}`;

  // How many of `count` entries to show, and after them the note about the others.
  const limited = (inspection, count, entryAt) => {
    const entries = [];
    const shown = mathMin(count, inspection.maxArrayLength);
    let i = 0;
    while (i < shown && inspection.hasRoom()) arrayPush(entries, entryAt(i++));
    if (i < count) arrayPush(entries, more(count - i));
    return entries;
  };

  // Where a run of holes ends. A long one is not walked through: its end is the next key.
  const holesEnd = (list, from, length) => {
    let i = from;
    for (; i < length && i < from + LONG_RUN; i++) if (objectHasOwnProperty(list, i)) return i;
    if (i === length) return length;
    const keys = objectKeys(list);
    for (let k = 0; k < keys.length; k++) if (+keys[k] >= i && +keys[k] < length) return +keys[k];
    return length;
  };

  // Holes take one entry for each run of them.
  const array = (inspection, list, level) => {
    const entries = [];
    const { length } = list;
    let i = 0;
    while (i < length && entries.length < inspection.maxArrayLength && inspection.hasRoom()) {
      if (objectHasOwnProperty(list, i)) {
        arrayPush(entries, inspection.property(list, numberToString(i), level, true));
        i++;
        continue;
      }
      const start = i;
      i = holesEnd(list, start, length);
      arrayPush(entries, `<${i - start} empty item${i - start > 1 ? "s" : ""}>`);
    }
    if (i < length) arrayPush(entries, more(length - i));
    return entries;
  };

  const typedArray = (inspection, list) =>
    limited(inspection, typedArrayLength(list), (i) => inspection.spend(text.primitive(list[i])));

  const set = (inspection, collection, level) => {
    const entries = [];
    const size = setSize(collection);
    let i = 0;
    setForEach(collection, (value) => {
      if (i < inspection.maxArrayLength && inspection.hasRoom()) {
        arrayPush(entries, inspection.indented(value, level));
        i++;
      }
    });
    if (i < size) arrayPush(entries, more(size - i));
    return entries;
  };

  const map = (inspection, collection, level) => {
    const entries = [];
    const size = mapSize(collection);
    let i = 0;
    mapForEach(collection, (value, key) => {
      if (i < inspection.maxArrayLength && inspection.hasRoom()) {
        arrayPush(entries, `${inspection.indented(key, level)} => ${inspection.indented(value, level)}`);
        i++;
      }
    });
    if (i < size) arrayPush(entries, more(size - i));
    return entries;
  };

  const bytesOf = (buffer, length, inspection) => {
    const shown = mathMin(length, inspection.maxArrayLength);
    const bytes = new Uint8Array(buffer, 0, shown);
    let contents = "";
    for (let i = 0; i < shown; i++) contents += (i > 0 ? " " : "") + stringPadStart(numberToString(bytes[i], 16), 2, "0");
    if (length > shown) contents += ` ${more(length - shown, "byte")}`;
    return [`[Uint8Contents]: <${contents}>`, `byteLength: ${length}`];
  };
  const arrayBuffer = (inspection, buffer) => bytesOf(buffer, arrayBufferByteLength(buffer), inspection);
  const sharedArrayBuffer = (inspection, buffer) => bytesOf(buffer, sharedArrayBufferByteLength(buffer), inspection);

  const dataView = (inspection, view, level) => [
    `byteLength: ${dataViewByteLength(view)}`,
    `byteOffset: ${dataViewByteOffset(view)}`,
    `buffer: ${inspection.indented(dataViewBuffer(view), level)}`,
  ];

  const promise = (inspection, value, level) => {
    const state = native.promiseState(value);
    if (!isArray(state)) return ["<pending>"];
    const shown = inspection.indented(state[1], level);
    return [state[0] ? shown : `<rejected> ${shown}`];
  };

  const weak = () => ["<items unknown>"];

  return {
    entries: {
      none: () => [], array, typedArray, set, map, arrayBuffer, sharedArrayBuffer, dataView, promise, weak, more,
    },
  };
};
