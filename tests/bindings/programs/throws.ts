function check(): void {
  throw new RangeError('on purpose ✓');
}
check();
