//! Sockets of WASI: a program may ask for them, and gets none.

use ampoule::Component;
use ampoule_tests::components::built_for;

use super::wasi::run;

/// What a program asks of sockets.
const SOCKETS: &str = "
    package local:program;
    package wasi:sockets@0.2.0 {
        interface network {
            resource network;
            enum error-code {
                unknown, access-denied, not-supported, invalid-argument, out-of-memory, timeout, concurrency-conflict, not-in-progress, would-block, invalid-state,
                new-socket-limit, address-not-bindable, address-in-use, remote-unreachable, connection-refused, connection-reset, connection-aborted,
                datagram-too-large, name-unresolvable, temporary-resolver-failure, permanent-resolver-failure,
            }
            enum ip-address-family { ipv4, ipv6 }
        }
        interface instance-network {
            use network.{network};
            instance-network: func() -> network;
        }
        interface tcp { resource tcp-socket; }
        interface tcp-create-socket {
            use network.{error-code, ip-address-family};
            use tcp.{tcp-socket};
            create-tcp-socket: func(address-family: ip-address-family) -> result<tcp-socket, error-code>;
        }
        interface udp { resource udp-socket; }
        interface udp-create-socket {
            use network.{error-code, ip-address-family};
            use udp.{udp-socket};
            create-udp-socket: func(address-family: ip-address-family) -> result<udp-socket, error-code>;
        }
        interface ip-name-lookup {
            use network.{network, error-code};
            resource resolve-address-stream;
            resolve-addresses: func(network: borrow<network>, name: string) -> result<resolve-address-stream, error-code>;
        }
    }
    world program {
        import wasi:sockets/instance-network@0.2.0;
        import wasi:sockets/tcp-create-socket@0.2.0;
        import wasi:sockets/udp-create-socket@0.2.0;
        import wasi:sockets/ip-name-lookup@0.2.0;
        export run: func(arguments: string) -> result<string, string>;
    }";

#[tokio::test]
async fn sockets_can_be_asked_for_and_none_is_given() {
    // A letter for each answer: its error's place in the list above, or `Z` where something was
    // given.
    let program = built_for(
        SOCKETS,
        r#"(module
            (import "wasi:sockets/instance-network@0.2.0" "instance-network" (func $network (result i32)))
            (import "wasi:sockets/tcp-create-socket@0.2.0" "create-tcp-socket" (func $tcp (param i32 i32)))
            (import "wasi:sockets/udp-create-socket@0.2.0" "create-udp-socket" (func $udp (param i32 i32)))
            (import "wasi:sockets/ip-name-lookup@0.2.0" "resolve-addresses" (func $resolve (param i32 i32 i32 i32)))
            (memory (export "memory") 2)
            (data (i32.const 100) "\22......\22")
            (data (i32.const 200) "localhost127.0.0.1")
            (func $note (param $at i32)
                (i32.store8 (local.get $at) (i32.add (i32.const 65)
                    (if (result i32) (i32.load8_u (i32.const 300)) (then (i32.load8_u (i32.const 304))) (else (i32.const 25))))))
            (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 65536))
            (func (export "run") (param i32 i32) (result i32)
                (call $tcp (i32.const 0) (i32.const 300)) (call $note (i32.const 101))
                (call $tcp (i32.const 1) (i32.const 300)) (call $note (i32.const 102))
                (call $udp (i32.const 0) (i32.const 300)) (call $note (i32.const 103))
                (call $udp (i32.const 1) (i32.const 300)) (call $note (i32.const 104))
                (call $resolve (call $network) (i32.const 200) (i32.const 9) (i32.const 300)) (call $note (i32.const 105))
                (call $resolve (call $network) (i32.const 209) (i32.const 9) (i32.const 300)) (call $note (i32.const 106))
                (i32.store (i32.const 20) (i32.const 100))
                (i32.store (i32.const 24) (i32.const 8))
                (i32.const 16)))"#,
    );
    let outcome = run(Component::from_bytes(program).unwrap()).await;
    let value: String = outcome.value().expect("it returns");
    // Access is denied, and no name can be resolved.
    assert_eq!(value, "BBBBUU");
}

/// What a program asks of sockets of WASI 0.3.
const NEW_SOCKETS: &str = "
    package local:program;
    package wasi:sockets@0.3.0 {
        interface types {
            variant error-code {
                access-denied, not-supported, invalid-argument, out-of-memory, timeout, invalid-state, address-not-bindable, address-in-use,
                remote-unreachable, connection-refused, connection-broken, connection-reset, connection-aborted, datagram-too-large,
                other(option<string>),
            }
            enum ip-address-family { ipv4, ipv6 }
            resource tcp-socket { create: static func(address-family: ip-address-family) -> result<tcp-socket, error-code>; }
            resource udp-socket { create: static func(address-family: ip-address-family) -> result<udp-socket, error-code>; }
        }
    }
    world program {
        import wasi:sockets/types@0.3.0;
        export run: func(arguments: string) -> result<string, string>;
    }";

#[tokio::test]
async fn no_socket_of_0_3_is_given() {
    // A letter for each answer, as above.
    let program = built_for(
        NEW_SOCKETS,
        r#"(module
            (import "wasi:sockets/types@0.3.0" "[static]tcp-socket.create" (func $tcp (param i32 i32)))
            (import "wasi:sockets/types@0.3.0" "[static]udp-socket.create" (func $udp (param i32 i32)))
            (memory (export "memory") 2)
            (data (i32.const 100) "\22....\22")
            (func $note (param $at i32)
                (i32.store8 (local.get $at) (i32.add (i32.const 65)
                    (if (result i32) (i32.load8_u (i32.const 300)) (then (i32.load8_u (i32.const 304))) (else (i32.const 25))))))
            (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 65536))
            (func (export "run") (param i32 i32) (result i32)
                (call $tcp (i32.const 0) (i32.const 300)) (call $note (i32.const 101))
                (call $tcp (i32.const 1) (i32.const 300)) (call $note (i32.const 102))
                (call $udp (i32.const 0) (i32.const 300)) (call $note (i32.const 103))
                (call $udp (i32.const 1) (i32.const 300)) (call $note (i32.const 104))
                (i32.store (i32.const 20) (i32.const 100))
                (i32.store (i32.const 24) (i32.const 6))
                (i32.const 16)))"#,
    );
    let outcome = run(Component::from_bytes(program).unwrap()).await;
    let value: String = outcome.value().expect("it returns");
    // Access is denied: the first of the codes.
    assert_eq!(value, "AAAA");
}
