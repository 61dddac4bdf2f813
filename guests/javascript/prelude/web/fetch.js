// fetch and what it gives. The host makes the requests: they are calls of `$fetch` of the server `outbound`, if that is granted. Without it,
// fetch says what to use instead.

export default ({ native, primordials, args, headers, bytesOf, bytesOfText, textOf, inspect, inspectCustom }) => {
  const {
    arrayBufferSlice, arrayCopy, define, enumerable, reflectApply, stringCharCodeAt, stringSlice, stringToWellFormed, tagged,
    typedArrayBuffer, typedArrayByteLength, typedArrayByteOffset, Error, TypeError, Uint8Array,
  } = primordials;
  const { Headers, pairsOf } = headers;
  const { asyncIterator, iterator } = Symbol;
  const { URLSearchParams } = globalThis;
  const { toString: queryOf } = URLSearchParams.prototype;
  const { parse, stringify } = JSON;
  const { reject } = Promise;
  const PromiseOf = Promise;
  const { then } = Promise.prototype;
  const { fromBase64, prototype: { toBase64 } } = Uint8Array;
  const TOKEN = {};

  const rejected = (error) => reflectApply(reject, PromiseOf, [error]);
  const isParams = (value) => value instanceof URLSearchParams;

  // A body as it is sent, and what it is: a text, bytes, or nothing.
  const bodyOf = (body) => {
    if (body === undefined || body === null) return [undefined, undefined];
    if (typeof body === "string") return [stringToWellFormed(body), "text/plain;charset=UTF-8"];
    if (isParams(body)) return [reflectApply(queryOf, body, []), "application/x-www-form-urlencoded;charset=UTF-8"];
    if (typeof body !== "object") return [`${body}`, "text/plain;charset=UTF-8"];
    const bytes = bytesOf(body);
    if (bytes !== undefined) return [new Uint8Array(arrayBufferSlice(typedArrayBuffer(bytes), typedArrayByteOffset(bytes), typedArrayByteOffset(bytes) + typedArrayByteLength(bytes))), undefined];
    throw new TypeError("A body is a text, URLSearchParams, or bytes; for an object, write JSON.stringify(object)");
  };
  const absent = (name, instead) => new TypeError(`${name} is not available here: ${instead}`);

  let answered;

  class Response {
    #status = 200;
    #statusText = "";
    #headers;
    #url = "";
    #redirected = false;
    // A text, bytes, or nothing.
    #body;
    #used = false;
    #isError = false;

    static {
      answered = (answer) => {
        const response = new Response(TOKEN);
        response.#status = answer.status;
        response.#statusText = answer.statusText;
        response.#headers = new Headers(answer.headers);
        response.#url = answer.url;
        response.#redirected = answer.redirected;
        response.#body = answer.base64 === undefined ? answer.body : reflectApply(fromBase64, Uint8Array, [answer.base64]);
        return response;
      };
    }

    constructor(body = undefined, init = undefined) {
      if (body === TOKEN) return;
      const [sent, type] = bodyOf(body);
      this.#body = sent;
      this.#status = init?.status ?? 200;
      this.#statusText = `${init?.statusText ?? ""}`;
      this.#headers = new Headers(init?.headers);
      if (type !== undefined && !this.#headers.has("content-type")) this.#headers.set("content-type", type);
    }

    static error() {
      const response = new Response();
      response.#status = 0;
      response.#isError = true;
      return response;
    }
    static json(value, init = undefined) {
      const response = new Response(stringify(value), init);
      if (new Headers(init?.headers).get("content-type") === null) response.#headers.set("content-type", "application/json");
      return response;
    }

    get ok() { return this.#status >= 200 && this.#status <= 299; }
    get status() { return this.#status; }
    get statusText() { return this.#statusText; }
    get headers() { return this.#headers; }
    get url() { return this.#url; }
    get redirected() { return this.#redirected; }
    get type() { return this.#isError ? "error" : this.#url === "" ? "default" : "basic"; }
    get bodyUsed() { return this.#used; }

    // All of the body is here: it is one piece.
    get body() {
      if (this.#body === undefined) return null;
      const take = () => this.#bytes();
      let isRead = this.#used;
      const read = async () => {
        if (isRead) return { value: undefined, done: true };
        isRead = true;
        const value = take();
        return value.length === 0 ? { value: undefined, done: true } : { value, done: false };
      };
      const pieces = () => ({ next: read, return: async () => ({ value: undefined, done: true }), [asyncIterator]() { return this; } });
      const done = async () => {};
      return {
        [asyncIterator]: pieces,
        values: pieces,
        getReader: () => ({ read, releaseLock() {}, cancel: done }),
        cancel: done,
        pipeThrough() { throw absent("pipeThrough", "use await response.text(), or response.bytes()"); },
        pipeTo() { throw absent("pipeTo", "use await response.text(), or response.bytes()"); },
      };
    }

    #take() {
      if (this.#used) throw new TypeError("The body was read already; keep it in a variable, or read response.clone()");
      this.#used = this.#body !== undefined;
      return this.#body;
    }

    #bytes() {
      const body = this.#take();
      return typeof body === "string" ? new Uint8Array(bytesOfText(body, "utf8")) : body ?? new Uint8Array(0);
    }

    async text() {
      const body = this.#take();
      const text = typeof body === "string" ? body : body === undefined ? "" : textOf(body, "utf8");
      return stringCharCodeAt(text, 0) === 0xfeff ? stringSlice(text, 1) : text;
    }

    async json() {
      const text = await this.text();
      try {
        return parse(text);
      } catch (error) {
        const type = this.#headers?.get("content-type");
        const told = type === null ? "" : `, ${type}`;
        throw new SyntaxErrorOf(`The response of ${this.#url || "no URL"} (${this.#status}${told}) is not JSON: ${error.message}; it begins with ${inspect(stringSlice(text, 0, 100))}`);
      }
    }

    async bytes() { return this.#bytes(); }
    async arrayBuffer() {
      const bytes = this.#bytes();
      const start = typedArrayByteOffset(bytes);
      return arrayBufferSlice(typedArrayBuffer(bytes), start, start + typedArrayByteLength(bytes));
    }
    async blob() { throw absent("blob()", "use await response.bytes()"); }
    async formData() { throw absent("formData()", "use new URLSearchParams(await response.text())"); }

    clone() {
      if (this.#used) throw new TypeError("The body was read already: clone a response before that");
      const copy = new Response(TOKEN);
      copy.#status = this.#status;
      copy.#statusText = this.#statusText;
      copy.#headers = new Headers(this.#headers);
      copy.#url = this.#url;
      copy.#redirected = this.#redirected;
      copy.#body = this.#body;
      return copy;
    }

    [inspectCustom](depth, options) {
      const { status, statusText, headers, ok, redirected, url, bodyUsed } = this;
      return depth < 0 ? "[Response]" : `Response ${inspect({ status, statusText, headers, ok, redirected, url, bodyUsed }, options)}`;
    }
  }
  const SyntaxErrorOf = SyntaxError;
  enumerable(Response.prototype, "ok status statusText headers url redirected type bodyUsed body text json bytes arrayBuffer blob formData clone");
  tagged(Response);

  // What `$fetch` takes.
  const askedOf = (input, init) => {
    const asked = { __proto__: null, url: stringToWellFormed(`${input}`) };
    const sent = new Headers(init?.headers);
    const [body, type] = bodyOf(init?.body);
    if (typeof body === "string") asked.body = body;
    else if (body !== undefined) asked.base64 = reflectApply(toBase64, body, []);
    if (type !== undefined && !sent.has("content-type")) sent.set("content-type", type);
    const pairs = pairsOf(sent);
    if (pairs.length > 0) asked.headers = arrayCopy(pairs);
    if (init?.method !== undefined) asked.method = `${init.method}`;
    if (init?.redirect !== undefined) asked.redirect = `${init.redirect}`;
    return asked;
  };

  // Filled in where tools are known.
  const outbound = { __proto__: null, find: () => undefined, call: undefined, isToolError: undefined };

  const fetch = function fetch(input, init = undefined) {
    const id = outbound.find();
    if (id === undefined) throw new Error(`fetch is not available here: ${native.insteadOfFetch}`);
    // Made here, where the script's line is known.
    const failure = new TypeError("fetch failed");
    try {
      args.require(arguments.length, "input");
      const signal = init?.signal;
      const promise = outbound.call(id, askedOf(input, init), signal === undefined || signal === null ? undefined : { signal });
      return reflectApply(then, promise, [answered, (error) => { throw outbound.isToolError(error) ? failed(failure, error) : error; }]);
    } catch (error) {
      return rejected(error);
    }
  };
  const failed = (failure, error) => {
    define(failure, { message: `fetch failed: ${error.message}`, cause: error });
    return failure;
  };

  define(globalThis, { fetch, Response });
  return { outbound };
};
