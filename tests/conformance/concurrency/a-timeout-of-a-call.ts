try {
  await tools.testTools.hang({}, { signal: AbortSignal.timeout(20) });
} catch (error) {
  return error.name;
}
