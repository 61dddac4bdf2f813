const kept: unknown[] = [];
for (;;) kept.push(new Uint8Array(1 << 20).fill(1));
