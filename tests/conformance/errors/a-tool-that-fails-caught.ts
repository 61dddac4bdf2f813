try {
  await tools.testTools.fail({});
} catch (error) {
  return [error instanceof ToolError, error.name, error.server, error.tool, error.message, error.content];
}
