own = tools.describe('test-tools.add')
others = [documentTool('test-tools.add'), tools.describe_tool({'server': 'test-tools', 'name': 'add'}), describe_tool('test-tools.add')]
return all(text == own for text in others)
