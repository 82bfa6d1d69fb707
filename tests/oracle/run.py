# SPDX-License-Identifier: Apache-2.0
"""Compares opyard with PyTorch, entry by entry of op_db, and prints a table.

    ./yard oracle ops                      all of it, against passed.txt
    ./yard oracle ops --op softmax         entries and operators of that name
    ./yard oracle ops --op 'nn.functional.*' --dtype float32 --verbose
    ./yard oracle ops --update             write passed.txt anew
    ./yard oracle ops --op topk --update   raise the lines of these entries in it
    ./yard oracle ops --gradients          first and second derivatives instead of results,
                                           against gradients.txt
    ./yard oracle ops --forward            tangents, against forward.txt

Columns: samples that passed, failed, are not supported; error inputs with the same
text, another text, no error. An entry runs entirely if every sample of every dtype
passes, of float32 in the column f32. aten lines replay each call below
CompositeImplicitAutograd that PyTorch made on the way.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import select
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDS = {"results": "passed.txt", "gradients": "gradients.txt", "forward": "forward.txt"}
SECONDS_PER_ENTRY = 240


def arguments():
    parser = argparse.ArgumentParser(
        prog="./yard oracle ops", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--op", action="append", metavar="NAME",
                        help="entries of that name, a pattern with * or a last part")
    parser.add_argument("--dtype", default="", help="these alone: float32,int64")
    parser.set_defaults(what="results")
    parser.add_argument("--gradients", dest="what", action="store_const", const="gradients",
                        help="derivatives instead of results")
    parser.add_argument("--forward", dest="what", action="store_const", const="forward",
                        help="tangents of forward mode instead of results")
    parser.add_argument("--verbose", action="store_true", help="every reason")
    parser.add_argument("--json", metavar="FILE", help="everything, for a program")
    parser.add_argument("--update", action="store_true", help="record what passes now")
    parser.add_argument("-j", type=int, default=min(2, os.cpu_count() or 1), metavar="N",
                        help="processes")
    return parser.parse_args()


def matches(name, patterns):
    if not patterns:
        return True
    last = name.split(".")[-1]
    return any(fnmatch.fnmatch(name, p) or fnmatch.fnmatch(last, p)
               or name.split(".")[0] == p for p in patterns)


class Worker:
    """A process that answers for one entry at a time; a new one when it dies."""

    def __init__(self, options):
        self.options, self.process = options, None

    def start(self):
        environment = dict(os.environ, PYTHONHASHSEED="0", OMP_NUM_THREADS="1")
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "worker.py"), self.options.dtype,
             "verbose" if self.options.verbose else "",
             self.options.what],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=None if self.options.verbose else subprocess.DEVNULL, env=environment)

    def stop(self):
        if self.process:
            self.process.stdin.close()
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            self.process = None

    def ask(self, index):
        if self.process is None:
            self.start()
        try:
            self.process.stdin.write(b"%d\n" % index)
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        if not select.select([self.process.stdout], [], [], SECONDS_PER_ENTRY)[0]:
            return None
        line = self.process.stdout.readline()
        return json.loads(line) if line else None


def crashed(name, index):
    none = {"passed": 0, "failed": 1, "not supported": 0}
    return {"entry": name, "index": index, "aten": {}, "counts": none, "f32": dict(none),
            "errors": {}, "reasons": [["failed", 1, "", "the process died or hung"]]}


def run_all(entries, options):
    """The answers in the order of |entries|, from -j processes."""
    todo, answers = list(reversed(entries)), {}

    def serve():
        worker = Worker(options)
        while todo:
            index, name = todo.pop()
            answer = worker.ask(index)
            if answer is None:
                worker.stop()
                answer = crashed(name, index)
            answers[index] = answer
            if sys.stderr.isatty():
                print(f"\r{len(answers)} of {len(entries)} ", end="", file=sys.stderr)
        worker.stop()

    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for done in [pool.submit(serve) for _ in range(options.j)]:
            done.result()
    return [answers[index] for index, _ in entries]


# --------------------------------------------------------------------- printing

def entirely(counts):
    return counts["passed"] > 0 and counts["failed"] == counts["not supported"] == 0


def print_reasons(answer, verbose):
    for verdict, count, where, reason in answer["reasons"]:
        print(f"    {verdict} x{count}: {reason}" + (f"\n        {where}" if where else ""))
    if not verbose and len(answer["reasons"]) == 4:
        print("    ... (--verbose shows all)")


def print_entry(answer, options):
    c, f, e = answer["counts"], answer["f32"], answer["errors"]
    other = e.get("other text", 0) + e.get("other type", 0)
    mark = "all" if entirely(c) else "f32" if entirely(f) else ""
    print(f"{answer['entry']:44} {c['passed']:6} {c['failed']:6} {c['not supported']:6}"
          f"   {e.get('same text', 0):3} {other:3} {e.get('failed', 0):3}   {mark}")
    if options.op:
        print_reasons(answer, options.verbose)
    elif answer["reasons"] and not entirely(c):
        verdict, _, where, reason = answer["reasons"][0]
        print(f"    {verdict}: {reason}" + (f" | {where}" if options.verbose else ""))


def sum_aten(answers):
    total = {}
    for answer in answers:
        for name, counts in answer["aten"].items():
            into = total.setdefault(name, dict.fromkeys(counts, 0))
            for verdict, count in counts.items():
                into[verdict] += count
    return dict(sorted(total.items()))


def print_aten(aten):
    print(f"\n{'calls replayed, by operator':44} passed failed   none")
    for name, c in aten.items():
        print(f"{name:44} {c['passed']:6} {c['failed']:6} {c['not supported']:6}")


def print_totals(answers, aten):
    def total(key, verdict):
        return sum(a[key].get(verdict, 0) for a in answers)

    whole = sum(entirely(a["counts"]) for a in answers)
    f32 = sum(entirely(a["f32"]) for a in answers)
    print(f"\n{len(answers)} entries of op_db: {whole} run entirely, {f32} in float32")
    for key, what in (("counts", "samples"), ("f32", "of float32")):
        print(f"{what}: {total(key, 'passed')} passed, {total(key, 'failed')} failed, "
              f"{total(key, 'not supported')} not supported")
    other = total("errors", "other text") + total("errors", "other type")
    print(f"error inputs: {total('errors', 'same text')} with the same text, {other} with "
          f"another text or type, {total('errors', 'failed')} without an error, "
          f"{total('errors', 'not supported')} not supported")
    calls = {v: sum(c[v] for c in aten.values()) for v in ("passed", "failed")}
    print(f"replayed calls: {calls['passed']} passed, {calls['failed']} failed, "
          f"of {len(aten)} operators")


# --------------------------------------------------------------------- the record

def record_of(answers, aten):
    """What passes by line, and of operators also what does not."""
    lines = {a["entry"]: (a["counts"]["passed"],) for a in answers if a["counts"]["passed"]}
    lines.update({name: (c["passed"], c["failed"] + c["not supported"])
                  for name, c in aten.items() if c["passed"]})
    return lines


def read_record(path):
    recorded = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                if line.strip() and not line.startswith("#"):
                    name, *counts = line.split()
                    recorded[name] = tuple(int(count) for count in counts)
    return recorded


def write_record(path, now):
    with open(path, "w", encoding="utf-8") as file:
        file.write("# SPDX-License-Identifier: Apache-2.0\n"
                   "# Samples that pass, by entry of op_db, and calls by operator, those\n"
                   "# that pass and those that do not: ./yard oracle ops --update\n")
        file.writelines(f"{name} {' '.join(map(str, counts))}\n"
                        for name, counts in sorted(now.items()))


def raise_record(path, answers):
    """Entries that ran, where more pass than before; not operators, which others call, too."""
    recorded = read_record(path)
    for name, counts in record_of(answers, {}).items():
        recorded[name] = max(counts, recorded.get(name, (0,)))
    write_record(path, recorded)


# Of derivatives one sample less is none: at singular matrices, and twice in float32, the last
# bits decide, which differ from processor to processor.
SLACK = {"results": 0, "gradients": 1, "forward": 1}


def fell(now, before, slack):
    """Whether less agrees than was recorded.

    How often PyTorch calls an operator on the way may depend on the machine: iterations
    end when numbers are small enough. So fewer calls that pass are a fall only if more
    do not pass as well, or none is left.
    """
    if now[0] + slack >= before[0]:
        return False
    return len(before) == 1 or not now[0] or now[1] > before[1]


def compare_record(path, now, names, slack):
    """Lines that fell below what was recorded; an operator alone if its entries ran."""
    fallen = []
    for name, before in read_record(path).items():
        after = now.get(name, (0, 0))
        if (names is None or name in names) and fell(after, before, slack):
            fallen.append(f"{name}: {after[0]} pass, {before[0]} are recorded")
    return fallen


def main():
    options = arguments()
    sys.path.insert(0, HERE)
    import samples  # noqa: E402  after the arguments: it takes seconds

    entries = [(i, samples.entry_name(op)) for i, op in enumerate(samples.op_db)]
    entries = [e for e in entries if matches(e[1], options.op)]
    if not entries:
        sys.exit(f"no entry of op_db is called {options.op}")
    whole = not options.op and not options.dtype
    print(f"{'entry of op_db':44} passed failed   none  same other no error")
    answers = run_all(entries, options)
    for answer in answers:
        print_entry(answer, options)
    aten = sum_aten(answers)
    print_aten(aten)
    print_totals(answers, aten)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"entries": answers, "aten": aten}, file, indent=1)
    now = record_of(answers, aten)
    record = os.path.join(HERE, RECORDS[options.what])
    if options.update and whole:
        write_record(record, now)
    elif options.update and not options.dtype:
        raise_record(record, answers)
    if not whole and options.dtype:
        return
    fallen = compare_record(record, now, None if whole else {a["entry"] for a in answers},
                            SLACK[options.what])
    if fallen:
        print(f"\nfewer pass than recorded in tests/oracle/{os.path.basename(record)}:")
        print("\n".join(f"    {line}" for line in fallen))
        sys.exit(1)


if __name__ == "__main__":
    main()
