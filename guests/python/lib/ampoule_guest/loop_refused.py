"""What an event loop elsewhere has and this one has not: each says what to use instead."""

from .own import __builtins__

from .absent import PROCESSES, SIGNALS, SOCKETS
from .loop import Loop

# What an event loop elsewhere has, by what to use instead.
REFUSED = {
    SOCKETS: (
        "create_connection create_server create_unix_connection create_unix_server create_datagram_endpoint start_tls sendfile sock_recv "
        "sock_recv_into sock_recvfrom sock_recvfrom_into sock_sendall sock_sendto sock_connect sock_accept sock_sendfile getaddrinfo "
        "getnameinfo connect_accepted_socket add_reader remove_reader add_writer remove_writer connect_read_pipe connect_write_pipe"
    ),
    PROCESSES: "subprocess_exec subprocess_shell",
    SIGNALS: "add_signal_handler remove_signal_handler",
}


def _refusal(name, advice):
    def refuse(self, *args, **options):
        raise NotImplementedError(f"{name}: {advice}")

    refuse.__name__ = name
    return refuse


def install():
    """Puts the errors in place, before the snapshot."""
    for advice, names in REFUSED.items():
        for name in names.split():
            setattr(Loop, name, _refusal(name, advice))

