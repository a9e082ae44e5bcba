"""nbgrader's running of a notebook, made to take nothing on trust."""

import ast
import asyncio
import binascii
import builtins
import contextlib
import html
import re
import symtable
import time
import warnings

import marking
import nbformat
from nbgrader.preprocessors import Execute
from nbgrader.utils import is_grade
from sandbox import PATIENCE, SandboxedKernelManager, computed
from traitlets import Integer, Unicode

from pe_lessons.exercises.result import LOOK_TYPE

TEXT = 20_000  # characters of one cell's output that are kept
PICTURES = 5_000_000  # characters of everything else
ALL = 20_000_000  # bytes that the outputs of all cells may take on a page; four pixels count as one
PIXELS = 16_000_000  # of a picture: 24 kB may hold so many that a browser takes a gigabyte
LONG = 2_000  # characters of a cell, or of a line
HARMLESS = {  # kinds of output that a page may show
    "text/plain": lambda text: isinstance(text, str),
    "image/png": lambda text: isinstance(text, str) and 0 < pixels(text) <= PIXELS,
}
# What moves or turns round the text after it on a page; colours, tabs and ends of lines stay.
HEARD = {"status", "stream", "display_data", "execute_result", "error", "execute_input", "clear_output"}
UNSEEN = re.compile("(?![\t\n\r\x1b])[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
COLOUR = re.compile(r"\x1b\[(?![\d;]*\b0*[34]8m)[\d;]*m", re.ASCII)  # a page can't be made of a bare 38 or 48
LOOK = 1  # seconds between two looks at a cell that still runs
TELL = "{0}.check.__func__.__globals__['LOOK_ONLY']['{0}'] = {1}"  # where this check looks, if imported anew
TO_A_FILE = re.compile(r"(?<!!)\[([^][]*)\]\((?!\w+:|#)([^()\s]+)\)")  # a file that is not there
BELOW = "a cell below the check defines the answer, and the check did not see it"
ABOVE = "a cell above defines the answer, and the empty answer's cell defines it again"
CUT = "The outputs were too large for one page, so some are left out here. That costs no points."
IMPORT = re.compile(r"(?m)^(?:from|import) [^\n(]*(?:\([^)]*\))?")
SLOW = "import"  # perhaps it took a function's time
SPARED = "Some cells and imports of the lesson were not run, because no answer uses them."


class Run(Execute):
    """Runs a notebook in a sandbox, survives the end of its kernel, and gives no point without a verdict."""

    heading = Unicode("", help="what stands near the top of every feedback page").tag(config=True)
    startup_timeout, iopub_timeout = Integer(300), Integer(60)  # a busy machine starts late, and sends late

    def preprocess(self, nb, resources, km=None):
        marking.seeds.cache_clear(), marking.renewed.cache_clear()  # so that no other's replies fit
        self.idle = not_needed(nb.cells)
        self.shorter = without_spare_imports(nb.cells, self.idle)
        nb, resources = self.run(nb, resources, km)
        spared = " ".join(nb.cells[number].source for number in {*self.idle, *self.shorter})
        if found := missed(nb.cells, self.looks).intersection(re.findall(r"\w+", spared)):
            self.idle, self.shorter = self.idle if found == {SLOW} else set(), {}
            nb, resources = self.run(nb, resources, km)
        nb.metadata["stopped"] = [*self.stopped]
        for cell in nb.cells:
            make_harmless(cell)
        told = (html.escape(note, quote=False) for note in nb.metadata.get("course_notes", []))
        notes = [*told, self.heading, self.idle and SPARED, "Cut" in self.stopped and CUT]
        nb.cells.insert(0, nbformat.v4.new_markdown_cell("\n\n".join(filter(None, notes))))
        return nb, resources

    def run(self, nb, resources, km):
        self.left, self.room, self.reached = ALL, {}, -1
        self.looks, self.stopped = {}, {}  # what each check told of an answer; why cells were stopped
        try:
            nb, resources = super().preprocess(nb, resources, km)
        except Exception as problem:  # of many kinds: whatever ends a kernel
            why = getattr(self.manager, "ended_because", None) or (
                "it did not end when it was told to"
                if isinstance(problem, TimeoutError)
                else f"it ended Python itself ({type(problem).__name__})"
            )
            self.log.error("the kernel ended in cell %d: %s", self.reached, why)
            if self.reached < 0:  # nothing of a learner ran, so no mark comes of it
                raise RuntimeError(f"no cell was run: {why}") from problem
            self.stopped["NotRun"] = True
            for cell in (cell for cell in nb.cells[max(self.reached, 0) :] if cell.cell_type == "code"):
                cell.outputs.append(
                    marking.error("NotRun", f"A cell stopped the notebook: {why}. What follows was not run.")
                )
                why = "see above"
        for index, cell in enumerate(nb.cells):
            if is_grade(cell):
                marking.write_verdict(cell, self.looks.get(index))
                if "NotRun" in self.stopped and index >= self.reached:
                    cell.metadata[marking.VERDICT]["cause"] = "NotRun"
                if where := made_elsewhere(nb.cells, index):
                    cell.metadata[marking.VERDICT]["where"] = where
                    [told, *_] = [one for one in cell.outputs if one.output_type == "error"]
                    told.traceback.append(f"Look: {where}.")
        return nb, resources

    def create_kernel_manager(self):
        self.kernel_manager_class = SandboxedKernelManager
        self.manager = super().create_kernel_manager()  # `self.km` is gone when its kernel is
        return self.manager

    def preprocess_cell(self, cell, resources, index):
        self.reached = index
        if index in self.idle:
            return cell, resources
        if is_grade(cell):  # now that the answer is there
            name = marking.exercise_of(cell)
            self.kc.execute(TELL.format(name, marking.seeds(name)), silent=True, store_history=False)
        self.began = self.moved = time.monotonic()
        self.before, self.heard = None, iter(range(500))  # of so many messages none gets lost
        source, cell.source = cell.source, self.shorter.get(index, cell.source)
        try:
            return super().preprocess_cell(cell, resources, index)
        finally:
            cell.source = source

    def _get_timeout(self, cell):
        """Seconds after which nbclient asks what to do with a cell that still runs; None: never."""
        return LOOK if cell and super()._get_timeout(cell) else None

    async def _async_handle_timeout(self, timeout, cell=None):
        """Stop a cell for what it computed: what the clock shows hangs on the other work of the machine."""
        now, clock = computed(self.manager.provisioner.pid), time.monotonic()
        if self.before is None:  # at the first look: to count in each cell would cost more than most cells do
            self.before = self.seen = now
        if now - self.seen > self.timeout / 100:  # what a kernel computes that does nothing is less
            self.seen, self.moved = now, clock
        if now - self.before >= self.timeout:
            why = "ComputedTooLong", f"stopped after {self.timeout} s of computing"
        elif clock - self.began >= PATIENCE * self.timeout or clock - self.moved >= self.timeout:
            why = "WaitedTooLong", f"stopped after {clock - self.began:.0f} s, most of it waiting"
        else:
            await asyncio.sleep(LOOK / 5)  # as nbclient looks again at once where an older reply came
            return None
        self.stopped[why[0]] = True
        self.error_on_timeout = marking.error(*why)
        return await super()._async_handle_timeout(timeout, cell)

    async def _async_poll_kernel_alive(self):
        with contextlib.suppress(AssertionError):  # nbclient has put its kernel away meanwhile
            await super()._async_poll_kernel_alive()

    def process_message(self, msg, cell, cell_index):
        """Leave out what no page shows and no limit counts: widgets, and what changes an older output."""
        self.raise_on_iopub_timeout = next(self.heard, None) is not None
        if msg["msg_type"] not in HEARD:
            return None
        msg["content"].pop("transient", None)  # by which a new output would change older ones
        return super().process_message(msg, cell, cell_index)

    def on_cell_executed(self, **told):
        """Of an error that no output told, nbgrader keeps what the reply says: here a few lines."""
        said = told["execute_reply"]["content"]
        if said["status"] == "error":
            lines = said.get("traceback")
            said["traceback"] = [str(line)[:LONG] for line in lines[:20]] if isinstance(lines, list) else []
            said.update({key: str(said.get(key))[:LONG] for key in ("ename", "evalue")})
        super().on_cell_executed(**told)

    def output(self, outs, msg, display_id, cell_index):
        """Keep an output as long as there is room, which LimitOutput of nbgrader reckons in lines only."""
        content, kind = msg["content"], msg["msg_type"]
        if kind == "display_data" and (look := content.get("data", {}).pop(LOOK_TYPE, None)):
            check, name = self.nb.cells[cell_index], content.get("metadata", {}).get("exercise")
            theirs = is_grade(check) and marking.exercise_of(check) == name
            if theirs and isinstance(look, str) and len(look) < marking.LONGEST:
                self.looks[cell_index] = look
        left = self.room.setdefault(cell_index, {"stream": TEXT, "other": PICTURES})
        if kind == "stream":
            if (room := min(left["stream"], self.left)) <= 0:
                self.stopped |= {"Cut": True} if self.left <= 0 else {}
                return None
            text = content["text"]
            if len(text) > room:
                content["text"] = f"{text[:room]}\n... (more was printed than is kept)\n"
            left["stream"] -= len(text)
            self.left -= on_page(text[:room])
        else:
            if kind == "error":
                content.update({key: content[key][: 2 * TEXT] for key in ("ename", "evalue")})
                content["traceback"] = [shortened("\n".join(content["traceback"]))]
            # A page of pictures that are small as files may take a browser's memory too.
            shown = pixels(str(dict(content.get("data", ())).get("image/png"))) // 4
            full = self.left < (size := on_page(str(content)) + shown)
            left["other"] -= size
            failed = any(one.output_type == "error" for one in outs)
            if (full or left["other"] < 0) and (failed or kind != "error"):
                self.stopped["Cut"] = True
                return None
            if kind == "error" and full:
                content.update({key: content[key][:LONG] for key in ("ename", "evalue")})
                content["traceback"] = [content["traceback"][0][:LONG]]
            self.left -= on_page(str(content)) + shown
        return super().output(outs, msg, display_id, cell_index)


def make_harmless(cell):
    """Take out of a cell what a browser would run: pages are read where the teacher is logged in.

    What makes a page reads long lines over and over, so long code has no colours, and long prose is cut.
    """
    theirs = not cell.metadata.get("as_released")
    if cell.cell_type != "code" and theirs:
        lines = shortened(cell.source).split("\n")
        cell.source = "\n".join(line if len(line) <= LONG else f"{line[:LONG]} ..." for line in lines)
        fence = "`" * max([3, *(len(ticks) + 1 for ticks in re.findall("`+", cell.source))])
        cell.source = f"{fence}text\n{cell.source}\n{fence}"
        cell.cell_type = "markdown"
        cell.pop("attachments", None)
    elif cell.cell_type == "markdown":
        cell.source = TO_A_FILE.sub(r"\1", cell.source)
    for name in cell.metadata.keys() - {"nbgrader", "as_released", marking.VERDICT}:
        del cell.metadata[name]
    if cell.cell_type == "code":
        other = cell.source.lstrip().startswith("%")  # another language, whose colours may take minutes
        long = len(cell.source) > TEXT or max(map(len, cell.source.split("\n"))) > LONG
        if theirs and (other or long or re.search(r"\s{300}", cell.source)):  # read anew from each blank
            cell.metadata.magics_language = "text"
            cell.source = f"# (without colours)\n{cell.source}" if other else cell.source
        cell.source = re.sub(f"(?!\f){UNSEEN.pattern}", "\ufffd", cell.source)  # a form feed may part words
        cell.execution_count = None
        cell.outputs = list(filter(None, map(plain, cell.outputs)))


def plain(output):
    """The output made again of text and pictures, if it has any: a kernel may have sent anything."""
    new = nbformat.v4.new_output
    if output.output_type == "error":
        told = output.ename, output.evalue, "\n".join(map(str, output.traceback))
        name, value, trace = map(shortened, told)
        return new("error", ename=name, evalue=value, traceback=trace.split("\n"))
    if output.output_type == "stream":
        name = "stderr" if output.name == "stderr" else "stdout"
        return new("stream", name=name, text=shortened(output.text))
    shown = {
        kind: text if kind == "image/png" else shortened(text)
        for kind, text in output.data.items()
        if HARMLESS.get(kind, lambda _: False)(text)
    }
    return new("display_data", shown) if shown else None


def pixels(text):
    """How many a picture has, by the head that each PNG begins with; 0 for what is none, or moves."""
    with contextlib.suppress(ValueError):
        png = binascii.a2b_base64("".join(text.split()))
        plain = b"acTL" not in png and re.fullmatch(r"[\w+/=\s]*", text, re.ASCII)
        if plain and png.startswith(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"):
            return int.from_bytes(png[16:20]) * int.from_bytes(png[20:24])
    return 0


def on_page(text):
    """Bytes that a text takes on a page, where signs and colours are longer."""
    return len(html.escape(text).encode("utf-8", "replace")) + 40 * text.count("\x1b")


def shortened(text):
    text = UNSEEN.sub("", marking.storable(str(text)))
    text = re.sub(r"\x1b\[[^@-~\n]*[@-~]", lambda one: one[0] if COLOUR.fullmatch(one[0]) else "", text)
    return text if len(text) <= 2 * TEXT else f"{text[:TEXT]}\n... (more was printed than is kept)\n"


def names_in(cell):
    """The names by which a cell may depend on others: of its own level, and what its functions take there."""
    try:
        if len(cell.source) > TEXT:
            raise ValueError("Python 3.11 would read a long f-string for minutes")
        with warnings.catch_warnings(action="ignore"):  # of learners' code
            tables = [symtable.symtable(cell.source, "a cell", "exec")]
    except Exception:  # it will fail, is long, or has %timeit or the like
        return set(re.findall(r"[^\W\d]\w*", cell.source))
    names = set()
    for table in tables:
        symbols = table.get_symbols()
        names |= {one.get_name() for one in symbols if table.get_type() == "module" or one.is_global()}
        tables += table.get_children()
    return names


def missed(cells, looks):
    """The names that errors complain of; answers are called my_... A verdict must not tell, only the look."""
    places = ((n, one) for n, cell in enumerate(cells) for one in cell.get("outputs", ()))
    errors = (str(looks.get(n) or one.get("evalue")) for n, one in places)
    told = re.sub(r"does not end|module '[\w.]+' has no attribute", f"'{SLOW}'", " ".join(errors))
    return {part for name in re.findall(r"'(?!my_)([\w.]+)'", told) for part in name.split(".")}


def made_elsewhere(cells, check):
    """Where a wrong answer is defined as well, and the check with this number does not see it; or None."""
    status = cells[check].metadata.get(marking.VERDICT, {}).get("status")
    mine = re.search(r"check\((\w+)\)", cells[check].source)
    if mine is None or status == "correct":
        return None
    defines = re.compile(rf"(?m)^(?:(?:def|class) +{mine[1]}\b|{mine[1]} *(?::.*)?=(?!=))")
    theirs = [n for n, cell in enumerate(cells) if not cell.metadata.get("as_released")]
    places = [n for n in theirs if cells[n].cell_type == "code" and defines.search(cells[n].source)]
    if places and places[-1] > check:
        return BELOW
    return ABOVE if len(places) > 1 and status == "not attempted" else None


def not_needed(cells):
    """The numbers of the cells that stand as they were handed out and that no answer can depend on.

    Figures and training take most of the time, and few answers use them. A cell that imports is run, and so
    is one that shares a name of the lesson's own with a cell that is run. `missed` finds what fails then.
    """
    code = {number: cell for number, cell in enumerate(cells) if cell.cell_type == "code"}
    names = {number: names_in(cell) for number, cell in code.items()}
    released = {number for number, cell in code.items() if cell.metadata.get("as_released")}
    imports = {number for number in released if IMPORT.search(code[number].source)}
    imported = (" ".join(IMPORT.findall(code[number].source)) for number in imports)
    common = {*dir(builtins), *re.findall(r"\w+", " ".join(imported))}
    idle = released - imports
    while True:
        used = set().union(*(names[number] for number in code.keys() - idle - imports)) - common
        needed = {number for number in idle if names[number] & used}
        if not needed:
            return idle
        idle -= needed


def without_spare_imports(cells, idle):
    """The lesson's own imports without the names that stand in no other cell, as {number: what to run there}.

    PyTorch and Matplotlib take most of a kernel's time, and few answers need them.
    """
    code = {n: cell for n, cell in enumerate(cells) if cell.cell_type == "code" and n not in idle}
    shorter = {}
    for number in (n for n, cell in code.items() if cell.metadata.get("as_released")):
        with contextlib.suppress(SyntaxError):  # a teacher may have changed it
            lines = ast.parse(code[number].source).body
            if {*map(type, lines)} <= {ast.Import, ast.ImportFrom}:
                others = "\n".join(code[other].source for other in code.keys() - {number})
                words = {"*", *re.findall(r"\w+", others)}
                for one in lines:
                    one.names = [it for it in one.names if (it.asname or it.name.split(".")[0]) in words]
                shorter[number] = "\n".join(ast.unparse(one) for one in lines if one.names)
    return shorter
