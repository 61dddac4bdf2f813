// Files, as the host has them, with Node's errors: what `node:fs` is made of. The host answers a text where something is wrong: the code, a
// line end, and what the code does not say.

export default ({ native, bytesOf, asBuffer, bytesOfText, encodingOf, textOf }) => {
  const { Error, TypeError, Date, Uint8Array, URL, Math } = globalThis;
  const WORDS = {
    __proto__: null,
    ENOENT: "no such file or directory", EEXIST: "file already exists", ENOTDIR: "not a directory",
    EISDIR: "illegal operation on a directory", ENOTEMPTY: "directory not empty", EACCES: "permission denied",
    EROFS: "read-only file system", EINVAL: "invalid argument", ENAMETOOLONG: "name too long", ENOSPC: "no space left on device",
    EBADF: "bad file descriptor", EMFILE: "too many open files", ELOOP: "links are not followed", EXDEV: "cross-device link not permitted",
    ENOTSUP: "operation not supported", EIO: "i/o error",
  };
  const NUMBERS = {
    __proto__: null, ENOENT: -2, EEXIST: -17, ENOTDIR: -20, EISDIR: -21, ENOTEMPTY: -39, EACCES: -13, EROFS: -30, EINVAL: -22, ENAMETOOLONG: -36,
    ENOSPC: -28, EBADF: -9, EMFILE: -24, ELOOP: -40, EXDEV: -18, ENOTSUP: -95, EIO: -5,
  };
  // How much is read and written at once.
  const PIECE = 256 * 1024;

  const failure = (told, syscall, path, dest) => {
    const [code, ...rest] = told.split("\n");
    const advice = rest.join("\n");
    const about = path === undefined ? "" : dest === undefined ? ` '${path}'` : ` '${path}' -> '${dest}'`;
    const error = new Error(`${code}: ${WORDS[code] ?? "it failed"}, ${syscall}${about}${advice === "" ? "" : `. ${advice}`}`);
    Object.assign(error, { errno: NUMBERS[code] ?? -5, code, syscall });
    if (path !== undefined) error.path = path;
    if (dest !== undefined) error.dest = dest;
    return error;
  };
  const checked = (answer, syscall, path, dest) => {
    if (typeof answer === "string") throw failure(answer, syscall, path, dest);
    return answer;
  };

  const wrong = (name, wanted, value) => {
    const got = value === null ? "null" : value === undefined ? "undefined" : `type ${typeof value}`;
    return Object.assign(new TypeError(`The "${name}" argument must be ${wanted}. Received ${got}`), { code: "ERR_INVALID_ARG_TYPE" });
  };
  const pathOf = (path, name = "path") => {
    if (typeof path === "string") return path;
    if (path instanceof URL && path.protocol === "file:") return decodeURIComponent(path.pathname);
    if (path instanceof Uint8Array) return textOf(path);
    throw wrong(name, "of type string or an instance of Buffer or URL", path);
  };
  // Options, where a text alone is an encoding.
  const optionsOf = (options) => (typeof options === "string" ? { encoding: options } : options ?? {});
  const given = (bytes, encoding) => (encoding && encoding !== "buffer" ? textOf(bytes, encoding) : asBuffer(bytes));
  const bytesFor = (data, encoding) => {
    if (typeof data === "string") return bytesOfText(data, encoding || "utf8");
    const bytes = data === null || typeof data !== "object" ? undefined : bytesOf(data);
    if (bytes === undefined) throw wrong("data", "of type string or an instance of Buffer, TypedArray, or DataView", data);
    return bytes;
  };

  const READ = 1, WRITE = 2, APPEND = 4, CREATE = 8, EXCLUSIVE = 16, TRUNCATE = 32;
  const FLAGS = {
    __proto__: null,
    r: READ, rs: READ, "r+": READ | WRITE, "rs+": READ | WRITE,
    w: WRITE | CREATE | TRUNCATE, wx: WRITE | CREATE | TRUNCATE | EXCLUSIVE,
    "w+": READ | WRITE | CREATE | TRUNCATE, "wx+": READ | WRITE | CREATE | TRUNCATE | EXCLUSIVE,
    a: WRITE | APPEND | CREATE, ax: WRITE | APPEND | CREATE | EXCLUSIVE,
    "a+": READ | WRITE | APPEND | CREATE, "ax+": READ | WRITE | APPEND | CREATE | EXCLUSIVE,
  };
  const open = (path, flags = "r") => {
    const how = FLAGS[flags];
    if (how === undefined) {
      throw Object.assign(new TypeError(`The argument 'flags' is invalid. Received '${flags}'`), { code: "ERR_INVALID_ARG_VALUE" });
    }
    path = pathOf(path);
    return checked(native.fileOpen(path, how), "open", path);
  };
  const close = (fd) => { checked(native.fileClose(fd), "close"); };

  const readAt = (fd, at, count) => checked(native.fileRead(fd, at, Math.min(count, PIECE)), "read");
  // All from a place on.
  const readAll = (fd, at = 0) => {
    const parts = [];
    let size = 0;
    for (;;) {
      const part = readAt(fd, at + size, PIECE);
      if (part.length === 0) break;
      parts.push(part);
      size += part.length;
    }
    if (parts.length === 1) return parts[0];
    const whole = new Uint8Array(size);
    let end = 0;
    for (const part of parts) {
      whole.set(part, end);
      end += part.length;
    }
    return whole;
  };
  // Where the next byte goes.
  const writeAt = (fd, at, bytes) => {
    let end = at;
    for (let from = 0; from < bytes.length; from += PIECE) {
      end = checked(native.fileWrite(fd, at + from, bytes.subarray(from, from + PIECE)), "write");
    }
    return end;
  };

  class Stats {
    constructor({ kind, size, modified, id, writable }) {
      this.dev = 1;
      this.mode = { file: 0o100000, folder: 0o040000, link: 0o120000, other: 0o010000 }[kind] | (kind === "folder" ? 0o755 : 0o644) & (writable ? 0o777 : 0o555);
      this.nlink = 1;
      this.uid = this.gid = 0;
      this.ino = id;
      this.size = size;
      this.blksize = 4096;
      this.blocks = Math.ceil(size / 512);
      for (const which of ["a", "m", "c", "birth"]) {
        this[`${which}timeMs`] = modified;
        this[`${which}time`] = new Date(modified);
      }
    }
    isFile() { return (this.mode & 0o170000) === 0o100000; }
    isDirectory() { return (this.mode & 0o170000) === 0o040000; }
    isSymbolicLink() { return (this.mode & 0o170000) === 0o120000; }
    isFIFO() { return false; }
    isSocket() { return false; }
    isBlockDevice() { return false; }
    isCharacterDevice() { return false; }
  }
  class Dirent {
    #kind;
    constructor(name, parentPath, kind) {
      this.name = name;
      this.parentPath = this.path = parentPath;
      this.#kind = kind;
    }
    isFile() { return this.#kind === "file"; }
    isDirectory() { return this.#kind === "folder"; }
    isSymbolicLink() { return this.#kind === "link"; }
    isFIFO() { return false; }
    isSocket() { return false; }
    isBlockDevice() { return false; }
    isCharacterDevice() { return false; }
  }

  // What is in a folder: pairs of a name and a kind.
  const list = (path) => {
    const entries = [];
    let after = "";
    for (;;) {
      const { names, kinds, more } = checked(native.fileList(path, after), "scandir", path);
      for (let at = 0; at < names.length; at++) entries.push([names[at], kinds[at]]);
      if (!more) return entries;
      after = names.at(-1);
    }
  };
  const status = (path, syscall = "stat") => checked(native.fileStatus(path), syscall, path);
  const statusOf = (fd) => checked(native.fileStatusOf(fd), "fstat");

  return {
    files: { Dirent, Stats, bytesFor, checked, close, encodingOf, failure, given, list, open, optionsOf, pathOf, readAll, readAt, status, statusOf, writeAt },
  };
};
