// The functions of `node:fs` that end in `Sync`.

export default ({ native, files, path: { resolve } }) => {
  const { Dirent, Stats, bytesFor, checked, close, failure, given, list, open, optionsOf, pathOf, readAll, readAt, status, statusOf, writeAt } = files;
  const { Date, Math, Uint8Array } = globalThis;

  // Where files that were opened by their number are read and written next.
  const positions = new Map();
  const isNumber = (file) => typeof file === "number";

  const within = (file, flags, action) => {
    if (isNumber(file)) return action(file, positions.get(file) ?? 0);
    const fd = open(file, flags);
    try {
      return action(fd, 0);
    } finally {
      close(fd);
    }
  };

  const readFileSync = (path, options) => {
    const { encoding, flag = "r" } = optionsOf(options);
    if (encoding) files.encodingOf(encoding);
    return given(within(path, flag, readAll), encoding);
  };
  const write = (path, data, options, usual) => {
    const { encoding, flag = usual } = optionsOf(options);
    const bytes = bytesFor(data, encoding);
    within(path, flag, (fd, at) => {
      const end = writeAt(fd, at, bytes);
      if (isNumber(path)) positions.set(path, end);
    });
  };
  const writeFileSync = (path, data, options) => write(path, data, options, "w");
  const appendFileSync = (path, data, options) => write(path, data, options, "a");

  const openSync = (path, flags) => {
    const fd = open(path, flags);
    positions.set(fd, 0);
    return fd;
  };
  const closeSync = (fd) => {
    close(fd);
    positions.delete(fd);
  };
  const readSync = (fd, buffer, offsetOrOptions, length, position) => {
    let offset = offsetOrOptions;
    if (offset !== null && typeof offset === "object") ({ offset, length, position } = offset);
    offset ??= 0;
    length ??= buffer.byteLength - offset;
    const at = typeof position === "number" && position >= 0 ? position : positions.get(fd) ?? 0;
    const target = new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    let read = 0;
    while (read < length) {
      const part = readAt(fd, at + read, length - read);
      if (part.length === 0) break;
      target.set(part, offset + read);
      read += part.length;
    }
    if (typeof position !== "number" || position < 0) positions.set(fd, at + read);
    return read;
  };
  const writeSync = (fd, data, offsetOrPosition, lengthOrEncoding, position) => {
    const isText = typeof data === "string";
    const bytes = isText
      ? bytesFor(data, lengthOrEncoding)
      : bytesFor(data).subarray(offsetOrPosition ?? 0, lengthOrEncoding === undefined ? undefined : (offsetOrPosition ?? 0) + lengthOrEncoding);
    const asked = isText ? offsetOrPosition : position;
    const end = writeAt(fd, typeof asked === "number" ? asked : positions.get(fd) ?? 0, bytes);
    if (typeof asked !== "number") positions.set(fd, end);
    return bytes.length;
  };

  const found = (path) => {
    const told = native.fileStatus(path);
    if (typeof told !== "string") return told;
    if (told.startsWith("ENOENT") || told.startsWith("ENOTDIR")) return undefined;
    throw failure(told, "stat", path);
  };
  const existsSync = (path) => {
    try {
      return typeof native.fileStatus(pathOf(path)) !== "string";
    } catch {
      return false;
    }
  };
  const statSync = (path, options) => {
    path = pathOf(path);
    if (options?.throwIfNoEntry === false && found(path) === undefined) return undefined;
    const told = status(path);
    if (told.kind === "link") throw failure("ELOOP", "stat", path);
    return new Stats(told);
  };
  const lstatSync = (path, options) => {
    path = pathOf(path);
    if (options?.throwIfNoEntry === false && found(path) === undefined) return undefined;
    return new Stats(status(path, "lstat"));
  };
  const accessSync = (path, mode = 0) => {
    path = pathOf(path);
    if (!status(path, "access").writable && (mode & 2) !== 0) throw failure("EACCES", "access", path);
  };

  const readdirSync = (path, options) => {
    const { withFileTypes, recursive } = optionsOf(options);
    path = pathOf(path);
    const entries = [];
    const walk = (folder, prefix) => {
      for (const [name, kind] of list(folder)) {
        entries.push(withFileTypes ? new Dirent(name, folder, kind) : prefix + name);
        if (recursive && kind === "folder") walk(`${folder}/${name}`, `${prefix}${name}/`);
      }
    };
    walk(path, "");
    return entries;
  };

  const mkdirSync = (path, options) => {
    path = pathOf(path);
    if (!options?.recursive) {
      checked(native.fileMakeFolder(path), "mkdir", path);
      return undefined;
    }
    // The outermost that is missing is told.
    const missing = [];
    let folder = path.length > 1 ? path.replace(/\/+$/, "") : path;
    for (;;) {
      const there = found(folder);
      if (there?.kind === "folder") break;
      if (there !== undefined) throw failure(missing.length > 0 ? "ENOTDIR" : "EEXIST", "mkdir", path);
      missing.push(folder);
      const at = folder.lastIndexOf("/");
      if (at <= 0) break;
      folder = folder.slice(0, at);
    }
    for (const folder of missing.toReversed()) {
      // One that is there by another name is.
      const told = native.fileMakeFolder(folder);
      if (typeof told === "string" && !told.startsWith("EEXIST")) throw failure(told, "mkdir", path);
    }
    return missing.at(-1);
  };
  const mkdtempSync = (prefix) => {
    for (;;) {
      const path = pathOf(prefix, "prefix") + Math.random().toString(36).slice(2, 8).padEnd(6, "x");
      const told = native.fileMakeFolder(path);
      if (typeof told !== "string") return path;
      if (!told.startsWith("EEXIST")) throw failure(told, "mkdtemp", `${prefix}XXXXXX`);
    }
  };

  const unlinkSync = (path) => {
    path = pathOf(path);
    checked(native.fileRemove(path), "unlink", path);
  };
  const removeAll = (path, kind) => {
    if (kind !== "folder") return unlinkSync(path);
    for (const [name, kind] of list(path)) removeAll(`${path}/${name}`, kind);
    checked(native.fileRemoveFolder(path), "rmdir", path);
  };
  const rmSync = (path, options = {}) => {
    path = pathOf(path);
    const there = options.force ? found(path) : status(path, "rm");
    if (there === undefined) return;
    if (there.kind === "folder" && !options.recursive) throw failure("EISDIR\nremove a directory with { recursive: true }", "rm", path);
    removeAll(path, there.kind);
  };
  const rmdirSync = (path, options) => {
    path = pathOf(path);
    if (options?.recursive) return rmSync(path, { recursive: true });
    checked(native.fileRemoveFolder(path), "rmdir", path);
  };

  const renameSync = (from, to) => {
    [from, to] = [pathOf(from, "oldPath"), pathOf(to, "newPath")];
    checked(native.fileRename(from, to), "rename", from, to);
  };
  const copyFileSync = (from, to, mode = 0) => {
    [from, to] = [pathOf(from, "src"), pathOf(to, "dest")];
    checked(native.fileCopy(from, to, (mode & 1) !== 0), "copyfile", from, to);
  };
  const cpSync = (from, to, options = {}) => {
    [from, to] = [pathOf(from, "src"), pathOf(to, "dest")];
    if (status(from, "cp").kind !== "folder") {
      const there = found(to) !== undefined;
      if (there && options.force === false) return;
      return copyFileSync(from, to);
    }
    if (!options.recursive) throw failure("EISDIR\ncopy a directory with { recursive: true }", "cp", from);
    // What is there before, so that a copy within itself comes to its end.
    const entries = list(from);
    mkdirSync(to, { recursive: true });
    for (const [name] of entries) cpSync(`${from}/${name}`, `${to}/${name}`, options);
  };
  const truncateSync = (path, size = 0) => {
    within(path, "r+", (fd) => checked(native.fileResize(fd, size), "ftruncate"));
  };
  const utimesSync = (path, _accessed, modified) => {
    path = pathOf(path);
    const milliseconds = modified instanceof Date ? modified.getTime() : Number(modified) * 1000;
    checked(native.fileTouch(path, milliseconds), "utime", path);
  };
  const realpathSync = (path) => {
    path = pathOf(path);
    status(path, "realpath");
    return resolve(path);
  };
  const fsyncSync = (fd) => { statusOf(fd); };

  return {
    fsSync: {
      accessSync, appendFileSync, closeSync, copyFileSync, cpSync, existsSync, fdatasyncSync: fsyncSync,
      fstatSync: (fd) => new Stats(statusOf(fd)), fsyncSync, ftruncateSync: truncateSync, lstatSync, mkdirSync, mkdtempSync, openSync,
      readFileSync, readSync, readdirSync, realpathSync, renameSync, rmSync, rmdirSync, statSync, truncateSync, unlinkSync, utimesSync,
      writeFileSync, writeSync,
    },
  };
};
