await tools.$describe('test-tools.ad');
