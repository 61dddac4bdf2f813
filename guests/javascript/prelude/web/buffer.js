// What files give where no encoding was asked for: bytes, with what scripts call on Node's Buffer. It is no global; `node:buffer` has it.

export default ({ bufferNumbers, bytesOf, native }) => {
  const NAMES = {
    __proto__: null, utf8: "utf-8", "utf-8": "utf-8", utf16le: "utf-16le", "utf-16le": "utf-16le", ucs2: "utf-16le", "ucs-2": "utf-16le",
    latin1: "latin1", binary: "latin1", ascii: "ascii", hex: "hex", base64: "base64", base64url: "base64url",
  };
  const { Object, RangeError, Symbol, TextEncoder, TypeError, Uint8Array, String, Math, atob, btoa } = globalThis;

  // The encoding that is meant, by one name.
  const encodingOf = (name) => {
    const encoding = NAMES[`${name}`.toLowerCase()];
    if (encoding === undefined) {
      throw Object.assign(new TypeError(`Unknown encoding: ${name}`), { code: "ERR_UNKNOWN_ENCODING" });
    }
    return encoding;
  };

  const PIECE = 8192;
  const binaryText = (bytes, mask) => {
    let text = "";
    for (let at = 0; at < bytes.length; at += PIECE) {
      const part = Array.from(bytes.subarray(at, at + PIECE), (byte) => byte & mask);
      text += String.fromCharCode(...part);
    }
    return text;
  };
  const binaryBytes = (text) => Uint8Array.from(text, (character) => character.charCodeAt(0));

  const textOf = (bytes, name = "utf8") => {
    const plain = bytesOf(bytes);
    switch (encodingOf(name)) {
      case "utf-8": return native.decode("utf-8", plain, false);
      case "utf-16le": return native.decode("utf-16le", plain.subarray(0, plain.length & ~1), false);
      case "ascii": return binaryText(plain, 0x7f);
      case "latin1": return binaryText(plain, 0xff);
      case "hex": return Array.from(plain, (byte) => byte.toString(16).padStart(2, "0")).join("");
      case "base64": return btoa(binaryText(plain, 0xff));
      default: return btoa(binaryText(plain, 0xff)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
    }
  };

  const encoder = new TextEncoder();
  // What Node reads of a text: to the first sign of the end, without other signs and what is no whole byte.
  const base64Of = (text) => {
    const read = /^[^=]*/.exec(text)[0].replace(/-/g, "+").replace(/_/g, "/").replace(/[^A-Za-z0-9+/]/g, "");
    return read.length % 4 === 1 ? read.slice(0, -1) : read;
  };
  const bytesOfText = (text, name = "utf8") => {
    switch (encodingOf(name)) {
      case "utf-8": return encoder.encode(text);
      case "utf-16le": {
        const bytes = new Uint8Array(text.length * 2);
        for (let at = 0; at < text.length; at++) {
          const unit = text.charCodeAt(at);
          bytes[2 * at] = unit & 0xff;
          bytes[2 * at + 1] = unit >> 8;
        }
        return bytes;
      }
      case "ascii":
      case "latin1": return binaryBytes(text);
      case "hex": {
        const pairs = /^(?:[0-9a-f]{2})*/i.exec(text)[0];
        return Uint8Array.from({ length: pairs.length / 2 }, (_, at) => Number.parseInt(pairs.slice(2 * at, 2 * at + 2), 16));
      }
      default: return binaryBytes(atob(base64Of(text)));
    }
  };

  class Buffer extends Uint8Array {
    static from(value, encodingOrOffset, length) {
      if (typeof value === "string") return asBuffer(bytesOfText(value, encodingOrOffset));
      if (value === null || typeof value !== "object") {
        const message = "The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object.";
        throw Object.assign(new TypeError(message), { code: "ERR_INVALID_ARG_TYPE" });
      }
      if (value instanceof ArrayBuffer) return new Buffer(value, encodingOrOffset, length);
      return asBuffer(new Uint8Array(value.type === "Buffer" ? value.data : value));
    }
    static alloc(size, fill = 0) {
      if (!(size >= 0)) throw Object.assign(new RangeError(`The value of "size" is out of range. Received ${size}`), { code: "ERR_OUT_OF_RANGE" });
      const made = new Buffer(size);
      return fill === 0 ? made : made.fill(fill);
    }
    static allocUnsafe(size) { return new Buffer(size); }
    static isBuffer(value) { return value instanceof Buffer; }
    static isEncoding(name) { return NAMES[`${name}`.toLowerCase()] !== undefined; }
    static byteLength(value, encoding) { return typeof value === "string" ? bytesOfText(value, encoding).length : value.byteLength; }
    static compare(one, other) {
      const length = Math.min(one.length, other.length);
      for (let at = 0; at < length; at++) {
        if (one[at] !== other[at]) return one[at] < other[at] ? -1 : 1;
      }
      return Math.sign(one.length - other.length);
    }
    static concat(list, total = list.reduce((sum, part) => sum + part.length, 0)) {
      const whole = new Buffer(total);
      let at = 0;
      for (const part of list) {
        const fits = part.length > total - at ? part.subarray(0, Math.max(total - at, 0)) : part;
        whole.set(fits, at);
        at += fits.length;
      }
      return whole;
    }
    toString(encoding, start = 0, end = this.length) {
      return textOf(start === 0 && end >= this.length ? this : this.subarray(start, end), encoding);
    }
    toJSON() { return { type: "Buffer", data: Array.from(this) }; }
    equals(other) { return this.length === other.length && this.every((byte, at) => byte === other[at]); }
    compare(other, otherStart = 0, otherEnd = other.length, start = 0, end = this.length) {
      return Buffer.compare(this.subarray(start, end), other.subarray(otherStart, otherEnd));
    }
    copy(target, targetStart = 0, start = 0, end = this.length) {
      const bytes = this.subarray(start, Math.min(end, start + Math.max(target.length - targetStart, 0)));
      if (bytes.length > 0) target.set(bytes, targetStart);
      return bytes.length;
    }
    slice(start, end) { return this.subarray(start, end); }
    fill(value, start = 0, end = this.length, encoding = "utf8") {
      if (typeof value === "number") return super.fill(value, start, end);
      const bytes = sought(value, encoding);
      for (let at = start; at < end; at++) this[at] = bytes.length === 0 ? 0 : bytes[(at - start) % bytes.length];
      return this;
    }
    indexOf(value, from = 0, encoding = "utf8") {
      if (typeof value === "number") return super.indexOf(value & 0xff, from);
      const bytes = sought(value, encoding);
      for (let at = from < 0 ? Math.max(this.length + from, 0) : from; at + bytes.length <= this.length; at++) {
        if (bytes.every((byte, i) => this[at + i] === byte)) return at;
      }
      return -1;
    }
    lastIndexOf(value, from = this.length, encoding = "utf8") {
      const bytes = typeof value === "number" ? [value & 0xff] : sought(value, encoding);
      for (let at = Math.min(from < 0 ? this.length + from : from, this.length - bytes.length); at >= 0; at--) {
        if (bytes.every((byte, i) => this[at + i] === byte)) return at;
      }
      return -1;
    }
    includes(value, from, encoding) { return this.indexOf(value, from, encoding) !== -1; }
    write(text, offset = 0, length = this.length - offset, encoding = "utf8") {
      const bytes = bytesOfText(text, encoding).subarray(0, Math.min(length, this.length - offset));
      this.set(bytes, offset);
      return bytes.length;
    }
  }
  const sought = (value, encoding) => (typeof value === "string" ? bytesOfText(value, encoding) : value);
  bufferNumbers(Buffer);
  // How the console shows it.
  const SHOWN = 50;
  const show = function () {
    const bytes = Array.from(this.subarray(0, SHOWN), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const more = this.length - SHOWN;
    return `<Buffer ${bytes}${more > 0 ? ` ... ${more} more byte${more === 1 ? "" : "s"}` : ""}>`;
  };
  Object.defineProperty(Buffer.prototype, Symbol.for("nodejs.util.inspect.custom"), { value: show, configurable: true, writable: true });
  const asBuffer = (bytes) => new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);

  return { Buffer, asBuffer, bytesOfText, encodingOf, textOf };
};
