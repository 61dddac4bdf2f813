// Texts of errors, which each engine words in its own way.
const attempts = { "null.x": () => null.x, "undefined()": () => { const o = {}; o.run(); }, missing: () => missing, "const": () => { const k = 1; k = 2; }, "1n + 1": () => 1n + 1, "new Array(-1)": () => new Array(-1), "JSON.parse": () => JSON.parse("{bad"), "[...5]": () => [...5], frozen: () => { Object.freeze({ a: 1 }).a = 2; }, toFixed: () => (1).toFixed(200) };
for (const [name, attempt] of Object.entries(attempts)) try { attempt(); } catch (error) { console.log(`${name}: ${error.name}: ${error.message}`); }
