# SPDX-License-Identifier: Apache-2.0
"""Rows of python_operators.py of every dtype: --rows dtypes.

Indexing along either dimension, layouts, order, arithmetic in its forms, conversions, and what
belongs to integers, floats or complex numbers alone. The variables are wide_operators.py's; no
row writes to one of them, for what follows would find other values.
"""
from wide_operators import DTYPES, scope_of  # noqa: F401

INDEXED = [form.replace("{d}", str(d)) for d in (0, 1) for form in (
    ["{m}.scatter({d}, ti, {m})", "{m}.scatter({d}, ti, 1)", "{m}.scatter_add({d}, ti, {m})",
     "{m}.gather({d}, ti)", "{m}.index_select({d}, ix)", "{m}.index_add({d}, ix, {m})",
     "{m}.index_copy({d}, ix, {m})", "{m}.index_fill({d}, ix, 1)"]
    + [f"{{m}}.scatter_reduce({{d}}, ti, {{m}}, '{how}', include_self={self})"
       for how, self in (("sum", True), ("prod", True), ("mean", True), ("amax", True),
                         ("amin", False))]
    + [f"{{m}}.index_reduce({{d}}, ix, {{m}}, '{how}')"
       for how in ("prod", "mean", "amax", "amin")])] + [
    "{m}[ix, ix]", "{m}[ti]", "{m}[ti, ti]", "{m}[ix, :5]", "{m}[5:, ix]", "{m}.take(ti)",
    "{m}.index_put((ix,), {r})", "{m}.index_put((ix,), {m}, accumulate=True)",
    "{m}.index_put((ix, ix), {r}, accumulate=True)", "M.masked_select({m}, zm)",
    "{m}.masked_scatter(zm, {m})", "{m}.put(ti, {m})", "M.take_along_dim({m}, ti, 1)"]
LAYOUT = [form.replace("{d}", str(d)) for d in (0, 1) for form in (
    "{m}.roll(1, {d})", "{m}.flip({d})", "M.repeat_interleave({m}, 2, {d})",
    "M.cat(({m}, {m}), {d})", "M.stack(({m}, {m}), {d})", "M.diff({m}, dim={d})")] + [
    "{m}.triu()", "M.rot90({m})", "M.diag_embed({r})", "M.trace({m})", "{m}.tile((2, 1))",
    "{m3}.permute(2, 0, 1).contiguous()", "{m3}.permute(1, 0, 2).contiguous()",
    "{m3}.permute(0, 2, 1).contiguous()", "{m}.expand(3, s, s).contiguous()",
    "{m}.new_zeros(s, s)", "M.full_like({m}, 1)", "{m}.unfold(1, 2, 1).contiguous()",
    "{m}[1:, 1:].clone()", "{m}[::2].contiguous()", "M.nn.functional.pad({m}, (0, 0, 1, 1))",
    "{m}.equal({m})", "M.isclose({m}, {m})", "M.block_diag({m}, {r})",
    "M.cartesian_prod({r}[:9], {r}[:9])", "M.vander({r}[:20])"]
ARITHMETIC = [
    "{m} - {m}", "{m} + 1", "{m} * 2", "{m} - {c}", "{m} / 2", "{m} / {m}", "{m}.pow(2)",
    "{m}.pow(3)", "{m} ** {m}", "-{m}", "{m}.square()", "{m}.sgn()", "{m} + True",
    "M.add({m}, {m}, alpha=2)", "M.addcmul({m}, {m}, {m})", "M.rsub({m}, 1)",
    "M.where(zm, {m}, 0)", "{m} == 1", "M.lerp({m}, {m}, 0.5)", "{m}.logical_not()",
    "M.logical_and({m}, {m})", "M.logical_xor({m}, {m})", "M.isnan({m})", "M.isfinite({m})",
    "M.mm({m}, {m})", "M.mm({m}[:2], {m})", "M.mm({m}, {m}[:, :2])", "M.mv({m}, {r})",
    "M.mv({m}.t(), {r})", "{r} @ {m}", "M.outer({r}, {r})", "M.dot({r}, {r})",
    "M.bmm({m3}, {m3})"] + [
    f"{{m}}.to(M.{name})" for name in ("int8", "uint8", "int16", "int32", "float64",
                                       "complex64", "complex128")]
ORDERED = [
    "{m}.argsort(0)", "{m}.kthvalue(3, 1)", "{m}.median()", "{m}.median(1)", "{m}.median(0)",
    "{m}.mode(1)", "{m}.cummax(0)", "{m}.cummax(1)", "{m}.cummin(1)", "{m}.unique()",
    "{m}.max(1)", "{m}.min(0)", "{m}.max()", "{m}.argmax(0)", "{m}.argmin()",
    "M.aminmax({m})", "M.searchsorted({m}, {m})", "M.bucketize({m}, {r})",
    "M.isin({m}, {r})", "{m}.msort()", "{m} >= {m}", "{m} != 2", "{m} > 1"]
INTEGER = [
    "{m} // ({m} + 1)", "{m} % 7", "{m} // 3", "{m} % ({m} + 1)", "M.fmod({m}, {m} + 1)",
    "M.fmod({m}, 3)", "M.gcd({m}, {m})", "M.lcm({m}, {r})", "{m} & {m}", "{m} | 3",
    "{m} ^ {m}", "~{m}", "{m} << 2", "{m} >> {m}", "{m}.abs()", "{m}.sign()",
    "M.bincount({m}.flatten())", "M.div({m}, {m} + 1, rounding_mode='trunc')",
    "M.sum({m}, 0, dtype=M.float32)"]
FLOATING = [
    "{m}.log()", "{m}.sin()", "{m}.floor()", "{m}.round()", "M.histc({m}, 10)",
    "M.logcumsumexp({m}, 1)", "M.logcumsumexp({m}, 0)", "M.softmax({m}, 1)",
    "M.softmax({m}, 0)", "M.log_softmax({m}, 1)", "M.logsumexp({m}, 0)",
    "M.nn.functional.layer_norm({m}, (s,))", "M.cdist({m}[:50], {m}[:50])",
    "M.cdist({m}, {m}[:, :])", "M.var({m}, 0)", "M.var_mean({m}, 1)", "M.nanmean({m}, 1)",
    "M.renorm({m}, 2, 0, 1.)", "M.cov({m}[:20])", "M.norm({m}, 1, 0)",
    "M.norm({m}, float('inf'), 1)", "M.nn.functional.normalize({m})",
    "M.nn.functional.cosine_similarity({m}, {m})", "M.dist({m}, {m})", "M.hypot({m}, {m})",
    "M.atan2({m}, {m})", "M.fmod({m}, {m})", "M.remainder({m}, {r})",
    "M.floor_divide({m}, {m})", "M.copysign({m}, {m})", "M.ldexp({m}, {m})", "M.frexp({m})",
    "M.xlogy({m}, {m})", "M.nan_to_num({m})", "M.signbit({m})"] + [
    f"M.nn.functional.{name}({{m}})" for name in (
        "relu", "gelu", "silu", "softplus", "leaky_relu", "elu", "hardtanh", "hardswish")] + [
    f"M.nn.functional.{name}({{m}}, {{m}})" for name in (
        "mse_loss", "l1_loss", "smooth_l1_loss", "kl_div", "binary_cross_entropy_with_logits")]
COMPLEX = [
    "{m}.real.clone()", "M.view_as_real({m}).sum(0)", "M.angle({m})", "{m}.conj() * {m}",
    "{m}.conj().resolve_conj()", "M.polar({m}.real, {m}.real)",
    "M.complex({m}.real.contiguous(), {m}.imag.contiguous())", "{m}.log()", "{m}.sin()",
    "M.vdot({r}, {r})", "{m}.mean(1)", "M.var({m}, 0)"]


def of_dtype(letter):
    """Rows of one dtype; those that PyTorch refuses are said not to be measured."""
    forms = INDEXED + LAYOUT + ARITHMETIC
    forms = forms + (ORDERED if letter not in "zcC" else [])
    forms = forms + (INTEGER if letter in "busil" else [])
    forms = forms + (FLOATING if letter in "fdhg" else [])
    forms = forms + (COMPLEX if letter in "cC" else [])
    names = {name: f"{name}_{letter}" for name in ("m", "m3", "r", "c")}
    return [form.format(**names) for form in forms]


ROWS = [row for letter in DTYPES for row in of_dtype(letter)]
