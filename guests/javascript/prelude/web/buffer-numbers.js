// Numbers in bytes: what a Buffer reads and writes of each kind, with the first or the last byte first.

const KINDS = [
  ["UInt16", 2, "Uint16", 0, 0xffff], ["UInt32", 4, "Uint32", 0, 0xffffffff], ["Int16", 2, "Int16", -0x8000, 0x7fff], ["Int32", 4, "Int32", -0x80000000, 0x7fffffff],
  ["Float", 4, "Float32"], ["Double", 8, "Float64"], ["BigUInt64", 8, "BigUint64", 0n, 0xffffffffffffffffn], ["BigInt64", 8, "BigInt64", -0x8000000000000000n, 0x7fffffffffffffffn],
];
const SINGLE = [["UInt8", 1, "Uint8", 0, 0xff], ["Int8", 1, "Int8", -0x80, 0x7f]];

export default () => {
  const { DataView, Number, Object, RangeError, TypeError } = globalThis;
  const outOfRange = (name, range, received) =>
    Object.assign(new RangeError(`The value of "${name}" is out of range. It must be ${range}. Received ${received}`), { code: "ERR_OUT_OF_RANGE" });
  const viewOf = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  const checked = (buffer, offset, size) => {
    if (typeof offset !== "number") throw Object.assign(new TypeError('The "offset" argument must be of type number.'), { code: "ERR_INVALID_ARG_TYPE" });
    if (!Number.isInteger(offset) || offset < 0 || offset + size > buffer.length) {
      throw outOfRange("offset", `>= 0 and <= ${buffer.length - size}`, offset);
    }
    return offset;
  };
  // Puts them into the class.
  const bufferNumbers = (Buffer) => {
    const add = (name, method) => Object.defineProperty(Buffer.prototype, name, { value: method, configurable: true, writable: true });
    const both = (name, other, method) => {
      add(name, method);
      if (other !== name) add(other, method);
    };
    const addKind = ([kind, size, name, least, most], order) => {
      const isLittle = order === "LE";
      // Node has both `readUInt8` and `readUint8`.
      const other = kind.replace("UInt", "Uint");
      both(`read${kind}${order}`, `read${other}${order}`, function (offset = 0) {
        return viewOf(this)[`get${name}`](checked(this, offset, size), isLittle);
      });
      both(`write${kind}${order}`, `write${other}${order}`, function (value, offset = 0) {
        if (value < least || value > most) throw outOfRange("value", `>= ${least} and <= ${most}`, value);
        viewOf(this)[`set${name}`](checked(this, offset, size), value, isLittle);
        return offset + size;
      });
    };
    for (const kind of SINGLE) addKind(kind, "");
    for (const kind of KINDS) for (const order of ["BE", "LE"]) addKind(kind, order);

    // Whole numbers of one to six bytes.
    const assembled = (buffer, offset, size, order) => {
      const bytes = buffer.subarray(checked(buffer, offset, size), offset + size);
      return (order === "LE" ? bytes.toReversed() : bytes).reduce((number, byte) => number * 0x100 + byte, 0);
    };
    const laid = (buffer, value, offset, size, order) => {
      checked(buffer, offset, size);
      let rest = value < 0 ? value + 2 ** (8 * size) : value;
      for (let i = 0; i < size; i++) {
        buffer[order === "LE" ? offset + i : offset + size - 1 - i] = rest % 0x100;
        rest = (rest - (rest % 0x100)) / 0x100;
      }
      return offset + size;
    };
    for (const order of ["BE", "LE"]) {
      both(`readUInt${order}`, `readUint${order}`, function (offset, size) { return assembled(this, offset, size, order); });
      add(`readInt${order}`, function (offset, size) {
        const number = assembled(this, offset, size, order);
        return number < 2 ** (8 * size - 1) ? number : number - 2 ** (8 * size);
      });
      both(`writeUInt${order}`, `writeUint${order}`, function (value, offset, size) { return laid(this, value, offset, size, order); });
      add(`writeInt${order}`, function (value, offset, size) { return laid(this, value, offset, size, order); });
    }
  };
  return { bufferNumbers };
};
