"""Compares a server of a language model with a server that is right, by their log-probabilities.

    wherepos http://localhost:8000 http://localhost:8001

The first server is examined, the second is the reference: the same weights and tokenizer, in another engine
or with nothing cached and nothing batched. The weights must be trained: with plain random weights positions
hardly change what a model says, and a fault can pass for rounding.

Both get the same texts and go on with each for a few tokens, in the way of OpenAI's /v1/completions
(temperature 0, logprobs). The server gets a short text, a long one, the long one again and with another end,
which a cache of prefixes answers, and several at the same time. Where both choose the same tokens, their
log-probabilities must be the same up to `--tolerance`.

The log-probabilities of the prompt itself (`echo`) are not asked for. The server of llama.cpp has none, and
vLLM computes them without its cache of prefixes, which is where positions go wrong.

A check within the tolerance is called "look at" if it is off by more than 0.01 and by a hundred times more
than another one. The exit status stays what it is.

The exit status is 0 if nothing is wrong, 1 if something is, 2 if the command can't be understood, and 3 if a
server does not answer or gives no log-probabilities.
"""

import argparse
import concurrent.futures
import json
import math
import random
import sys
import urllib.error
import urllib.request

SHORT, GOES_ON = 12, 8  # words of a short text, and tokens that a server adds
WORDS = """amber bridge candle desert engine falcon garden harbour island jacket kettle ladder marble needle
orchard pepper quarry ribbon saddle timber umbrella valley window yellow""".split()

LOOK_AT = {
    "short text": "the weights, the tokenizer (is a first token added?), the rotation, or the cache",
    "long text": "a window, the rule for long texts, a table that ends, a prompt that is cut into chunks",
    "cached": "the cache of prefixes: are the positions of what is reused those at which it was computed?",
    "cached, another end": "the cache of prefixes: where do the positions of the new tokens begin?",
    "company": "the batch: padding that is counted, positions or masks of another text",
}


class NoAnswer(Exception):
    """A server did not answer as /v1/completions does."""


def text_of(words, seed):
    """So many words that no other seed begins with."""
    draw = random.Random(seed)
    return " ".join(draw.choice(WORDS) for _ in range(words))


def answered(url, text, model=None):
    """What a server adds to a text: (token, {token: log-probability}) for each step."""
    body = {"prompt": text, "max_tokens": GOES_ON, "temperature": 0, "logprobs": 5}
    body |= {"model": model} if model else {}
    loaded = _loaded(url, "completions", body)
    try:
        told = loaded["choices"][0]["logprobs"]
        if "content" in told:  # llama.cpp
            steps = [(one["token"], one["logprob"], one["top_logprobs"]) for one in told["content"]]
            tops = [{one["token"]: one["logprob"] for one in top} for _, _, top in steps]
        else:
            steps = [*zip(told["tokens"], told["token_logprobs"])]
            tops = told["top_logprobs"]
        # a token may be missing among the likeliest where two of them are equal
        found = [(step[0], {**(top or {}), step[0]: step[1]}) for step, top in zip(steps, tops)]
    except (KeyError, IndexError, TypeError) as error:
        raise NoAnswer(f"{url} gives no log-probabilities: {str(loaded)[:200]}") from error
    if not found:
        raise NoAnswer(f"{url} adds no token to a text")
    return found


def _loaded(url, what, body=None):
    address = f"{url.rstrip('/').removesuffix('/v1')}/v1/{what}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        said = error.read()[:200].decode(errors="replace")
        raise NoAnswer(f"{address} answers {error.code}: {said}") from None
    except (OSError, ValueError) as error:
        raise NoAnswer(f"{address}: {error}") from None


def served(url):
    """The first model that a server lists; some engines want its name."""
    try:
        return _loaded(url, "models")["data"][0]["id"]
    except (NoAnswer, KeyError, IndexError, TypeError):
        return None


def gap(ours, theirs):
    """The largest difference of the tokens that both call likely, for as long as both choose the same."""
    largest = 0.0
    for (chosen, top), (right, right_top) in zip(ours, theirs):
        if chosen not in right_top or right not in top:
            return math.inf
        gaps = [abs(top[word] - right_top[word]) for word in (chosen, right)]
        largest = max(largest, *(math.inf if one != one else one for one in gaps))
        if chosen != right:  # from here on the texts differ
            break
    return largest


def compare(engine, reference, *, words=1_000, tolerance=0.25, seed=None):
    """Yields (check, status, what is said, largest difference) for each check."""
    seed = random.randrange(10**9) if seed is None else seed  # other texts than last time: nothing is cached
    names = {url: served(url) for url in (engine, reference)}
    short, long, *others = (text_of(count, f"{seed} {number}") for number, count in
                            enumerate((SHORT, words, SHORT, words, words // 2, 2 * SHORT)))  # fmt: skip
    end = text_of(words // 3, f"{seed} end")
    asked = {
        "short text": [short], "long text": [long], "cached": [long],
        "cached, another end": [f"{long[: len(long) // 2]} {end}"], "company": others,
    }  # fmt: skip
    wrong = set()
    for check, texts in asked.items():
        first = {"cached": {"long text"}, "cached, another end": {"long text"}, "company": {"long text"}}
        first = sorted(wrong & ({"short text"} | first.get(check, set())))
        if first:
            yield check, "not tried", f"{first[-1]!r} must be right first", None
            continue
        with concurrent.futures.ThreadPoolExecutor(len(texts)) as pool:
            ours = [*pool.map(lambda text: answered(engine, text, names[engine]), texts)]
        theirs = [answered(reference, text, names[reference]) for text in texts]
        size = max(map(gap, ours, theirs))
        right = size <= tolerance
        wrong |= set() if right else {check}
        says = "the log-probabilities are those of the reference" if right else LOOK_AT[check]
        yield check, "right" if right else "wrong", says, size


ODD, TIMES = 0.01, 100  # of a log-probability, and how many times another check's difference


def odd(told):
    """The findings within the tolerance that are off by far more than the best one."""
    sizes = [one["size"] for one in told if one["status"] == "right"]
    return [one for one in told if one["status"] == "right" and one["size"] > max(ODD, TIMES * min(sizes))]


def main(words=None):
    parser = argparse.ArgumentParser(
        prog="wherepos", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("server")
    parser.add_argument("reference")
    parser.add_argument("--words", type=int, default=1_000, help="of the long text; longer than any window")
    parser.add_argument("--tolerance", type=float, default=0.25, help="of a log-probability (default 0.25)")
    parser.add_argument("--seed", help="of the texts; without it, other texts each time")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")
    given, told = parser.parse_args(words), []
    if given.words < 2 * SHORT or not given.tolerance > 0:
        parser.error(f"--words must be at least {2 * SHORT} and --tolerance above 0")
    for address in (given.server, given.reference):
        if not address.startswith(("http://", "https://")):
            parser.error(f"an address begins with http:// or https://, got {address!r}")
    try:
        for check, status, says, size in compare(
            given.server, given.reference, words=given.words, tolerance=given.tolerance, seed=given.seed
        ):
            finite = size if size is not None and math.isfinite(size) else None
            told.append({"id": f"server/{check.replace(', ', '-').replace(' ', '-')}", "check": check,
                         "status": status, "says": says, "size": finite})  # fmt: skip
            by = "" if size is None else f" (off by {size:.2g})" if finite is not None else " (other tokens)"
            if not given.json:
                print(f"{status:>9}  {check}{by}: {'look at ' * (status == 'wrong')}{says}", flush=True)
    except NoAnswer as error:
        print(error, file=sys.stderr)
        return 3
    for one in odd(told):
        one |= {"status": "look at", "says": LOOK_AT[one["check"]]}
        if not given.json:
            print(f"{'look at':>9}  {one['check']}: far more off than the others; {one['says']}")
    if given.json:
        print(json.dumps(told, indent=1, allow_nan=False))
    return 1 if "wrong" in {one["status"] for one in told} else 0
