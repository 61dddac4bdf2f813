try {
  await tools.testTools.fail({});
} catch (error) {
  return [error instanceof ToolError, error.name, error.kind, error.server, error.tool, error.message, error.content];
}
