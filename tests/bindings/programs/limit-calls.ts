for (let n = 0; ; n++) await host.add({ a: n, b: 1 });
