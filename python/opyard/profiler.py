# SPDX-License-Identifier: Apache-2.0
"""Where a program spends its time and memory, with the names of torch.autograd.profiler.

    with opyard.profile(record_shapes=True) as p:
        with opyard.record_function("step"):
            y = model(x)
    print(p.key_averages().table(sort_by="self_cpu_time_total"))
    p.export_chrome_trace("trace.json")     # for Perfetto, speedscope, chrome://tracing
"""
# `import opyard` reads this file: what costs time to import is imported where it is used.
from . import _C

MEMORY = 1  # the kind of events that are a block of memory


def _read(text: str | None) -> list:
    import json
    return json.loads(text) if text else []


class _Row:
    """What the library gives as a tuple, by name. Times in microseconds."""

    __slots__ = ()

    def __init__(self, values):
        for name, value in zip(self.__slots__, values):
            setattr(self, name, value)

    def __repr__(self):
        return (f"<{type(self).__name__} {self.key!r} count={self.count} "
                f"cpu_time_total={self.cpu_time_total:.3f}us>")

    cpu_time_total = property(lambda self: self.total_ns / 1e3)
    self_cpu_time_total = property(lambda self: self.self_ns / 1e3)
    cpu_time = property(lambda self: self.total_ns / 1e3 / self.count)
    input_shapes = property(lambda self: _read(self.shapes_text))


class FunctionEvent(_Row):
    """One record: a call, a backward node, a range; or one block of memory. |parent| is the
    index of the event that called it, None if there is none. |frames| is where in Python it was
    called, |native_stack| where in C, the innermost first; both with with_stack alone."""

    __slots__ = ("kind", "scope", "name", "full_name", "start_ns", "end_ns", "self_ns",
                 "cpu_memory_usage", "self_cpu_memory_usage", "sequence_nr", "thread",
                 "fwd_thread", "id", "parent", "shapes_text", "strides_text", "types_text",
                 "values_text", "native_stack", "frames", "flops")

    key = property(lambda self: self.name)
    count = property(lambda self: 1)
    total_ns = property(lambda self: self.end_ns - self.start_ns)
    input_strides = property(lambda self: _read(self.strides_text))
    input_types = property(lambda self: _read(self.types_text))
    concrete_inputs = property(lambda self: _read(self.values_text))

    @property
    def stack(self) -> list:
        """Lines of Python, "train.py(12): step"; of C if Python did not make the call."""
        return self.frames.split("\n") if self.frames else self.native_stack


class FunctionEventAvg(_Row):
    """Events of one name, and if asked for of one set of shapes or one place, added up. |example| is the
    index of the first of them."""

    __slots__ = ("key", "shapes_text", "count", "total_ns", "self_ns", "cpu_memory_usage",
                 "self_cpu_memory_usage", "example", "frames", "flops")

    stack = property(lambda self: self.frames.split("\n") if self.frames else [])


class EventList(list):
    """Events or averages, and the profile that they are of."""

    def __init__(self, items, profiler, each_event, by_shape=False, stack_n=0):
        super().__init__(items)
        self._profiler = profiler
        self._grouping = by_shape, each_event
        self._stack_n = stack_n

    def table(self, sort_by=None, row_limit=100, max_src_column_width=75,
              max_name_column_width=55, max_shapes_column_width=80, header=None,
              top_level_events_only=False) -> str:
        """The table of PyTorch: sort_by is the name of an attribute, the greatest first."""
        return _C._profiler_table(
            self._profiler, sort_by, row_limit, max_src_column_width, max_name_column_width,
            max_shapes_column_width, header, *self._grouping, top_level_events_only,
            self._stack_n)

    def __str__(self):
        return self.table()

    @property
    def self_cpu_time_total(self) -> float:
        return sum(item.self_ns for item in self) / 1e3

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """Writes a line for each place and record, "outer;inner;aten::mm 120": microseconds,
        as flamegraph.pl and speedscope read them."""
        if metric != "self_cpu_time_total":
            raise ValueError("metric should be one of: ['self_cpu_time_total']")
        plain = str.maketrans(" ;\t\n", "____")
        totals: dict = {}
        for event in self:
            if event.kind != MEMORY and event.stack:
                names = [*reversed(event.stack), *self._calls(event)]
                line = ";".join(name.translate(plain) for name in names)
                totals[line] = totals.get(line, 0) + event.self_ns
        with open(path, "w", encoding="utf-8") as file:
            for line, ns in totals.items():
                if ns >= 1000:
                    file.write(f"{line} {ns // 1000}\n")

    def _calls(self, event) -> list:
        """Names of the records from the same place that |event| is in, and its own."""
        names, place = [], event.stack
        while event is not None and event.stack == place:
            names.append(event.name)
            event = None if event.parent is None else self[event.parent]
        return names[::-1]


class profile:
    """Records operators, backward nodes and ranges while it is entered; in every thread,
    unless this_thread is set. Nests. After it was left, ask it."""

    def __init__(self, enabled=True, *, record_shapes=False, profile_memory=False,
                 with_stack=False, with_flops=False, this_thread=False, max_events=0):
        self._options = (record_shapes, profile_memory, with_stack, this_thread, max_events,
                         with_flops)
        self._enabled = enabled
        self._profiler = None
        self._events = None
        self._running = False

    def start(self):
        if self._running:
            raise RuntimeError("Profiler context manager is not reentrant")
        if self._enabled:
            self._profiler = _C._profiler_start(*self._options)
            self._running = True
            self._events = None

    def stop(self):
        if self._running:
            self._running = False
            _C._profiler_stop(self._profiler)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *exc):
        self.stop()

    def _stopped(self):
        if self._profiler is None or self._running:
            raise RuntimeError("Profiler didn't finish running")
        return self._profiler

    def events(self) -> EventList:
        """FunctionEvents by thread and start, the outer before the inner."""
        profiler = self._stopped()
        if self._events is None:
            rows = map(FunctionEvent, _C._profiler_events(profiler))
            self._events = EventList(rows, profiler, True)
        return self._events

    @property
    def function_events(self) -> EventList:
        return self.events()

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0) -> EventList:
        profiler = self._stopped()
        rows = _C._profiler_averages(profiler, group_by_input_shape, group_by_stack_n)
        return EventList(map(FunctionEventAvg, rows), profiler, False,
                         group_by_input_shape, group_by_stack_n)

    def table(self, *args, **kwargs) -> str:
        """A row for each event; key_averages().table() adds them up."""
        return self.events().table(*args, **kwargs)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """What flame graphs are drawn from; needs with_stack."""
        if not self._options[2]:
            raise RuntimeError("export_stacks() needs a profile(with_stack=True)")
        self.events().export_stacks(path, metric)

    def export_chrome_trace(self, path, form="object"):
        """Writes the trace; form "array" is the older one, without what is around events."""
        if form not in ("object", "array"):
            raise ValueError(f'form must be "object" or "array", got {form!r}')
        _C._profiler_export(self._stopped(), path, form == "array")

    @property
    def self_cpu_time_total(self) -> float:
        return self.key_averages().self_cpu_time_total

    @property
    def dropped(self) -> int:
        """Events that there was no room for."""
        return _C._profiler_dropped(self._stopped())

    def __str__(self):
        if self._profiler is None or self._running:
            return "<unfinished opyard.profile>"
        return self.table()


class record_function:
    """A range that profilers show by |name|; `with` statement or decorator."""

    def __init__(self, name: str, args: str | None = None):
        self.name = name if args is None else f"{name}({args})"
        self._ranges = []

    def __enter__(self):
        self._ranges.append(_C._range_begin(self.name))
        return self

    def __exit__(self, *exc):
        _C._range_end(self._ranges.pop())

    def __call__(self, function):
        import functools

        @functools.wraps(function)
        def inside(*args, **kwargs):
            with record_function(self.name):
                return function(*args, **kwargs)
        return inside
