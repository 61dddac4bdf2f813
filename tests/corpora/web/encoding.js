// TextEncoder, TextDecoder, atob and btoa.
const show = (f) => {
  try {
    console.log(f());
  } catch (e) {
    console.log(e.name, e.code, e.message);
  }
};
const te=new TextEncoder, td=new TextDecoder;
console.log(te.encode('é€😀'), te.encode(), te.encode('\ud800x'), te.encoding, te.encodeInto('é€😀',new Uint8Array(6)), te.encodeInto('abc', new Uint8Array(2)));
console.log(td.decode(new Uint8Array([0xef,0xbb,0xbf,0x61])).length, new TextDecoder('utf-8',{ignoreBOM:true}).decode(new Uint8Array([0xef,0xbb,0xbf,0x61])).length, td.decode(new Uint8Array([0xff,0x61,0xe2,0x82,0x41,0xf0,0x9f,0x98])), td.decode());
show(()=>new TextDecoder('utf-8',{fatal:true}).decode(new Uint8Array([0xff])));
show(()=>new TextDecoder('nope'));
show(()=>td.decode('str'));
const sd=new TextDecoder;
console.log(sd.decode(new Uint8Array([0xe2,0x82]),{stream:true})+'|'+sd.decode(new Uint8Array([0xac,0xf0,0x9f]),{stream:true})+'|'+sd.decode(new Uint8Array([0x98,0x80]),{stream:true})+'|'+sd.decode()+'|'+sd.decode(new Uint8Array([0xe2]),{stream:true})+'|'+sd.decode());
console.log(sd.decode(new Uint8Array([0xed,0xa0]),{stream:true}).length, sd.decode().length, sd.decode(new Uint8Array([0xf5,0x80]),{stream:true}).length, sd.decode().length, sd.decode(new Uint8Array([0xef,0xbb]),{stream:true})+'.'+sd.decode(new Uint8Array([0xbf,0x62]),{stream:true})+'.'+sd.decode());
console.log(new TextDecoder('utf-16le').decode(new Uint8Array([0x61,0,0x3d,0xd8,0,0xde])), new TextDecoder('utf-16').encoding, new TextDecoder('latin1').encoding, new TextDecoder('ascii').decode(new Uint8Array([0xe9,0x41])), new TextDecoder('utf-16le').decode(new Uint8Array([0x61,0,0x3d,0xd8])), new TextDecoder('UTF8').fatal, new TextDecoder('utf-16be').decode(new Uint8Array([0,0x61,0xfe])));
console.log(td.decode(new Uint8Array([1,65,66]).subarray(1)), td.decode(new DataView(te.encode('xyz').buffer,1)), td.decode(te.encode('buf').buffer), td.decode(new Uint16Array([0x6161])));
