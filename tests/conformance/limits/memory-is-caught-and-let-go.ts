let all = [];
try {
  for (;;) all.push(new Uint8Array(1_000_000));
} catch {
  all = null;
}
return 'on it goes';
