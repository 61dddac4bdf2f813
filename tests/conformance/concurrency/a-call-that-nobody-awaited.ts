tools.testTools.hang({});
return 'done';
