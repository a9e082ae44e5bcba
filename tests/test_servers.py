"""Two servers on this machine: the comparison finds nothing in a healthy one, and names one planted fault."""

import contextlib
import itertools
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingTCPServer

import pytest
import torch
from small_llama import VOCAB_SIZE, SmallLlama

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "package"))

from wherepos import servers

WORDS = 24


class Server(ThreadingTCPServer):
    """Greedy answers of the small Llama, a character a token, with a cache of prefixes and batches."""

    daemon_threads = True

    def __init__(self, fault=None, style="openai"):
        super().__init__(("127.0.0.1", 0), Handler)
        self.fault, self.style, self.kept = fault, style, []
        self.model = SmallLlama("base" if fault == "base" else None)
        self.lock, self.company = threading.Lock(), threading.Barrier(4, timeout=10)
        self.numbers = itertools.count()

    def go_on(self, text, count, crowded):
        tokens = torch.tensor([[ord(letter) % VOCAB_SIZE for letter in text]])
        reused = self.prefix(tokens)
        past, cache = self.kept[reused[1]][1] if reused else None, None
        if past is not None:
            cache = [tuple(rows[:, :, : reused[0]] for rows in layer) for layer in past]
        start = reused[0] if reused else 0
        steps, whole, new = [], tokens, tokens[:, start:]
        for number in range(count):
            ids = torch.arange(start, start + new.shape[1])[None]
            if self.fault == "cached" and reused:
                ids = ids - reused[0]
            if self.fault == "long":
                ids = ids.clamp(max=100)
            if self.fault == "company" and crowded:
                ids = ids + 3 * (ids > 4)
            answer = self.model(new, position_ids=ids, past_key_values=cache)
            cache, row = answer.past_key_values, answer.logits[0, -1].log_softmax(dim=-1)
            best = row.topk(5)
            steps.append({f"<{i}>": value for i, value in zip(best.indices.tolist(), best.values.tolist())})
            if not number:
                self.kept.append((whole, cache))
            new, start = best.indices[:1][None], whole.shape[1]
            whole = torch.cat([whole, new], dim=1)
        return steps

    def is_crowded(self):
        """Whether others are here, too: of the eight texts of a comparison, the last four come at once."""
        if self.fault == "company" and next(self.numbers) % 8 >= 4:
            with contextlib.suppress(threading.BrokenBarrierError):
                self.company.wait()
                return True
        return False

    def prefix(self, tokens):
        """(length, number) of the longest text so far that this one begins with; one token is left to ask."""
        found = []
        for number, (old, _) in enumerate(self.kept):
            n = min(old.shape[1], tokens.shape[1] - 1)
            same = (old[0, :n] == tokens[0, :n]).long().cumprod(dim=0).sum().item()
            found.append((same, number))
        best = max(found, default=(0, 0))
        return best if best[0] > 20 else None


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *words):
        """Nothing on the screen."""

    def do_GET(self):
        self.say({"data": [{"id": "small"}]})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        crowded = self.server.is_crowded()
        with self.server.lock:
            steps = self.server.go_on(body["prompt"], body["max_tokens"], crowded)
        self.say({"choices": [{"logprobs": STYLES[self.server.style](steps)}]})

    def say(self, told):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(told).encode())


def chosen(top):
    return max(top, key=top.get)


STYLES = {
    "openai": lambda steps: {
        "tokens": [chosen(top) for top in steps], "token_logprobs": [top[chosen(top)] for top in steps],
        "top_logprobs": steps,
    },
    "llama.cpp": lambda steps: {"content": [
        {"token": chosen(top), "logprob": top[chosen(top)],
         "top_logprobs": [{"token": word, "logprob": value} for word, value in top.items()]}
        for top in steps
    ]},
    "none": lambda steps: None,
}  # fmt: skip


@contextlib.contextmanager
def running(*arguments):
    server = Server(*arguments)
    threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("fault", "style", "statuses"),
    [
        (None, "openai", ["right"] * 5),
        (None, "llama.cpp", ["right"] * 5),
        ("base", "openai", ["wrong", *["not tried"] * 4]),
        ("long", "openai", ["right", "wrong", *["not tried"] * 3]),
        ("cached", "openai", ["right", "right", "wrong", "wrong", "right"]),
        ("company", "openai", ["right", "right", "right", "right", "wrong"]),
    ],
)
def test_a_server_beside_one_that_is_right(fault, style, statuses):
    with running(fault, style) as engine, running() as reference:
        found = [*servers.compare(engine, f"{reference}/v1", words=WORDS, seed=1)]
    assert [check for check, *_ in found] == list(servers.LOOK_AT)
    assert [status for _, status, *_ in found] == statuses, found


def test_the_command(capsys):
    with running("company") as engine, running() as reference:
        words = [engine, reference, "--words", str(WORDS), "--seed", "1"]
        assert servers.main(words) == 1
        shown = capsys.readouterr().out
        assert "right  cached (off by " in shown and "wrong  company (" in shown
        assert "look at the batch: padding that is counted" in shown
        assert servers.main([engine, reference, "--words", str(WORDS), "--seed", "2", "--json"]) == 1
        assert json.loads(capsys.readouterr().out)[-1]["id"] == "server/company"
    assert servers.main(words) == 3
    assert engine in capsys.readouterr().err
    with pytest.raises(SystemExit):
        servers.main([engine, reference, "--words", "0"])
    assert "--words must be at least 24" in capsys.readouterr().err
    with running(None, "none") as engine:
        assert servers.main([engine, engine]) == 3
    assert "gives no log-probabilities" in capsys.readouterr().err


def test_a_check_that_is_far_more_off_than_the_others_is_worth_a_look(monkeypatch, capsys):
    sizes = {"short text": 1e-6, "long text": 0.004, "cached": 0.2, "cached, another end": 2e-6}

    def compare(*_, **__):
        yield from ((check, "right", "as the reference", size) for check, size in sizes.items())

    monkeypatch.setattr(servers, "compare", compare)
    assert servers.main(["http://a", "http://b"]) == 0
    assert capsys.readouterr().out.count("look at  cached: far more off than the others; the cache of") == 1
    assert servers.main(["http://a", "http://b", "--json"]) == 0
    statuses = [one["status"] for one in json.loads(capsys.readouterr().out)]
    assert statuses == ["right", "right", "look at", "right"]
    sizes |= dict.fromkeys(sizes, 0.2)  # rounding, alike everywhere
    assert servers.main(["http://a", "http://b"]) == 0 and "look at" not in capsys.readouterr().out


def test_options_may_stand_before_the_addresses_and_an_address_has_a_scheme(capsys):
    from wherepos.__main__ import main

    with pytest.raises(SystemExit):
        main(["--tolerance", "0.5", "localhost:8000", "localhost:8001"])
    assert "begins with http:// or https://, got 'localhost:8000'" in capsys.readouterr().err
