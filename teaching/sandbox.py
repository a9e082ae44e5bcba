"""Kernels in a sandbox: what learners' code can reach while it is graded.

It sees Python, the package `pe_lessons` and a folder of its own that is gone afterwards. It sees no network,
no other process, no class folder and no home. Its memory, its files, its processes and its time are bounded,
and all that it started ends with it. The sandbox is bubblewrap's, which needs Linux.
"""

import asyncio
import contextlib
import ctypes.util
import errno
import functools
import itertools
import json
import os
import re
import shlex
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from pathlib import Path

import marking
import psutil
import zmq
from jupyter_client.manager import AsyncKernelManager

ROOT = Path(__file__).resolve().parents[1]
MEMORY = 4 << 30  # bytes, of all processes of one learner together
FILES = 256 << 20  # bytes in each of the three places where it can write
NAMES = 50_000  # files in all of them: an empty one takes memory too, which is the kernel's
# Bytes of a frame, and values in JSON, that a kernel may send at once; and by how many bytes the process that
# grades may have grown, as a message has any number of frames, and many may wait.
MESSAGE, PARTS, HEARD = 200_000_000, 4_000_000, 3 << 30
REPLIES = 10_000  # more than all cells need: while others come without a pause, nbclient looks at no clock
TASKS = 128  # processes and threads
# Of one process. Pipes of all hold 64 MB (pipe-user-pages-soft), above it 8 kB each; for sockets, `queued`.
OPEN = 512
SECONDS = 600  # of computing, for a whole notebook
PATIENCE = 5  # so many times as long may pass on the clock: the machine may have other work
IDLE = 60  # seconds on the clock for which no honest notebook computes nothing
SEEN = ["/usr", "/bin", "/lib", "/lib64", "/sbin", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts"]
ALLOWED = tomllib.loads((ROOT / "teaching" / "allowed_calls.toml").read_text(encoding="utf-8"))
KEPT = ("LANG", "LC_ALL", "MPLBACKEND", "NBGRADER_EXECUTION", "PYTHONHASHSEED", "PYTHONPATH")


@functools.cache
def allowing():
    """A file with the kernel's program (seccomp) that lets these calls through, and none of 32 bits."""
    import pyseccomp  # which fails where libseccomp is missing

    newer, newest = pyseccomp.ERRNO(errno.ENOSYS), 0
    # Root owns the machine's /dev/null, and no sandbox can show it read-only: an owner's calls do nothing.
    owners = pyseccomp.ALLOW if os.getuid() else pyseccomp.ERRNO(0)
    program = pyseccomp.SyscallFilter(pyseccomp.ERRNO(errno.EPERM))
    # clone3's flags lie in memory, where no filter sees them. Told that there is none, libc calls clone.
    program.add_rule(newer, "clone3")
    for name, *where in [*map(str.split, ALLOWED["whole"].split()), *ALLOWED["in_part"]]:
        number = pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name)
        newest = max(newest, number)
        each = ([(one, bits, value) for value in values] for one, bits, *values in where)
        for tests in itertools.product(*each) if number != -1 else ():  # -1: libseccomp is older
            arguments = (pyseccomp.Arg(one, pyseccomp.MASKED_EQ, *test) for one, *test in tests)
            how = owners if re.search("chmod|chown|utime", name) else pyseccomp.ALLOW
            program.add_rule(how, number, *arguments)
    file = marking.without_answers() / "allowed"
    with file.open("wb", 0) as written:  # libc does without calls that came later, if they are not there
        written.write(struct.pack(3 * "HBBI", 0x20, 0, 0, 0, 0x35, 0, 1, newest + 1, 0x06, 0, 0, newer))
        program.export_bpf(written)
    return file


def command(inside, *more):
    """The words that run the command `inside` a sandbox; `more` tells bubblewrap what else is seen there.

    What it writes lies in memory, in three places of a bounded size: so a file that was deleted, and that is
    still open, or is mapped, or waits in a socket, takes no more room than any other.
    """
    own = [sys.base_prefix, sys.prefix, *(path for path in sys.path if path.endswith("-packages"))]
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    words += ["--cap-drop", "ALL", "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"]  # root's
    words += ["--tmpfs", "/proc/1", "--remount-ro", "/proc/1"]  # its memory, into which others might write
    words += ["--dev", "/dev", "--size", str(FILES), "--tmpfs", "/dev/shm"]
    for path in filter(os.path.exists, ("/dev/zero", "/proc/keys", "/proc/key-users", "/proc/cmdline")):
        words += ["--ro-bind", "/dev/null", path]  # whose memory is such, where it is mapped; names
    words += ["--remount-ro", "/proc", "--remount-ro", "/dev", "--size", str(FILES), "--tmpfs", "/tmp"]
    words += ["--size", str(FILES), "--tmpfs", "/home/learner", "--dir", "/tmp/matplotlib"]
    words += ["--dir", "/home/learner/course/notebooks"]  # as at home, where ".." is the course's
    for path in dict.fromkeys([*SEEN, *own]):
        words += ["--ro-bind-try", path, path]
    # JupyterLab's, where course.py found no other home; IPython's history, with answers; a hub's keys.
    for path in filter(os.path.isdir, (f"{sys.prefix}/home", f"{sys.prefix}/ipython", f"{sys.prefix}/hub")):
        words += ["--tmpfs", path, "--remount-ro", path]
    words += ["--ro-bind", str(marking.without_answers() / "pe_lessons"), str(ROOT / "pe_lessons")]
    for fonts in Path(os.environ.get("MPLCONFIGDIR", "/nowhere")).glob("fontlist-*.json"):
        words += ["--ro-bind", str(fonts), f"/tmp/matplotlib/{fonts.name}"]
    words += [*more, "--remount-ro", "/", "--chdir", "/home/learner/course/notebooks"]  # the root has no size
    variables = {one: os.environ[one] for one in os.environ if one in KEPT or one.endswith("_NUM_THREADS")}
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), variables.get("PYTHONPATH")]))
    variables |= {"HOME": "/home/learner", "USER": "learner", "MPLCONFIGDIR": "/tmp/matplotlib"}
    variables |= {"PYTHONDONTWRITEBYTECODE": "1", "PE_LESSONS_LOOK_ONLY": "{}"}
    variables["PATH"] = f"{sys.prefix}/bin:/usr/bin:/bin"
    for name, value in variables.items():
        words += ["--setenv", name, value]
    limits = [f"--as={4 * MEMORY}", f"--fsize={FILES}", f"--nofile={OPEN}", "--core=0"]
    # `_watch` comes before the first, and says why; root is not bound by it. Signals wait in a room for all.
    limits += [f"--nproc={2 * TASKS}", "--sigpending=1000", "--rtprio=0", "--nice=0"]
    words += ["prlimit", *limits, "--", *inside]
    return ["sh", "-c", f'exec bwrap --seccomp 9 "$@" 9< {shlex.quote(str(allowing()))}', *words]


def family_of(pid):
    """A process and all that it started; nobody if it has just ended."""
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    return []


def computed(pid):
    """Seconds for which a process and all that it started have computed, whatever else the machine did."""
    seconds = 0.0
    for one in family_of(pid):
        with contextlib.suppress(psutil.Error):
            seconds += sum(one.cpu_times()[:4])  # its own, and of its children that have ended
    return seconds


def queued(pid):
    """Bytes that the sockets of a process's network may hold in their queues: no process is charged for them.

    A socket lives on while something waits in its queue, or while it waits to be accepted, though nobody has
    it open: so a bound on open files does not bound them.
    """
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as one:
        used = Path(f"/proc/{pid}/net/sockstat").read_text().split()[2]
        # A queue may exceed its bound by one message.
        return int(used) * 2 * one.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
    return 0  # it has just ended


def held(process, shared):
    """Bytes of memory that a process has; unless `shared`, its part only of what it shares with others."""
    size = 0
    with contextlib.suppress(psutil.Error, OSError, StopIteration):
        size = process.memory_info().rss
        tasks = Path(f"/proc/{process.pid}/task")
        if not size:  # its first thread may have ended, and left all to the others
            rest = [int(one.read_text().split()[1]) for one in tasks.glob("*/statm")]
            size = os.sysconf("SC_PAGE_SIZE") * max(rest, default=0)
        elif not shared:
            size = process.memory_full_info().pss
        more = (re.findall(r"Vm(?:PTE|Swap):\s+(\d+)", one.read_text()) for one in tasks.glob("*/status"))
        size += sum(map(int, next(filter(None, more)))) << 10  # tables of memory that was only read
    return size


def taken(processes):
    """Bytes of memory that a sandbox takes; the first process is outside of it, the second its first one."""
    start, memory = time.monotonic(), sum(held(one, True) for one in processes)
    if memory > MEMORY:  # the parts take time: what is left after a second counts whole
        memory = sum(held(one, time.monotonic() - start > 1) for one in processes)
    return memory + sum(queued(one.pid) for one in processes[1:2])


def names(places):
    """How many files there are in these places, which are open: in /proc, a process can hide them."""
    return sum(one.f_files - one.f_ffree for one in map(os.statvfs, places))


@functools.cache
def missing():
    """Why answers cannot run in a sandbox on this machine, or None. All of them would get 0 points."""
    if not sys.platform.startswith("linux"):
        return "bubblewrap, which makes the sandbox, is for Linux only (a virtual machine or WSL will do)"
    if not (shutil.which("bwrap") and ctypes.util.find_library("seccomp")):
        return "there is no bubblewrap or no libseccomp (Ubuntu: sudo apt install bubblewrap libseccomp2)"
    words = [sys.executable, "-c", "import pe_lessons.exercises, torch, matplotlib"]
    run = subprocess.run(command(words), capture_output=True, text=True)
    if run.returncode:
        said, call = run.stderr.strip()[-300:], "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"
        how = f"python3 course.py grade installs what is needed; Ubuntu 24.04 allows bubblewrap after: {call}"
        return f"answers cannot run in one here: {said} ({how})"
    return None


class SandboxedKernelManager(AsyncKernelManager):
    """Starts a kernel in a sandbox, and talks to it through sockets that it makes in its own /tmp."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.place = tempfile.TemporaryDirectory(prefix="kernel_")
        self.connection_file = os.path.join(self.place.name, "kernel.json")
        self.transport, self.ip = "ipc", f"/tmp/{os.path.basename(self.place.name)}"
        self.ended_because, self.held, self.places = None, contextlib.ExitStack(), []
        self.session.unpack, self.session.username = self._unpacked, "learner"
        self.context.setsockopt(zmq.SNDTIMEO, 60_000)  # else a kernel that takes nothing stops who sends

    def client(self, **options):
        client = super().client(**options)
        client.context.setsockopt(zmq.MAXMSGSIZE, MESSAGE)
        replies, hear = itertools.count(1), client.shell_channel.get_msg

        async def get_msg(**options):
            message = await hear(**options)
            if next(replies) > REPLIES:
                self.ended_because = f"it sent more than {REPLIES:,} replies"
                raise ValueError(self.ended_because)
            return message

        client.shell_channel.get_msg = get_msg
        return client

    def _unpacked(self, message):
        """What the kernel says, if it has no more parts than can be held here."""
        message = bytes(message)
        if sum(map(message.count, (b",", b"[", b"{"))) > PARTS:
            self.ended_because = f"it sent a message of more than {PARTS:,} parts"
            raise ValueError(self.ended_because)
        return json.loads(message)

    def format_kernel_cmd(self, extra_arguments=None):
        self.kernel_spec.interrupt_mode = "message"  # a signal would reach the sandbox only
        told = "--ro-bind", self.connection_file, self.connection_file
        more = [*(extra_arguments or ()), "--HistoryManager.enabled=False"]  # its database needs locks
        return command(super().format_kernel_cmd(more), *told)

    async def _async_launch_kernel(self, kernel_cmd, **options):
        # The learner's code does not write on the teacher's terminal, and bubblewrap itself, whose variables
        # show in the sandbox as those of process 1, knows nothing of the teacher's.
        nowhere = subprocess.DEVNULL
        options |= {"stdout": nowhere, "stderr": nowhere, "cwd": self.place.name}
        options["env"] = {"PATH": os.environ["PATH"]}
        await super()._async_launch_kernel(kernel_cmd, **options)
        process = psutil.Process(self.provisioner.pid)
        self.ends = [process]

        def watch():
            with self.held:
                try:
                    self._watch(process)
                except Exception as problem:  # nothing runs without limits
                    self.ended_because = f"its limits could not be watched ({type(problem).__name__})"
                for one in self.ends:  # with process 1 of the sandbox, all in it
                    with contextlib.suppress(psutil.Error):
                        one.kill()

        threading.Thread(target=watch).start()  # no daemon: who graded waits for its end
        while self.provisioner.process.poll() is None:
            family = family_of(process.pid)
            if len(family) > 2:  # bubblewrap's own, and what it runs
                self.ends[1:] = family[1:2]
                with contextlib.suppress(OSError):
                    self.ip = self._ways(f"/proc/{family[2].pid}/root")
                    return
            await asyncio.sleep(0.01)

    def _ways(self, root):
        """Where the sockets are reached, once all are there: nothing of a learner runs before that.

        Later a notebook may put a link in their place, which would lead out of the sandbox.
        """
        place = f"{root}{self.ip}"
        _ = [os.stat(f"{place}-{port}") for port in self.ports]  # an error where one is missing
        for port in self.ports:
            one = os.open(f"{place}-{port}", os.O_PATH | os.O_NOFOLLOW)
            self.held.callback(os.close, one)
            os.symlink(f"/proc/self/fd/{one}", f"{self.place.name}/to-{port}")
        # The path of a socket must be short; and /proc shows no places once a first thread has ended.
        paths = self.place.name, f"{root}/tmp", f"{root}/dev/shm", f"{root}/home/learner"
        folder, *self.places = (os.open(path, os.O_PATH) for path in paths)
        for one in (folder, *self.places):
            self.held.callback(os.close, one)
        return f"/proc/self/fd/{folder}/to"

    def _watch(self, process):
        """End the sandbox when it takes more than its share: limits of the system count single processes."""
        start, before = time.monotonic(), held(psutil.Process(), True)
        while process.is_running() and not self.ended_because:
            family, tasks = family_of(process.pid), 0
            for one in family:  # a machine without memory ends these, and not what grades
                with contextlib.suppress(OSError):
                    tasks += len(os.listdir(f"/proc/{one.pid}/task"))
                    Path(f"/proc/{one.pid}/oom_score_adj").write_text("1000")
            seconds = computed(process.pid)
            if taken(family) > MEMORY:
                self.ended_because = f"it asked for more than {MEMORY >> 30} GB of memory"
            elif tasks > TASKS:
                self.ended_because = f"it started more than {TASKS} processes and threads"
            elif names(self.places) > NAMES:
                self.ended_because = f"it made more than {NAMES:,} files"
            elif held(psutil.Process(), True) - before > HEARD:
                self.ended_because = f"it sent more than {HEARD >> 20} MB at once"
            elif seconds > SECONDS:
                self.ended_because = f"all cells together computed for more than {SECONDS // 60} minutes"
            elif (took := time.monotonic() - start) > PATIENCE * max(IDLE, seconds):
                self.ended_because = f"all cells together took {took:.0f} s, and computed for {seconds:.0f} s"
            time.sleep(0 if self.ended_because else 0.3)
