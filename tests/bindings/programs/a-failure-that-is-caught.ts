try {
  await host.fail({ message: 'the shop is closed ✓' });
} catch (error) {
  return [error.name, error.message];
}
