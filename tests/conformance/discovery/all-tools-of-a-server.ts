return Object.keys(tools.testTools).includes('add');
