"""An HTTP server of a test, between two programs."""
import http.server
import threading


class Listener:
    """Calls answer(handler) for each request, within its context. `port`: where it listens."""

    def __init__(self, answer):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self):
                answer(self)

            do_GET = do_POST = do_PUT = do_HEAD = do_DELETE = pass_on

            def log_message(self, *arguments):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.port = self.http.server_port
        self.thread = threading.Thread(target=self.http.serve_forever)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *failure):
        self.http.shutdown()
        self.thread.join()
        self.http.server_close()
