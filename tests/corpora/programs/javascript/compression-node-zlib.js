let zlib;
try { zlib = await import("node:zlib"); } catch (error) { console.log("node:zlib is not available:", error.name); }
const text = Buffer.from("hello hello hello ".repeat(50));
if (zlib) {
  const packed = zlib.gzipSync(text, { level: 9 });
  console.log(packed.length < text.length, zlib.gunzipSync(packed).equals(text));
  console.log(zlib.inflateRawSync(zlib.deflateRawSync(text)).toString("utf8", 0, 5), zlib.crc32?.("hello"));
}
console.log(text.length, text.byteLength);
console.log(text.toString("latin1", 0, 11));
console.log(text.slice(0, 5).toString("base64url"));
console.log(Buffer.byteLength("héllo"), text.lastIndexOf("hello"));
