// URL and URLSearchParams.
const show = (f) => {
  try {
    console.log(f());
  } catch (e) {
    console.log(e.name, e.code, e.message, e.input, e.base);
  }
};
const u=new URL('https://user:pa%20ss@sub.Example.com:8080/p/a/t/h/../x?query=string&a=1#hash');
console.log(u);
console.log(String(u), JSON.stringify({u}), u.searchParams.get('query'));
for(const [a,b] of [['http://EXAMPLE.com:80'],['/foo?x','http://h/bar/baz'],['../x','http://h/a/b/c'],['//o/p','https://h/'],['?q','http://h/p?z#y'],['#f','http://h/p?z#y'],['mailto:a@b.c'],['data:text/plain,hi'],['file:///C:/a/../b'],['http://münchen.de/ä?ö#ü'],['http://[::1]:3000/'],['http://192.168.0.1.:81/'],['http://0x7f.1/'],['javascript:alert(1)'],['http://h/%7Efoo/a b'],['blob:https://a.com/x'],['HTTP://h\\a\\b'],['http://h/?q=a b&c="<>'],['  http://h/  '],['http://h:65535'],['ws://h'],['http://h/a%2fb'],['about:blank'],['http://a.b/?x=1?y=2#a#b'],['http://ex.com./'],['http://例え.jp']]) show(()=>{const x=new URL(a,b); return [x.href,x.origin,x.protocol,x.host,x.hostname,x.port,x.pathname,x.search,x.hash].join(' | ')});
for(const a of ['','foo','http://','http://h:99999','http://a b','http://[::1','/x','http://%zz','http://h:8a']) show(()=>new URL(a));
show(()=>new URL('x','y'));
show(()=>new URL());
console.log(URL.canParse('http://a'), URL.canParse('a'), URL.canParse('a','http://b'));
const m=new URL('http://h/p'); m.protocol='https'; m.host='x.org:444'; m.port='443';
console.log(m.href); m.port='8081'; m.hostname='y.org'; m.pathname='a b/ü'; m.search='k=v w'; m.hash='frag ment'; m.username='üser'; m.password='p:w';
console.log(m.href); m.search=''; m.hash=''; m.port=''; m.username=''; m.password='';
console.log(m.href); m.port='bad'; m.host=''; m.protocol='foo';
console.log(m.href); m.href='http://new/?a=b';
console.log(m.searchParams.get('a'));
show(()=>{m.href='nope'}); m.searchParams.append('c','d e');
console.log(m.href); m.search='?z=1';
console.log([...m.searchParams]); m.searchParams.delete('z');
console.log(m.href, m.search);
const p=new URLSearchParams('?a=1&b=2&a=3&c=%20x+y&d&=e&f=%zz&&g=%F0%9F%98%80');
console.log(p, [...p], p.toString(), p.size, p.getAll('a'), p.get('nope'), p.has('b'), p.has('b','3')); p.set('a','z'); p.append('é','ü&='); p.delete('b'); p.sort();
console.log(p.toString()); p.delete('a','no');
console.log(p.has('a'));
console.log(new URLSearchParams({x:1,y:[2,3]}).toString(), new URLSearchParams([['a','b'],['c','d']]).toString(), new URLSearchParams(new Map([['m','n']])).toString(), new URLSearchParams(p).toString()===p.toString(), new URLSearchParams().toString(), new URLSearchParams(undefined).size, new URLSearchParams(new URLSearchParams('q=1')).toString(), `${new URLSearchParams('a=~*-._ !\'()')}`);
show(()=>new URLSearchParams([['a']]));
show(()=>new URLSearchParams([1]));
show(()=>new URLSearchParams().append('a'));
show(()=>new URLSearchParams().get()); new URLSearchParams('a=1&b=2').forEach(function(v,k,o){console.log(k,v,o instanceof URLSearchParams,this.t)},{t:1});
show(()=>p.forEach(1));
console.log([...new URLSearchParams('a=1&b=2').keys()], [...new URLSearchParams('a=1&b=2').values()], Object.prototype.toString.call(u), Object.prototype.toString.call(p), Object.prototype.toString.call(p.keys()), Object.fromEntries(new URLSearchParams('a=1&b=2')), new URLSearchParams('\ud800').toString());
console.log({u:{v:{w:new URL('http://a')}}}, [new URL('http://b/')], new URLSearchParams(), Object.keys(u), {p});
