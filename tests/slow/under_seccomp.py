"""Runs a program as a container would: under rules for system calls, as a user, without a way to more rights.

    python tests/slow/under_seccomp.py RULES.json "NAMES ALSO FORBIDDEN" PROGRAM [ARGUMENT...]     (as root)
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from pathlib import Path

USER = 10001
# From seccomp.h and prctl.h.
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
NO_NEW_PRIVS = 38


def main(arguments: list[str]) -> None:
    rules, also, *command = arguments
    library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(ALLOW)))
    for rule in json.loads(Path(rules).read_text("utf-8"))["syscalls"]:
        for name in (*rule["names"], *also.split()):
            number = library.seccomp_syscall_resolve_name(name.encode())
            if number == -1:
                raise SystemExit(f"there is no system call {name}")
            forbid = ctypes.c_uint32(ERRNO | rule["errnoRet"])
            library.seccomp_rule_add(context, forbid, ctypes.c_int(number), ctypes.c_uint(0))
    os.setgroups([])
    os.setgid(USER)
    os.setuid(USER)
    ctypes.CDLL(None).prctl(NO_NEW_PRIVS, 1, 0, 0, 0)
    if library.seccomp_load(context) != 0:
        raise SystemExit("the rules could not be loaded")
    os.execvp(command[0], command)  # noqa: S606 - the program is the test's


if __name__ == "__main__":
    main(sys.argv[1:])
