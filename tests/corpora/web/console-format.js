// Format specifiers in the first argument of console.log.
console.log("%s is %d years and %i, %f, %j %o %O %% %c.", "Bob", 42.5, 42.9, '1.5x', {a:1}, [1,{b:2}], {c:{d:{e:{f:{}}}}}, 'css', 'extra', 5);
console.log('%s %s %s %s', Symbol('s'), 5n, -0, {toString(){return 'hi'}}, '%d', '%x');
console.log('%s', [1,[2,[3]]], '%s', class Foo{}, new (class Bar{toString(){return 'bar!'}}));
console.log('a%', '100%', '%');
