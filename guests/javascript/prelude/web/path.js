// `node:path`, as it is on systems with `/`.

export default () => {
  const { TypeError } = globalThis;
  const checked = (path, name = "path") => {
    if (typeof path !== "string") {
      const kind = path === null ? "null" : path === undefined ? "undefined" : `type ${typeof path}`;
      throw Object.assign(new TypeError(`The "${name}" argument must be of type string. Received ${kind}`), { code: "ERR_INVALID_ARG_TYPE" });
    }
    return path;
  };
  const cwd = "/workspace";

  const normalize = (path) => {
    checked(path);
    const isAbsolute = path.startsWith("/");
    const parts = [];
    for (const part of path.split("/")) {
      if (part === "" || part === ".") continue;
      if (part !== "..") parts.push(part);
      else if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
      else if (!isAbsolute) parts.push("..");
    }
    const end = path.endsWith("/") && parts.length > 0 ? "/" : "";
    const whole = (isAbsolute ? "/" : "") + parts.join("/") + end;
    return whole === "" ? (path.endsWith("/") ? "./" : ".") : whole;
  };
  const join = (...paths) => {
    const whole = paths.filter((path) => checked(path) !== "").join("/");
    return whole === "" ? "." : normalize(whole);
  };
  const resolve = (...paths) => {
    let whole = "";
    for (const path of [cwd, ...paths]) {
      if (checked(path) === "") continue;
      whole = path.startsWith("/") ? path : `${whole}/${path}`;
    }
    const clean = normalize(whole);
    return clean.length > 1 && clean.endsWith("/") ? clean.slice(0, -1) : clean;
  };
  const withoutEnd = (path) => path.replace(/(?<=[^/])\/+$/, "");
  const dirname = (path) => {
    const plain = withoutEnd(checked(path));
    const at = plain.lastIndexOf("/");
    if (at < 0) return ".";
    return at === 0 ? "/" : plain.slice(0, at).replace(/(?<=[^/])\/+$/, "");
  };
  const basename = (path, suffix = "") => {
    const plain = withoutEnd(checked(path));
    const name = plain.slice(plain.lastIndexOf("/") + 1);
    return name !== suffix && suffix !== "" && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
  };
  const extname = (path) => {
    const name = basename(path);
    const at = name.lastIndexOf(".");
    return at <= 0 || /^\.+$/.test(name.slice(0, at + 1)) && at + 1 === name.length ? "" : name.slice(at);
  };
  const relative = (from, to) => {
    const [one, other] = [resolve(from), resolve(to)].map((path) => path.split("/").filter(Boolean));
    let same = 0;
    while (same < one.length && same < other.length && one[same] === other[same]) same++;
    return [...one.slice(same).map(() => ".."), ...other.slice(same)].join("/");
  };
  const parse = (path) => {
    const root = checked(path).startsWith("/") ? "/" : "";
    const [base, ext] = [basename(path), extname(path)];
    // A slash at the end is none before a name.
    const dir = path.replace(/(?<!^)\/+$/, "").includes("/") ? dirname(path) : "";
    return { root, dir, base, ext, name: ext === "" ? base : base.slice(0, -ext.length) };
  };
  const format = ({ root = "", dir = "", base, name = "", ext = "" }) => {
    const file = base || name + (ext && !ext.startsWith(".") ? `.${ext}` : ext);
    if (dir === "") return root + file;
    return dir === root ? dir + file : `${dir}/${file}`;
  };

  const path = {
    basename, delimiter: ":", dirname, extname, format, isAbsolute: (path) => checked(path).startsWith("/"), join, normalize, parse,
    relative, resolve, sep: "/", toNamespacedPath: (path) => path,
  };
  path.posix = path;
  return { path };
};
