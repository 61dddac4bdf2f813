for (const b of [2]) {
  tools.testTools.add({ a: 1, b });
}
