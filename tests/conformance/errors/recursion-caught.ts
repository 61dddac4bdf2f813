const f = () => 1 + f();
try {
  f();
} catch {
  return 'caught';
}
