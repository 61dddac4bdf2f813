import * as testTools from './servers/test-tools';
return (await testTools.add({ a: 1, b: 2 })).sum;
