# SPDX-License-Identifier: Apache-2.0
"""Why a call goes where it goes, without making it."""
import html

from . import _C


class Step:
    """A kernel that was chosen, that lost, or that comes next."""

    def __init__(self, key, verdict, kernel, provenance, reason):
        self.key, self.verdict, self.kernel = key, verdict, kernel
        self.provenance, self.reason = provenance, reason

    def __repr__(self):
        what = f"[{self.provenance}]" if self.provenance else ""
        text = f"{self.verdict:>6}  {self.key}: {self.kernel} {what}".rstrip()
        return f"{text}\n          {self.reason}" if self.reason else text


class Explanation:
    """What explain() gives: the key sets of a call, and its way through the kernels.

    argument_keys   (name, keys) of each argument that gives keys
    arguments       all of these
    included, excluded, masked   what the thread and the operator change
    effective       what is left; its highest key is the slot
    slot, dtype     the place in the table
    steps           the candidates for that place, then what redispatch reaches
    """

    def __init__(self, op, facts):
        self.op = op
        self.__dict__.update(facts)
        self.steps = [Step(*step) for step in facts["steps"]]

    @property
    def chosen(self):
        """The kernel that would run; None if none does."""
        return next((step for step in self.steps
                     if step.verdict == "chosen" and step.provenance != "missing"), None)

    def _sets(self):
        rows = [(f"argument {name}", keys) for name, keys in self.argument_keys]
        rows += [("included by the thread", self.included),
                 ("excluded by the thread", self.excluded),
                 ("fall through", self.masked), ("effective", self.effective)]
        return rows

    def __repr__(self):
        lines = [self.op]
        lines += [f"  {name + ':':24} {keys}" for name, keys in self._sets()]
        slot = self.slot + (f", dtype {self.dtype}" if self.dtype else "")
        lines.append(f"  {'slot:':24} {slot}")
        lines += [f"  {step!r}" for step in self.steps]
        return "\n".join(lines)

    def _repr_html_(self):
        """For notebooks: the same as two tables."""
        def row(cells, tag="td"):
            return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>"

        def text(value):
            return html.escape(str(value))

        sets = "".join(row((text(name), f"<code>{text(keys)}</code>"))
                       for name, keys in self._sets())
        steps = row(("", "key", "kernel", "from", "why"), "th")
        for step in self.steps:
            cells = [text(step.verdict), f"<code>{text(step.key)}</code>", text(step.kernel),
                     text(step.provenance), text(step.reason)]
            if step.verdict == "chosen":
                cells = [f"<b>{cell}</b>" for cell in cells]
            steps += row(cells)
        slot = text(self.slot + (f", {self.dtype}" if self.dtype else ""))
        return (f"<p><code>{text(self.op)}</code> goes to <b>{slot}</b></p>"
                f"<table>{sets}</table><table>{steps}</table>")


def _overload(op, args, kwargs):
    """The operator of a name, an overload, or the one of a packet that takes the call."""
    packet = op.overloads() if hasattr(op, "overloads") else None
    if packet is None:
        return [_C.find_op(op)]
    return [getattr(op, name) for name in packet]


def explain(op, *args, **kwargs):
    """An Explanation of op(*args, **kwargs): nothing is run."""
    errors = []
    for one in _overload(op, args, kwargs):
        one = _C.find_op(getattr(one, "name", one)) if not isinstance(one, str) else one
        try:
            return Explanation(one.name, _C.explain(one, None, args, kwargs))
        except (TypeError, RuntimeError) as error:
            errors.append(error)
    raise errors[0]
