// crypto, as far as scripts without keys need it, and performance.

export default ({ native, primordials, args, bytesOf, kindOf, DOMException }) => {
  const { arrayPush, arrayJoin, define, numberToString, stringPadStart, stringToUpperCase, tagged, typedArraySet, typedArrayTag, typedArrayByteLength } = primordials;
  const { digest, elapsedMs, originMs, randomBytes } = native;
  const MAX_BYTES = 65_536;
  const ALGORITHMS = { __proto__: null, "SHA-1": true, "SHA-256": true, "SHA-384": true, "SHA-512": true };
  const NOT_INTEGERS = { __proto__: null, Float16Array: true, Float32Array: true, Float64Array: true };

  class Crypto {
    get subtle() { return subtle; }

    getRandomValues(array) {
      if (kindOf(array) !== "typedArray" || NOT_INTEGERS[typedArrayTag(array)]) {
        throw new DOMException("The data argument must be an integer-type TypedArray", "TypeMismatchError");
      }
      const bytes = bytesOf(array);
      const count = typedArrayByteLength(bytes);
      if (count > MAX_BYTES) {
        throw new DOMException(`The requested length exceeds ${numberToString(MAX_BYTES)} bytes`, "QuotaExceededError");
      }
      typedArraySet(bytes, randomBytes(count));
      return array;
    }

    // A version 4 UUID.
    randomUUID() {
      const bytes = randomBytes(16);
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      const parts = [];
      for (let i = 0; i < 16; i++) {
        if (i === 4 || i === 6 || i === 8 || i === 10) arrayPush(parts, "-");
        arrayPush(parts, stringPadStart(numberToString(bytes[i], 16), 2, "0"));
      }
      return arrayJoin(parts, "");
    }
  }
  tagged(Crypto);

  class SubtleCrypto {
    async digest(algorithm, data) {
      const name = stringToUpperCase(`${typeof algorithm === "object" && algorithm !== null ? algorithm.name : algorithm}`);
      if (ALGORITHMS[name] !== true) throw new DOMException("Unrecognized algorithm name", "NotSupportedError");
      const bytes = bytesOf(data);
      if (bytes === undefined) throw args.wrongType("data", "an instance of ArrayBuffer, TypedArray or DataView", data);
      return digest(name, bytes);
    }
  }
  tagged(SubtleCrypto);
  // Keys would have to live in the script, where nothing protects them.
  for (const name of ["encrypt", "decrypt", "sign", "verify", "generateKey", "importKey", "exportKey", "deriveKey", "deriveBits", "wrapKey", "unwrapKey"]) {
    define(SubtleCrypto.prototype, {
      async [name]() {
        throw new DOMException(`crypto.subtle.${name} is not available here: only digest is. Secrets belong to the tools' servers.`, "NotSupportedError");
      },
    });
  }
  const subtle = new SubtleCrypto();

  class Performance {
    get timeOrigin() { return originMs(); }
    now() { return elapsedMs(); }
    toJSON() { return { timeOrigin: originMs() }; }
  }
  tagged(Performance);

  define(globalThis, { crypto: new Crypto(), performance: new Performance(), Crypto, SubtleCrypto });
  return {};
};
