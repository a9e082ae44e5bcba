"""Kernels in a sandbox: what learners' code can reach while it is graded.

It sees Python, the package `pe_lessons` and a folder of its own that is gone afterwards. It sees no network,
no other process, no class folder and no home. Its memory, its files, its processes and its time are bounded,
and all that it started ends with it. The sandbox is bubblewrap's, which needs Linux.
"""

import asyncio
import contextlib
import functools
import json
import os
import platform
import shlex
import shutil
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import marking
import psutil
import zmq
from jupyter_client.manager import AsyncKernelManager
from traitlets import default

ROOT = Path(__file__).resolve().parents[1]
MEMORY = 4 << 30  # bytes, of all processes of one learner together
FILES = 256 << 20  # bytes in each of its two folders
MESSAGE, PARTS = 200_000_000, 20_000_000  # bytes, and values in JSON, that a kernel may send at once
PROCESSES = 128
# Open files of one process. Pipes of all of them hold 64 MB (the kernel's pipe-user-pages-soft, which bounds
# F_SETPIPE_SZ too), and 8 kB each above that: 0.6 GB at most. For sockets there is `queued`.
OPEN = 512
SECONDS = 600  # of computing, for a whole notebook
PATIENCE = 5  # so many times as long may pass on the clock: the machine may have other work
IDLE = 60  # seconds on the clock for which no honest notebook computes nothing
SEEN = ["/usr", "/bin", "/lib", "/lib64", "/sbin", "/etc/ld.so.cache", "/etc/alternatives"]
# What fails in a sandbox, as the kernel numbers it: shmget, msgget, semget, mount, fsopen, fsmount,
# memfd_create and memfd_secret make memory that no process is charged for; add_key, request_key and keyctl
# reach the keys of the teacher's session; io_uring_setup has a way of its own to sockets; unshare makes
# networks, whose sockets nobody would count; inotify_init and inotify_init1 use up what the teacher's editor
# needs. Before them are `socket`, `setsockopt` and `clone`, which do some things only.
REFUSED = {
    "x86_64": (
        *(0xC000003E, 41, 54, 56),
        *(29, 68, 64, 165, 430, 432, 319, 447, 248, 249, 250, 425, 272, 253, 294),
    ),
    "aarch64": (
        *(0xC00000B7, 198, 208, 220),
        *(194, 186, 190, 40, 430, 432, 279, 447, 217, 218, 219, 425, 97, 26),
    ),
}
CLONE3 = 435
KEPT = ("LANG", "LC_ALL", "MPLBACKEND", "NBGRADER_EXECUTION", "PATH", "PYTHONHASHSEED", "PYTHONPATH")


@functools.cache
def refusing():
    """A file with the kernel's program (seccomp) that lets these calls fail, and those of 32 bits."""
    architecture, make_socket, setsockopt, clone, *refused = REFUSED[platform.machine()]
    fail, allow = (0x06, 0, 0, 0x50001), (0x06, 0, 0, 0x7FFF0000)  # return EPERM, or do it
    program = [(0x20, 0, 0, 4), (0x15, 1, 0, architecture), fail]  # another architecture
    program += [(0x20, 0, 0, 0), (0x35, 0, 1, 1 << 30), fail]
    for number in refused:
        program += [(0x15, 0, 1, number), fail]
    # Its flags lie in memory, where no filter sees them. Told that there is no such call, libc calls clone.
    program += [(0x15, 0, 1, CLONE3), (0x06, 0, 0, 0x50026)]
    # Each of these looks at an argument, and ends: clone must not make a user of its own (CLONE_NEWUSER).
    program += [(0x15, 0, 4, clone), (0x20, 0, 0, 16), (0x45, 0, 1, 1 << 28), fail, allow]
    program += [(0x15, 0, 7, setsockopt), (0x20, 0, 0, 32)]  # SO_SNDBUF, SO_RCVBUF, and both with FORCE: fail
    program += [(0x15, 3, 0, 7), (0x15, 2, 0, 8), (0x15, 1, 0, 32), (0x15, 0, 1, 33), fail, allow]
    program += [(0x15, 0, 6, make_socket), (0x20, 0, 0, 16), (0x15, 4, 0, 1)]  # another call, or files: allow
    program += [(0x15, 0, 2, 16), (0x20, 0, 0, 32), (0x15, 1, 0, 0)]  # the sandbox's own addresses: allow
    program += [fail, allow]
    file = marking.without_answers() / "refused"
    file.write_bytes(b"".join(struct.pack("HBBI", *step) for step in program))
    return file


def command(shared, inside):
    """The words before a command that runs `inside` a sandbox, where the folder `shared` can be written."""
    own = [sys.base_prefix, sys.prefix, *(path for path in sys.path if path.endswith("-packages"))]
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    words.append("--clearenv")
    words += ["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"]  # root's, where root grades
    words += ["--dev", "/dev", "--size", str(FILES), "--tmpfs", "/dev/shm"]
    words += ["--remount-ro", "/dev", "--size", str(FILES), "--tmpfs", "/tmp"]
    words += ["--size", str(FILES), "--tmpfs", "/home/learner", "--dir", "/tmp/matplotlib"]
    for path in dict.fromkeys([*SEEN, *own]):
        words += ["--ro-bind-try", path, path]
    words += ["--ro-bind", str(marking.without_answers() / "pe_lessons"), str(ROOT / "pe_lessons")]
    for fonts in Path(os.environ.get("MPLCONFIGDIR", "/nowhere")).glob("fontlist-*.json"):
        words += ["--ro-bind", str(fonts), f"/tmp/matplotlib/{fonts.name}"]
    # What is written to the root would lie in the machine's memory, and no limit would count it.
    words += ["--bind", shared, shared, "--remount-ro", "/", "--chdir", "/home/learner"]
    variables = {
        name: os.environ[name] for name in os.environ if name in KEPT or name.endswith("_NUM_THREADS")
    }
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), variables.get("PYTHONPATH")]))
    variables |= {
        "HOME": "/home/learner",
        "USER": "learner",
        "MPLCONFIGDIR": "/tmp/matplotlib",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PE_LESSONS_LOOK_ONLY": "{}",
    }
    for name, value in variables.items():
        words += ["--setenv", name, value]
    limits = [f"--as={4 * MEMORY}", f"--fsize={FILES}", f"--nofile={OPEN}", "--core=0"]
    limits.append(f"--nproc={2 * PROCESSES}")  # `_watch` comes first, and says why
    words += ["prlimit", *limits, "--", *inside]
    if platform.machine() not in REFUSED:
        return words
    return ["sh", "-c", f'exec bwrap --seccomp 9 "$@" 9< {shlex.quote(str(refusing()))}', *words]


def computed(pid):
    """Seconds for which a process and all that it started have computed, whatever else the machine did."""
    seconds = 0.0
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.Error):
                seconds += sum(one.cpu_times()[:4])  # its own, and of its children that have ended
    return seconds


def stored(place):
    """Bytes of the files in a place, each at least a block.

    Too much is a folder, as it may be deep, and a file that runs with its owner's rights.
    """
    sizes = 0
    for one in os.scandir(place):
        with contextlib.suppress(OSError):
            about = one.stat(follow_symlinks=False)
            odd = stat.S_ISDIR(about.st_mode) or about.st_mode & (stat.S_ISUID | stat.S_ISGID)
            sizes += FILES + 1 if odd else max(4096, about.st_size)
    return sizes


def nameless(processes):
    """Bytes of open files that have no name (any more), in memory or on a disk: no other count has them.

    A process that hides them has too much. Bubblewrap's own two, which are the first, may do so.
    """
    sizes = {}
    for number, process in enumerate(processes):
        if number > 1 and not os.access(f"/proc/{process.pid}/fd", os.R_OK):
            with contextlib.suppress(psutil.NoSuchProcess):
                if process.status() != psutil.STATUS_ZOMBIE:
                    return MEMORY + 1
        with contextlib.suppress(OSError):
            for one in os.scandir(f"/proc/{process.pid}/fd"):
                with contextlib.suppress(OSError):
                    about = os.stat(one.path)
                    if stat.S_ISREG(about.st_mode) and not about.st_nlink:
                        sizes[about.st_dev, about.st_ino] = about.st_blocks * 512
    return sum(sizes.values())


def queued(pid):
    """Bytes that the sockets of a process's network may hold in their queues: no process is charged for them.

    A socket lives on while something waits in its queue, or while it waits to be accepted, though nobody has
    it open: so a bound on open files does not bound them.
    """
    used = Path(f"/proc/{pid}/net/sockstat").read_text().split()[2]
    with socket.socket(socket.AF_UNIX) as one:  # a queue may exceed its bound by one message
        return int(used) * 2 * one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)


def held(process, shared):
    """Bytes of memory that a process has; unless `shared`, its part only of what it shares with others."""
    size = 0
    with contextlib.suppress(psutil.Error):
        size = process.memory_info().rss
        size = size if shared else process.memory_full_info().pss
    return size


def taken(processes):
    """Bytes of memory that a sandbox takes; the first process is outside of it, the second its first one."""
    memory = sum(held(one, True) for one in processes)
    if memory > MEMORY:  # the parts take time
        memory = sum(held(one, False) for one in processes)
    return memory + nameless(processes) + sum(queued(one.pid) for one in processes[1:2])


def missing():
    """Why there can be no sandbox on this machine, or None."""
    if not sys.platform.startswith("linux"):
        return "bubblewrap, which makes the sandbox, is for Linux only (a virtual machine or WSL will do)"
    if platform.machine() not in REFUSED:
        return f"nobody has told it which calls are dangerous on a processor {platform.machine()}"
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed (on Debian and Ubuntu: sudo apt install bubblewrap)"
    with tempfile.TemporaryDirectory() as shared:
        run = subprocess.run(command(shared, ["true"]), capture_output=True, text=True)
    if run.returncode:
        return (
            f"bubblewrap may not make one here: {run.stderr.strip()} (Ubuntu 24.04 allows it after: "
            "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0)"
        )
    return None


class OpenKernelManager(AsyncKernelManager):
    """Starts a kernel with all rights of the teacher, but without right answers."""

    async def _async_launch_kernel(self, kernel_cmd, **options):
        environment = {**(options.get("env") or os.environ), "PE_LESSONS_LOOK_ONLY": "{}"}
        environment.pop("PE_LESSONS_RUN", None)  # by which all seeds are drawn
        path = filter(None, [str(marking.without_answers()), environment.get("PYTHONPATH")])
        options["env"] = environment | {"PYTHONPATH": os.pathsep.join(path)}
        await super()._async_launch_kernel(kernel_cmd, **options)


class SandboxedKernelManager(AsyncKernelManager):
    """Starts a kernel in a sandbox, and talks to it through sockets in a folder that both see."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        # A learner can open the shared folder to everybody, but not the one around it.
        self.place = tempfile.mkdtemp(prefix="kernel_")
        self.shared = os.path.join(self.place, "shared")
        os.mkdir(self.shared)
        self.connection_file = os.path.join(self.shared, "kernel.json")
        self.ended_because = None
        self._over = threading.Event()
        self.session.unpack = self._unpacked

    def client(self, **options):
        client = super().client(**options)
        client.context.setsockopt(zmq.MAXMSGSIZE, MESSAGE)
        return client

    def _unpacked(self, message):
        """What the kernel says, if it has no more parts than can be held here."""
        message = bytes(message)
        if sum(map(message.count, (b",", b"[", b"{"))) > PARTS:
            self.ended_because = f"it sent a message of more than {PARTS:,} parts"
            raise ValueError(self.ended_because)
        return json.loads(message)

    @default("transport")
    def _by_files(self):
        return "ipc"

    def format_kernel_cmd(self, extra_arguments=None):
        self.kernel_spec.interrupt_mode = "message"  # a signal would reach the sandbox only
        return command(self.shared, super().format_kernel_cmd(extra_arguments))

    async def _async_launch_kernel(self, kernel_cmd, **options):
        # The learner's code does not write on the teacher's terminal, and bubblewrap itself, whose variables
        # show in the sandbox as those of process 1, knows nothing of the teacher's.
        nowhere = subprocess.DEVNULL
        options |= {
            "cwd": self.shared,
            "stdout": nowhere,
            "stderr": nowhere,
            "env": {"PATH": os.environ["PATH"]},
        }
        await super()._async_launch_kernel(kernel_cmd, **options)
        threading.Thread(target=self._watch, args=(self.provisioner.pid,), daemon=True).start()

    def _watch(self, pid):
        """End the sandbox when it takes more than its share: limits of the system count single processes."""
        start = time.monotonic()
        while not self._over.wait(0.3):
            try:
                process = psutil.Process(pid)
                family = [process, *process.children(recursive=True)]
                for one in family:  # a machine without memory ends these, and not what grades
                    with contextlib.suppress(OSError):
                        Path(f"/proc/{one.pid}/oom_score_adj").write_text("1000")
                memory = taken(family)
                files = stored(self.shared)
            except psutil.NoSuchProcess:
                if not psutil.pid_exists(pid):
                    return
                continue
            except PermissionError:  # the learner has locked the folder
                memory, files = 0, FILES + 1
            except OSError:
                continue
            if memory > MEMORY:
                self.ended_because = f"it asked for more than {MEMORY >> 30} GB of memory"
            elif files > FILES:
                self.ended_because = f"it wrote more than {FILES >> 20} MB, or a folder, next to its sockets"
            elif len(family) > PROCESSES:
                self.ended_because = f"it started more than {PROCESSES} processes"
            elif (seconds := computed(pid)) > SECONDS:
                self.ended_because = f"all cells together computed for more than {SECONDS // 60} minutes"
            elif (took := time.monotonic() - start) > PATIENCE * max(IDLE, seconds):
                self.ended_because = f"all cells together took {took:.0f} s, and computed for {seconds:.0f} s"
            if self.ended_because:
                process.kill()
                return

    async def _async_cleanup_resources(self, restart=False):
        await super()._async_cleanup_resources(restart)
        if not restart:
            self._over.set()
            # rmtree fails where folders are deep
            await asyncio.to_thread(subprocess.run, ["rm", "-rf", self.place])

    cleanup_resources = _async_cleanup_resources
