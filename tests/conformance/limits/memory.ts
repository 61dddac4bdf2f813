const all = [];
for (;;) all.push('x'.repeat(1000) + all.length);
