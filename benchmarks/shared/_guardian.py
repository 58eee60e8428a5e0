"""Runs a server for as long as the process that started it lives: `python _guardian.py FOLDER PROGRAM [WORD…]`.

The starter keeps a pipe to this program's standard input. It closes when the starter ends, by whatever signal; then the
server is ended at once and the folder deleted. A server that ends by itself ends this program with its exit code.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading


def main() -> int:
    """Run the server; its exit code comes back."""
    folder, *words = sys.argv[1:]
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the pipe alone says when to end
    server = subprocess.Popen(words, stdin=subprocess.DEVNULL, cwd="/", start_new_session=True)
    threading.Thread(target=_end_with_starter, args=(server,), daemon=True).start()
    code = server.wait()
    shutil.rmtree(folder, ignore_errors=True)
    return code


def _end_with_starter(server: subprocess.Popen[bytes]) -> None:
    while os.read(0, 4096):
        pass
    os.killpg(server.pid, signal.SIGQUIT)  # to PostgreSQL: an immediate shutdown


if __name__ == "__main__":
    sys.exit(main())
