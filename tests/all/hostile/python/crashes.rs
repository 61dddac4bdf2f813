//! Python that crashes the interpreter, or tries to: it traps, and the host lives.

use super::{Hostile, python};

pub(super) fn programs() -> Vec<Hostile> {
    vec![
        python("os._exit", "
            import os
            os._exit(7)
            ", "threw:SystemExit"),
        python("posix._exit", "
            import posix
            posix._exit(7)
            ", "threw:SystemExit"),
        python("os.abort", "
            import os
            os.abort()
            ", "threw:PermissionError"),
        python("posix.abort", "
            import posix
            posix.abort()
            ", "threw:PermissionError"),
        python("os.kill", "
            import os, signal
            os.kill(os.getpid(), 9)
            ", "threw:AttributeError"),
        python("a signal", "
            import signal
            signal.raise_signal(signal.SIGTERM)
            ", "threw:ValueError"),
        python("a signal of the module below", "
            import _signal
            _signal.raise_signal(6)
            ", "threw:ValueError"),
        python("an interrupt", "
            import _thread
            _thread.interrupt_main()
            for _ in range(10**6): pass
            return 1
            ", "threw:KeyboardInterrupt"),
        python("a segmentation fault", "
            import faulthandler
            faulthandler._sigsegv()
            ", "trapped"),
        python("code of junk", "
            import types
            c = (lambda: 0).__code__
            f = types.FunctionType(c.replace(co_code=bytes(range(0, 250, 2)) * 10), {})
            f()
            ", "trapped or threw:SystemError"),
        python("code that does not return", "
            from opcode import opmap
            c = (lambda: 0).__code__
            f = type(lambda: 0)(c.replace(co_code=bytes([opmap['RESUME'], 0] + [opmap['NOP'], 0] * 5)), {})
            f()
            ", "trapped or threw:SystemError or threw:TypeError"),
        python("code that jumps before its begin", "
            from opcode import opmap
            c = (lambda: 0).__code__
            f = type(lambda: 0)(c.replace(co_code=bytes([opmap['RESUME'], 0, opmap['JUMP_BACKWARD_NO_INTERRUPT'], 255])), {})
            f()
            ", "trapped or threw:SystemError"),
        python("code that takes from an empty stack", "
            from opcode import opmap
            c = (lambda: 0).__code__
            f = type(lambda: 0)(c.replace(co_code=bytes([opmap['RESUME'], 0] + [opmap['POP_TOP'], 0] * 200)), {})
            f()
            ", "trapped or threw:SystemError"),
        python("a standard stream that is closed", r"
            import _io
            _io.FileIO(1, 'w').write(b'raw\n')
            ", "returned"),
        python("a sort that clears its list", "
            l = [3, 2, 1]
            class K:
                def __lt__(self, o): l.clear(); return True
            l[:] = [K() for _ in range(10)]
            l.sort()
            ", "returned"),
        python("a pickle that runs a command", r#"
            import pickle
            pickle.loads(b"cos\nsystem\n(S'echo hi'\ntR.")
            "#, "threw:AttributeError"),
        python("a pickle that runs a command past the refusal", r#"
            import pickle
            pickle.loads(b"cposix\nsystem\n(S'echo hi'\ntR.")
            "#, "threw:AttributeError"),
        python("a pickle that runs code without end", r"
            import pickle, sys
            pickle.loads(b'c__builtin__\nexec\n(Vwhile 1: pass\ntR.')
            ", "limit:fuel"),
        python("a pickle that is broken", r"
            import pickle
            pickle.loads(b'(' + b'I1\n' + b'l' + b'(2' * 40 + b'.')
            ", "threw:UnpicklingError"),
    ]
}
