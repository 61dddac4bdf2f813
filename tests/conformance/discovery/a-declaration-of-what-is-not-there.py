tools.describe('test-tools.ad')
