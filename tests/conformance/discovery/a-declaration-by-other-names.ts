const own = tools.$describe('test-tools.add');
const others = [tools.documentTool('test-tools.add'), tools.describeTool({ server: 'test-tools', name: 'add' }), tools.describe_tool('test-tools.add')];
return others.every((text) => text === own);
