await tools.testTools.text({ bytes: 2000 });
