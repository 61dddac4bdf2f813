// `node:fs/promises`, `node:fs`, streams of files, and `node:readline` over them. All of it is done at once: the promises are there for
// those who await them.

export default ({ files, fsSync, path, Buffer }) => {
  const { asyncIterator } = Symbol;
  const { Error, Promise, queueMicrotask } = globalThis;
  const { bytesFor, given, open, close, optionsOf, readAt, statusOf, Stats, writeAt } = files;
  const constants = { F_OK: 0, X_OK: 1, W_OK: 2, R_OK: 4, COPYFILE_EXCL: 1 };

  const withoutReturn = (line) => (line.endsWith("\r") ? line.slice(0, -1) : line);
  // The lines of a file, as they are read.
  const linesOf = async function* (source) {
    let rest = "";
    for await (const chunk of source) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop();
      for (const line of lines) yield withoutReturn(line);
    }
    if (rest !== "") yield withoutReturn(rest);
  };

  const PIECE = 64 * 1024;
  // What reads a file as it is asked for: pieces, of text where there is an encoding.
  class ReadStream {
    #source; #options;
    constructor(source, options) {
      this.#source = source;
      this.#options = options;
      this.path = source;
      this.bytesRead = 0;
    }
    async *[asyncIterator]() {
      const { encoding, start = 0, end = Infinity, highWaterMark = PIECE } = this.#options;
      const fd = typeof this.#source === "number" ? this.#source : open(this.#source, "r");
      const decoder = encoding && /^utf-?8$/i.test(encoding) ? new TextDecoder("utf-8", { ignoreBOM: true }) : undefined;
      try {
        for (let at = start; at <= end;) {
          const bytes = readAt(fd, at, Math.min(highWaterMark, end - at + 1));
          if (bytes.length === 0) break;
          at += bytes.length;
          this.bytesRead += bytes.length;
          const text = decoder?.decode(bytes, { stream: true });
          if (text !== "") yield text ?? given(bytes, encoding);
        }
        const last = decoder?.decode();
        if (last) yield last;
      } finally {
        if (typeof this.#source !== "number") close(fd);
      }
    }
    setEncoding(encoding) {
      this.#options = { ...this.#options, encoding };
      return this;
    }
    // Those who listen get all of it, one piece after the other.
    #listeners = {};
    on(event, listener) {
      (this.#listeners[event] ??= []).push(listener);
      if (event === "data" || event === "end") this.#flow();
      return this;
    }
    once(event, listener) { return this.on(event, listener); }
    #flows = false;
    #flow() {
      if (this.#flows) return;
      this.#flows = true;
      const tell = (event, value) => this.#listeners[event]?.forEach((listener) => listener(value));
      queueMicrotask(async () => {
        try {
          for await (const chunk of this) tell("data", chunk);
          tell("end");
          tell("close");
        } catch (error) {
          if (this.#listeners.error === undefined) throw error;
          tell("error", error);
        }
      });
    }
    destroy() {}
    close() {}
  }

  class WriteStream {
    #fd; #at = 0; #listeners = {};
    constructor(file, options) {
      const { flags = "w", start = 0, encoding = "utf8" } = options;
      this.path = file;
      this.encoding = encoding;
      this.#fd = open(file, flags);
      this.#at = start;
      this.bytesWritten = 0;
    }
    #done(event, callback) {
      queueMicrotask(() => {
        callback?.();
        this.#listeners[event]?.forEach((listener) => listener());
      });
    }
    write(data, encoding, callback) {
      if (typeof encoding === "function") [encoding, callback] = [undefined, encoding];
      const bytes = bytesFor(data, encoding ?? this.encoding);
      this.#at = writeAt(this.#fd, this.#at, bytes);
      this.bytesWritten += bytes.length;
      if (callback) this.#done("written", callback);
      return true;
    }
    end(data, encoding, callback) {
      if (typeof data === "function") [data, callback] = [undefined, data];
      if (typeof encoding === "function") [encoding, callback] = [undefined, encoding];
      if (data !== undefined && data !== null) this.write(data, encoding);
      close(this.#fd);
      this.writableEnded = this.writableFinished = true;
      this.#done("finish", callback);
      this.#done("close");
      return this;
    }
    on(event, listener) {
      if (this.writableFinished && (event === "finish" || event === "close")) queueMicrotask(listener);
      else (this.#listeners[event] ??= []).push(listener);
      return this;
    }
    once(event, listener) { return this.on(event, listener); }
    close(callback) { return this.end(callback); }
    destroy() { if (!this.writableEnded) this.end(); }
  }
  const createReadStream = (file, options) => new ReadStream(file, optionsOf(options));
  const createWriteStream = (file, options) => new WriteStream(file, optionsOf(options));

  // What `fs.promises.open` gives.
  class FileHandle {
    constructor(fd) { this.fd = fd; }
    async readFile(options) { return given(files.readAll(this.fd), optionsOf(options).encoding); }
    async writeFile(data, options) { fsSync.writeFileSync(this.fd, data, options); }
    async appendFile(data, options) { fsSync.writeSync(this.fd, bytesFor(data, optionsOf(options).encoding)); }
    async read(buffer = Buffer.alloc(16384), offset, length, position) {
      const options = buffer instanceof Uint8Array ? { buffer, offset, length, position } : { buffer: Buffer.alloc(16384), ...buffer };
      return { bytesRead: fsSync.readSync(this.fd, options.buffer, options), buffer: options.buffer };
    }
    async write(data, offset, length, position) {
      return { bytesWritten: fsSync.writeSync(this.fd, data, offset, length, position), buffer: data };
    }
    async stat() { return new Stats(statusOf(this.fd)); }
    async truncate(size) { fsSync.ftruncateSync(this.fd, size); }
    async sync() { fsSync.fsyncSync(this.fd); }
    async datasync() { fsSync.fsyncSync(this.fd); }
    async close() { fsSync.closeSync(this.fd); }
    readLines(options) { return linesOf(this.createReadStream({ encoding: "utf8", ...options })); }
    createReadStream(options) { return new ReadStream(this.fd, optionsOf(options)); }
    async [Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")]() { await this.close(); }
  }

  // Each function that ends in `Sync`, as one that gives a promise.
  const promises = { constants };
  for (const name of Object.keys(fsSync)) {
    const sync = fsSync[name];
    const plain = name.slice(0, -4);
    if (plain === "exists" || plain === "read" || plain === "write" || plain === "close" || plain.startsWith("f") && plain !== "fsync") continue;
    promises[plain] = { async [plain](...given) { return sync(...given); } }[plain];
  }
  delete promises.fsync;
  promises.open = async (file, flags) => new FileHandle(fsSync.openSync(file, flags));
  for (const name of ["readFile", "writeFile", "appendFile"]) {
    const plain = promises[name];
    promises[name] = { async [name](file, ...rest) { return plain(file instanceof FileHandle ? file.fd : file, ...rest); } }[name];
  }

  // Each with a function that is called at the end.
  const called = {};
  for (const name of Object.keys(fsSync)) {
    const sync = fsSync[name];
    const plain = name.slice(0, -4);
    called[plain] = {
      [plain](...given) {
        const callback = given.pop();
        if (typeof callback !== "function") {
          throw Object.assign(new TypeError('The "cb" argument must be of type function; fs/promises has functions without'), { code: "ERR_INVALID_ARG_TYPE" });
        }
        let result, failed;
        try {
          result = sync(...given);
        } catch (error) {
          failed = error;
        }
        queueMicrotask(() => {
          if (plain === "exists") callback(result);
          else if (failed) callback(failed);
          else callback(null, result);
        });
      },
    }[plain];
  }
  const fs = { ...called, ...fsSync, constants, ...constants, promises, createReadStream, createWriteStream, Dirent: files.Dirent, Stats, ReadStream, WriteStream };

  const createInterface = (options) => {
    const input = options?.input ?? options;
    if (typeof input?.[asyncIterator] !== "function") {
      throw new Error("readline.createInterface takes { input: fs.createReadStream(path) }; a script has no terminal to read from");
    }
    if (input instanceof ReadStream) input.setEncoding("utf8");
    const listeners = {};
    const made = {
      [asyncIterator]: () => linesOf(input),
      on(event, listener) {
        (listeners[event] ??= []).push(listener);
        if (event === "line") {
          queueMicrotask(async () => {
            for await (const line of linesOf(input)) listener(line);
            listeners.close?.forEach((listener) => listener());
          });
        }
        return made;
      },
      close() {},
    };
    return made;
  };

  const modules = {
    fs, "fs/promises": promises, path, "path/posix": path, buffer: { Buffer }, readline: { createInterface, promises: { createInterface } },
    "readline/promises": { createInterface },
    os: { EOL: "\n", tmpdir: () => "/tmp", homedir: () => "/workspace", platform: () => "linux" },
  };
  return { modules };
};
