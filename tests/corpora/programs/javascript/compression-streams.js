const text = "the quick brown fox ".repeat(200);
async function squeeze(format) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream(format));
  const packed = new Uint8Array(await new Response(stream).arrayBuffer());
  const back = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream(format))).text();
  return [format, packed.length < text.length, back === text];
}
for (const format of ["gzip", "deflate", "deflate-raw"]) {
  try { console.log(...(await squeeze(format))); } catch (error) { console.log(format, "failed:", error.name); }
}
console.log(text.length);
console.log("done");
