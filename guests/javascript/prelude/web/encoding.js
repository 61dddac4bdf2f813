// TextEncoder and TextDecoder. Decoders know UTF-8, UTF-16 and, as the web has it, windows-1252 for Latin-1.

export default ({ native, primordials, args, kindOf }) => {
  const {
    arrayBufferByteLength, define, enumerable, isView, sharedArrayBufferByteLength, stringCodePointAt, stringToLowerCase, stringToWellFormed, stringTrim, tagged,
    typedArrayBuffer, typedArrayByteLength, typedArrayByteOffset, typedArraySet, dataViewBuffer, dataViewByteLength, dataViewByteOffset,
    stringCharCodeAt, stringSlice, Boolean, RangeError, TypeError, Uint8Array,
  } = primordials;

  // The bytes of a buffer or view as a Uint8Array over the same memory, or undefined for anything else.
  const bytesOf = (source) => {
    const kind = kindOf(source);
    if (kind === "arrayBuffer") return new Uint8Array(source, 0, arrayBufferByteLength(source));
    if (kind === "sharedArrayBuffer") return new Uint8Array(source, 0, sharedArrayBufferByteLength(source));
    if (!isView(source)) return undefined;
    if (kind === "dataView") return new Uint8Array(dataViewBuffer(source), dataViewByteOffset(source), dataViewByteLength(source));
    return new Uint8Array(typedArrayBuffer(source), typedArrayByteOffset(source), typedArrayByteLength(source));
  };

  // What `subarray` gives, but of no other class.
  const part = (bytes, start, end) => new Uint8Array(typedArrayBuffer(bytes), typedArrayByteOffset(bytes) + start, end - start);

  class TextEncoder {
    get encoding() { return "utf-8"; }

    encode(text = "") {
      return native.encodeUtf8(stringToWellFormed(`${text}`));
    }

    encodeInto(text, target) {
      if (!(kindOf(target) === "typedArray" && target instanceof Uint8Array)) {
        throw args.wrongType("dest", "an instance of Uint8Array", target);
      }
      text = stringToWellFormed(`${text}`);
      const room = typedArrayByteLength(target);
      let read = 0;
      let written = 0;
      while (read < text.length) {
        const code = stringCodePointAt(text, read);
        const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        if (written + size > room) break;
        written += size;
        read += code < 0x10000 ? 1 : 2;
      }
      typedArraySet(target, native.encodeUtf8(stringSlice(text, 0, read)));
      return { read, written };
    }
  }
  enumerable(TextEncoder.prototype, "encoding encode encodeInto");
  tagged(TextEncoder);

  const LABELS = { __proto__: null };
  const label = (encoding, names) => { for (const name of names.split(" ")) LABELS[name] = encoding; };
  label("utf-8", "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8");
  label("utf-16le", "utf-16le utf-16 ucs-2 unicode csunicode iso-10646-ucs-2 unicodefeff");
  label("utf-16be", "utf-16be unicodefffe");
  label("windows-1252", "windows-1252 latin1 l1 ascii us-ascii iso-8859-1 iso8859-1 iso88591 iso_8859-1 cp1252 x-cp1252 cp819 ibm819 ansi_x3.4-1968 csisolatin1 iso-ir-100");

  const isContinuation = (byte) => (byte & 0xc0) === 0x80;

  // How many bytes at the end begin a character that may be completed by the next chunk.
  const openUtf8 = (bytes, length) => {
    for (let back = 1; back <= 3 && back <= length; back++) {
      const byte = bytes[length - back];
      if (isContinuation(byte)) continue;
      const size = byte >= 0xf0 && byte <= 0xf4 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
      if (byte > 0xf4 || size <= back) return 0;
      if (back > 1 && !canFollow(byte, bytes[length - back + 1])) return 0;
      return back;
    }
    return 0;
  };
  const canFollow = (lead, byte) => {
    if (lead === 0xe0) return byte >= 0xa0;
    if (lead === 0xed) return byte < 0xa0;
    if (lead === 0xf0) return byte >= 0x90;
    return lead !== 0xf4 || byte < 0x90;
  };
  const openUtf16 = (bytes, length, high) => {
    const odd = length % 2;
    if (length - odd < 2) return odd;
    const lead = bytes[length - odd - 2 + high];
    return lead >= 0xd8 && lead <= 0xdb ? odd + 2 : odd;
  };

  class TextDecoder {
    #encoding;
    #fatal;
    #ignoreBOM;
    // Bytes of an unfinished character, and whether the text's beginning has been seen.
    #rest = new Uint8Array(0);
    #hasBegun = false;

    constructor(name = "utf-8", options) {
      const encoding = LABELS[stringToLowerCase(stringTrim(`${name}`))];
      if (encoding === undefined) {
        throw args.coded(new RangeError(`The "${name}" encoding is not supported`), "ERR_ENCODING_NOT_SUPPORTED");
      }
      this.#encoding = encoding;
      this.#fatal = Boolean(options?.fatal);
      this.#ignoreBOM = Boolean(options?.ignoreBOM);
    }

    get encoding() { return this.#encoding; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }

    decode(input, options) {
      let bytes = input === undefined ? new Uint8Array(0) : bytesOf(input);
      if (bytes === undefined) {
        throw args.coded(new TypeError('The "list" argument must be an instance of SharedArrayBuffer, ArrayBuffer or ArrayBufferView.'), "ERR_INVALID_ARG_TYPE");
      }
      const restLength = typedArrayByteLength(this.#rest);
      if (restLength > 0) {
        const whole = new Uint8Array(restLength + typedArrayByteLength(bytes));
        typedArraySet(whole, this.#rest);
        typedArraySet(whole, bytes, restLength);
        bytes = whole;
      }
      const isStream = Boolean(options?.stream);
      const length = typedArrayByteLength(bytes);
      const end = isStream ? length - this.#open(bytes, length) : length;
      const text = native.decode(this.#encoding, part(bytes, 0, end), this.#fatal);
      this.#rest = isStream ? new Uint8Array(part(bytes, end, length)) : new Uint8Array(0);
      return this.#begun(text, isStream);
    }

    #open(bytes, length) {
      if (this.#encoding === "utf-8") return openUtf8(bytes, length);
      return this.#encoding === "windows-1252" ? 0 : openUtf16(bytes, length, this.#encoding === "utf-16le" ? 1 : 0);
    }

    // Takes the byte order mark away from the text's beginning.
    #begun(text, isStream) {
      if (text === undefined) {
        this.#hasBegun = false;
        throw args.coded(new TypeError(`The encoded data was not valid for encoding ${this.#encoding}`), "ERR_ENCODING_INVALID_ENCODED_DATA");
      }
      const isFirst = !this.#hasBegun;
      this.#hasBegun = isStream && (this.#hasBegun || text !== "");
      const hasMark = isFirst && !this.#ignoreBOM && this.#encoding !== "windows-1252" && text !== "" && stringCharCodeAt(text, 0) === 0xfeff;
      return hasMark ? stringSlice(text, 1) : text;
    }
  }
  enumerable(TextDecoder.prototype, "encoding fatal ignoreBOM decode");
  tagged(TextDecoder);

  define(globalThis, { TextEncoder, TextDecoder });
  return { bytesOf };
};
