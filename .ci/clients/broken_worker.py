"""A worker on a raw socket that sends two events of a stream and resets the connection. Prints its port."""

import socket
import struct
import threading

HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
)
MODELS = b'{"object":"list","data":[{"id":"broken-1","object":"model","owned_by":"test"}]}'


def chunk(payload: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(payload), payload)


def delta(text: str) -> bytes:
    return (
        'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"broken-1","choices":'
        '[{"index":0,"delta":{"content":"%s"},"finish_reason":null}]}\n\n' % text
    ).encode()


def read_request(conn: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        more = conn.recv(65536)
        if not more:
            return b""
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    while len(body) < length:
        body += conn.recv(65536)
    return head


def serve(conn: socket.socket) -> None:
    while True:
        head = read_request(conn)
        if not head:
            conn.close()
            return
        if head.startswith(b"POST"):
            conn.sendall(HEAD + chunk(delta("one")) + chunk(delta(" two")))
            conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            threading.Event().wait(0.2)
            conn.close()
            return
        body = MODELS if b"/v1/models" in head.split(b"\r\n")[0] else b"{}"
        conn.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body))


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    accepted, _ = listener.accept()
    threading.Thread(target=serve, args=(accepted,), daemon=True).start()
