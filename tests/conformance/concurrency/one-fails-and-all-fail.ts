await Promise.all([tools.testTools.hang({}), tools.testTools.fail({})]);
