# SPDX-License-Identifier: Apache-2.0
"""Rows of python_operators.py beyond contiguous floats: --rows wide.

Outputs that are there (out=), numbers in the place of tensors, operands that are expanded,
and everyday operators and reductions of every dtype. m_f is a square matrix, m3_f has three
dimensions, r_f and c_f are a row and a column; the letters name dtypes (DTYPES).
"""
from same_values import same_values

DTYPES = {"f": "float32", "d": "float64", "h": "float16", "g": "bfloat16", "b": "int8",
          "u": "uint8", "s": "int16", "i": "int32", "l": "int64", "z": "bool",
          "c": "complex64", "C": "complex128"}

UNARY = """
abs acos angle asin atan ceil conj_physical cos cosh deg2rad digamma erf erfinv exp exp2 expm1
floor frac lgamma log log10 log1p log2 logit nan_to_num neg reciprocal round rsqrt sgn sigmoid
sign sin sinc sinh sqrt square tan tanh trunc i0 special.entr special.ndtri special.erfcx
""".split()
BINARY = """
add sub mul div floor_divide fmod remainder pow maximum minimum fmax fmin atan2 copysign hypot
logaddexp xlogy nextafter heaviside special.zeta
""".split()
COMPARED = "eq ne lt le gt ge".split()
NUMBERED = "add sub mul div floor_divide fmod remainder pow copysign xlogy".split()

OUT = (
    [f"M.{op}(v, out=o)" for op in UNARY] + [f"M.{op}(v, w, out=o)" for op in BINARY]
    + [f"M.{op}(v, 2.0, out=o)" for op in NUMBERED]
    + [f"M.{op}(v, {other}, out=zo)" for op in COMPARED for other in ("w", "0.5")]
    + ["M.add(v, 1.0, alpha=2, out=o)", "M.sub(v, w, alpha=2, out=o)",
       "M.div(v, w, rounding_mode='floor', out=o)", "M.clamp(v, 0.2, 0.5, out=o)",
       "M.clamp(v, v, w, out=o)", "M.lerp(v, w, 0.5, out=o)", "M.addcmul(v, w, w, out=o)",
       "M.where(z, v, w, out=o)", "M.sum(m_f, 1, out=e)", "M.sum(m_f, 0, out=e)",
       "M.amax(m_f, 1, out=e)", "M.std(m_f, 1, out=e)", "M.norm(m_f, 2, 1, out=e)",
       "M.cumsum(v, 0, out=o)", "M.mm(m_f, m_f, out=mo)", "M.mv(m_f, r_f, out=e)",
       "M.outer(r_f, r_f, out=mo)", "M.addr(m_f, r_f, r_f, out=mo)", "M.cat((v, w), out=v2)",
       "M.stack((v, w), out=st)", "M.index_select(m_f, 0, ix, out=mo)",
       "M.gather(m_f, 1, ti, out=mo)", "M.tril(m_f, out=mo)", "M.diag(r_f, out=mo)",
       "M.renorm(m_f, 2, 0, 1.0, out=mo)", "M.arange(n, out=o)", "M.linspace(0, 1, n, out=o)",
       "M.full((n,), 2.0, out=o)"])

EXPANDED = (
    [f"M.{op}({args})" for op in ("addcmul", "clamp")
     for args in ("m_f, c_f, r_f", "m_f, r_f, m_f", "m_f, m_f, c_f", "m_f, s0, s0")]
    + [f"M.{op}(m_f, c_f)" for op in BINARY + COMPARED if op != "special.zeta"]
    + ["M.addcdiv(m_f, c_f, r_f)", "M.addcmul(c_f, m_f, m_f)", "o2.addcmul_(c_f, r_f, value=0.)",
       "M.lerp(m_f, r_f, 0.3)", "M.lerp(m_f, m_f, c_f)", "M.where(zm, m_f, c_f)",
       "M.where(zm, c_f, r_f)", "M.where(z_c, m_f, m_f)", "M.where(zm, m_f, s0)",
       "m_f.masked_fill(z_c, 0.)", "M.add(m_f, c_f, alpha=2)", "M.sub(m_f, r_f, alpha=3)",
       "M.add(c_f, r_f)", "M.add(m_f[:, :1], m_f)", "m_f[:, 1:] * c_f", "m_f.t() * c_f"]
    + [f"m_{t} {op} c_{t}" for t in "dhgcCil" for op in "+*"]
    + [f"m_{t} / c_{t}" for t in "dhgcC"] + ["m_l // c_l", "m_l & c_l", "m_z & c_z"])

REDUCED = "sum mean prod amax amin any all argmax std norm nansum count_nonzero".split()
SCANNED = "cumsum cumprod".split()
EVERY = ["{m} + {m}", "{m} * {r}", "{m} + {c}", "{m} == {m}", "M.where(zm, {m}, {m})",
         "{m}.clone()", "{m}.t().contiguous()", "M.cat(({m}, {m}), 1)", "M.stack(({m}, {m}), 2)",
         "{m}[:, ::2].contiguous()", "{m}.flip(1)", "{m}.tril()", "{m}[ix]", "{m}[:, ix]",
         "{m}.gather(1, ti)", "{m}.scatter(1, ti, {m})", "{m}.masked_fill(zm, 1)",
         "{m}.repeat(1, 2)", "{m}.index_add(0, ix, {m})", "{m}[zm]",
         "M.nn.functional.pad({m}, (1, 1))", "{m}.nonzero()"]
CAST = [f"{{m}}.{to}()" for to in ("float", "double", "bool", "long", "half", "bfloat16")]
ORDERED = ["{m} < {r}", "M.maximum({m}, {c})", "{m}.clamp(1, 3)", "{m}.sort(1)", "{m}.sort(0)",
           "{m}.topk(3, 1)"]
FLOATING = ["{m} / ({r} + 1)", "{m}.exp()", "{m}.sqrt()", "{m}.reciprocal()", "{m}.tanh()",
            "{m}.sigmoid()", "{m}.abs()"]


def of_dtype(letter):
    """Rows of one dtype, but for those that PyTorch refuses, which are said not to be measured."""
    forms = EVERY + (FLOATING if letter in "fdhgcC" else [])
    forms = forms + (CAST if letter not in "cC" else [])
    forms = forms + (ORDERED if letter not in "zcC" else [])
    names = {"m": f"m_{letter}", "r": f"r_{letter}", "c": f"c_{letter}"}
    rows = [form.format(**names) for form in forms]
    for op in REDUCED + SCANNED:
        if letter in "cC" and op in ("amax", "amin", "argmax", "nansum"):
            continue
        if letter in "busilz" and op in ("mean", "std", "norm"):
            continue
        more = "2, " if op == "norm" else ""
        places = [("m", 0), ("m", 1), ("m3", 1)]
        if op in ("sum", "mean", "amax", "amin", "std", "norm", "nansum", "count_nonzero"):
            places.append(("m3", (0, 2)))
        rows += [f"M.{op}({x}_{letter}, {more}{dim})" for x, dim in places]
        rows += [f"M.{op}(m_{letter})"] if op not in SCANNED else []
    return rows


ROWS = OUT + EXPANDED + [row for letter in DTYPES for row in of_dtype(letter)]


def scope_of(torch, library, n):
    """The variables of the expressions. Values are the same in both libraries."""
    torch.manual_seed(0)
    s, edge = max(int(n ** 0.5), 1), max(round(n ** (1 / 3)), 1)
    first = {"v": torch.rand(n), "w": torch.rand(n) + 0.1, "o": torch.empty(n),
             "zo": torch.empty(n, dtype=torch.bool), "e": torch.empty(s),
             "mo": torch.empty(s, s), "v2": torch.empty(2 * n), "st": torch.empty(2, n),
             "z": torch.rand(n) > 0.5, "zm": torch.rand(s, s) > 0.5, "o2": torch.zeros(s, s),
             "s0": torch.rand(()), "ix": torch.randperm(s),
             "ti": torch.randint(0, s, (s, s))}
    shapes = {"m": (s, s), "m3": (edge, edge, edge), "r": (s,), "c": (s, 1)}
    for name, shape in shapes.items():
        values = torch.rand(shape) * 4
        for letter, dtype in DTYPES.items():
            first[f"{name}_{letter}"] = (values > 2 if letter == "z"
                                         else (values + 0.5).to(getattr(torch, dtype)))
    first["z_c"] = first["c_z"]
    if library is not torch:
        first = {name: same_values(library, value) for name, value in first.items()}
    return dict(first, M=library, n=n, s=s)
