console.log('before');
await new Promise((resolve) => setTimeout(resolve, 60_000));
