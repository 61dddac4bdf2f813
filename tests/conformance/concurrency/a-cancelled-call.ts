const stop = new AbortController();
setTimeout(() => stop.abort(new Error('enough')), 20);
try {
  await tools.testTools.hang({}, { signal: stop.signal });
} catch {
  return 'cancelled';
}
