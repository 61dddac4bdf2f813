try {
  for (;;) await tools.testTools.add({ a: 1, b: 1 });
} catch {
  return 'caught';
} finally {
  console.log('finally');
}
