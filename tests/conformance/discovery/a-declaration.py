text = tools.describe('test-tools.add')
return all(part in text for part in ['Adds two numbers.', 'a', 'b'])
