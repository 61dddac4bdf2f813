const down = (n: number): number => down(n + 1) + 1;
try {
  down(0);
} catch (error) {
  return 'survived';
}
