console.log('waiting');
await host.sleep({ ms: 60_000 });
