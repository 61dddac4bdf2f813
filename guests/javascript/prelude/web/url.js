// URL: its parts, which the native parser gives anew after each change.

export default ({ native, primordials, args, searchParams, inspect, inspectCustom }) => {
  const { define, enumerable, stringSlice, stringToWellFormed, tagged, TypeError } = primordials;
  const { URLSearchParams } = globalThis;

  const parse = (url, base) => native.parseUrl(stringToWellFormed(`${url}`), base === undefined ? undefined : stringToWellFormed(`${base}`));

  const invalid = (url, base) => {
    const error = args.coded(new TypeError("Invalid URL"), "ERR_INVALID_URL");
    error.input = `${url}`;
    if (base !== undefined) error.base = `${base}`;
    return error;
  };

  class URL {
    #parts;
    #params;

    constructor(url, base = undefined) {
      args.require(arguments.length, "url");
      this.#parts = parse(url, base);
      if (this.#parts === undefined) throw invalid(url, base);
    }

    static canParse(url, base = undefined) {
      return parse(url, base) !== undefined;
    }

    static parse(url, base = undefined) {
      return parse(url, base) === undefined ? null : new URL(url, base);
    }

    #change(part, value) {
      this.#parts = native.changeUrl(this.#parts.href, part, stringToWellFormed(`${value}`));
    }

    get href() { return this.#parts.href; }
    set href(value) {
      const parts = parse(value);
      if (parts === undefined) throw invalid(value);
      this.#parts = parts;
      this.#readParams();
    }

    get origin() { return this.#parts.origin; }
    get protocol() { return this.#parts.protocol; }
    set protocol(value) { this.#change("protocol", value); }
    get username() { return this.#parts.username; }
    set username(value) { this.#change("username", value); }
    get password() { return this.#parts.password; }
    set password(value) { this.#change("password", value); }
    get host() { return this.#parts.host; }
    set host(value) { this.#change("host", value); }
    get hostname() { return this.#parts.hostname; }
    set hostname(value) { this.#change("hostname", value); }
    get port() { return this.#parts.port; }
    set port(value) { this.#change("port", value); }
    get pathname() { return this.#parts.pathname; }
    set pathname(value) { this.#change("pathname", value); }
    get search() { return this.#parts.search; }
    set search(value) {
      this.#change("search", value);
      this.#readParams();
    }
    get searchParams() {
      if (this.#params === undefined) {
        this.#params = new URLSearchParams();
        this.#readParams();
        searchParams.attach(this.#params, (query) => this.#change("search", query));
      }
      return this.#params;
    }
    get hash() { return this.#parts.hash; }
    set hash(value) { this.#change("hash", value); }

    // The parameters follow what was written into the URL itself.
    #readParams() {
      if (this.#params !== undefined) searchParams.reset(this.#params, stringSlice(this.#parts.search, 1));
    }

    toString() { return this.#parts.href; }
    toJSON() { return this.#parts.href; }

    [inspectCustom](depth, options) {
      if (depth < 0) return this;
      const { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash } = this.#parts;
      const parts = { href, origin, protocol, username, password, host, hostname, port, pathname, search, searchParams: this.searchParams, hash };
      return `${this.constructor.name} ${inspect(parts, options)}`;
    }
  }
  enumerable(URL.prototype, "href origin protocol username password host hostname port pathname search searchParams hash toString toJSON");
  tagged(URL);

  define(globalThis, { URL });
  return {};
};
