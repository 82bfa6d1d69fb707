# SPDX-License-Identifier: Apache-2.0
"""Rows of python_operators.py with the sizes that programs have: --rows shapes.

Layers of transformers and convolutional networks as they are in well-known ones, for one
sample and for eight, and shapes that are neither square nor powers of two: points of three
numbers, images of bytes, short rows, few columns. Sizes do not depend on --sizes.
"""
import math

from same_values import same_values


def rows_of(text):
    return [row.strip() for row in text.split(";")]


LAYERS = rows_of("""
F.linear(x1, wt, nb); F.linear(x32, wt, nb); F.linear(x128, wt, nb); F.linear(xb, wt, nb);
F.linear(xb, w4, b4); F.linear(x1, w4, b4); F.gelu(h4); F.gelu(x32);
F.layer_norm(xb, (768,), nb, nb); F.layer_norm(x1, (768,), nb, nb);
F.layer_norm(x32, (768,), nb, nb); M.matmul(qry, k.transpose(-2, -1)); M.matmul(att, val);
F.softmax(att, -1); F.softmax(att.masked_fill(~mask, -1e9), -1);
M.matmul(q1, k1.transpose(-2, -1)); F.embedding(words, emb); F.cross_entropy(logits, tgt);
F.log_softmax(logits, -1); F.softmax(wb, -1);
xb.view(8, 128, 12, 64).transpose(1, 2).contiguous(); qry.transpose(1, 2).reshape(8, 128, 768);
M.add(xb, xb); F.dropout(xb, 0.1, True); F.batch_norm(img, bm, bn, bn, bm);
F.batch_norm(img, bm, bn, bn, bm, True); F.batch_norm(img1, bm, bn, bn, bm); F.relu(img);
F.relu(img1); F.max_pool2d(img, 3, 2, 1); F.max_pool2d(img1, 2); F.avg_pool2d(img, 7);
F.adaptive_avg_pool2d(f, 1); M.mean(f, (2, 3)); F.conv2d(d1, dw, padding=1, groups=64);
F.conv2d(d1, dw, padding=1, stride=2, groups=64); F.conv2d(xdw, dwl, padding=1, groups=384);
F.conv2d(xdw7, dw7, padding=3, groups=96); F.conv2d(img, pw); F.conv2d(img1, pw);
F.conv_transpose2d(f[:, :64], ct, stride=2, padding=1); F.conv_transpose2d(u1, uk, stride=2);
F.conv3d(c3, k3, padding=1); F.conv1d(wav, kw, stride=4);
F.interpolate(img, scale_factor=2, mode='nearest');
F.interpolate(img, scale_factor=2, mode='bilinear');
F.interpolate(im3, size=(256, 256), mode='bilinear');
F.interpolate(im3, size=(256, 256), mode='bicubic');
F.linear(F.relu(F.linear(mlp, m1, m1b)), m2, m2b); F.cross_entropy(lg, lt);
M.cat((img, img), 1); M.stack((x32, x32)); M.cat((x32, x32), 1); M.cat((x32, x32), -1);
img.permute(0, 2, 3, 1).contiguous(); im3.permute(0, 2, 3, 1).contiguous();
M.einsum('bhid,bhjd->bhij', qry, k); M.einsum('bij,jk->bik', t3, t3[0].t()); M.cdist(pts, pts);
M.topk(logits, 10); M.argmax(logits, -1); M.argmax(lg, 1); M.bmm(t3, t3.transpose(1, 2));
F.normalize(x32, dim=1); F.mse_loss(x32, x32 * 2); F.unfold(img1, 3, padding=1);
F.pad(img1, (1, 1, 1, 1)); F.group_norm(img, 8, bn, bm); F.instance_norm(img);
M.tril(att[0, 0]); M.where(mask, att, att * 0); M.cumsum(logits, -1); M.sort(logits, -1);
M.multinomial(F.softmax(logits, -1), 1); M.norm(w4); M.sum(xb, 1); M.sum(xb, 0); M.sum(xb, -1);
M.var(xb, -1); M.std(img, (0, 2, 3)); M.max(img, 1); M.linalg.norm(x128, dim=1); M.mm(x128, wt);
M.mm(x128.t(), x128); M.mm(x32.t(), x32); M.addmm(nb, x32, wt); F.prelu(img, bn); F.silu(h4);
F.glu(h4); F.one_hot(tgt, 30000)
""")

BACKWARD = rows_of("""
F.linear(x32, wt, nb); F.linear(xb, wt, nb); F.linear(x1, wt, nb); F.gelu(h4);
F.layer_norm(xb, (768,), nb, nb); F.softmax(att, -1); F.cross_entropy(logits, tgt);
F.embedding(words, emb); F.batch_norm(img, rm, rv, bn, bm, True); F.max_pool2d(img, 3, 2, 1);
F.relu(img); F.conv2d(d1, dw, padding=1, groups=64);
F.conv2d(d1, dw, padding=1, stride=2, groups=64); F.conv2d(xdw, dwl, padding=1, groups=384);
F.conv2d(img, pw); F.conv2d(img1, pw); F.conv_transpose2d(f[:, :64], ct, stride=2, padding=1);
F.conv3d(c3, k3, padding=1); F.conv1d(wav, kw, stride=4);
F.interpolate(img, scale_factor=2, mode='bilinear'); M.matmul(qry, k.transpose(-2, -1));
F.linear(F.relu(F.linear(mlp, m1, m1b)), m2, m2b); F.cross_entropy(lg, lt);
F.group_norm(img, 8, bn, bm); F.adaptive_avg_pool2d(f, 1); F.avg_pool2d(img, 7); F.silu(h4);
M.bmm(t3, t3.transpose(1, 2)); F.conv2d(im3, w7, stride=2, padding=3);
F.conv2d(xdw7, dw7, padding=3, groups=96)
""")

ODD = rows_of("""
M.mm(a, b); M.bmm(a3, b3); M.matmul(a3, b); M.mm(n1, n2); M.mm(tall.t(), tall);
M.mm(wide, tall); M.mm(tall, tall[:3]); M.mm(tl, tr); M.mm(tr, tl); M.matmul(tall, v7[:3]);
x8 + y8; x8 * y8; (x8 - y8).abs(); t4 + t4b; t4 * t4b; col + row; col * row; t4.sum(1);
t4.sum((1, 3)); t4.sum((0, 2)); t4.mean((2, 3)); t4.amax(1);
t4.permute(3, 1, 0, 2).contiguous(); t4.permute(0, 2, 3, 1).contiguous();
t4.transpose(0, 3).sum(1); big.sum(0); big.sum(1); big.t().sum(0); big.mean(); big.std(0);
big.std(1); big.var(0); big.norm(2, 0); big.norm(2, 1); big.amax(0); big.argmax(0);
big.argmax(1); big.max(0); big.softmax(0); big.softmax(1); big.log_softmax(0); big.cumsum(0);
big.cumsum(1); tall.sum(0); tall.sum(1); tall.mean(0); tall.amax(1); tall.norm(2, 1);
tall.softmax(1); tall.argmax(1); tall.t().contiguous(); wide.t().contiguous(); wide.sum(0);
wide.sum(1); wide.max(0); wide.softmax(0); M.cat([a] * 20); M.cat([a] * 20, 1);
M.stack([a] * 20); M.stack([a] * 20, 2); M.cat([v7] * 100); M.stack([v7] * 100); big.split(7);
big.chunk(9, 1); big[idx]; big[:, idx2]; big[idx, idx2]; big[m]; big[idx][:, idx2];
big.index_select(1, idx2); tall[bigidx]; tall.index_add(0, bigidx, tall[:5000]);
big.masked_fill(m, 0); M.where(m, big, 0); M.where(m, big, big.t().reshape(300, 500)); m.sum();
m.any(1); m.nonzero(); i64.sum(0); i64.sum(1); i64.float().mean(0); i64 + 1; i64 // 7; i64 % 7;
i64 == 5; i64.max(1); i64.sort(1); i64.unique(); big.sort(1); big.sort(0); big.topk(5, 1);
big.topk(5, 0); big.kthvalue(10, 1); big.median(1); big.quantile(0.5, 1); big.flip(0);
big.flip(1); big.roll(3, 0); big.roll(3, 1); big[::2, ::3].contiguous(); big[::2, ::3] + 1;
big[:, 1:-1] * 2; big[1:] - big[:-1]; big[:, 1:] - big[:, :-1]; big.diff(dim=1);
big.unfold(1, 5, 2).mean(-1); big.tril(); big.diagonal().sum(); v + w; v * w + v; v.exp();
v.log1p(); v.tanh(); v.sigmoid(); v.sin(); v.pow(3); v.pow(2.5); v ** w.abs(); v.clamp(-1, 1);
v.round(); v.floor(); v.erf(); v.gt(0); v.sum(); v.max(); v.argmax(); v.norm(); v.std();
v.dot(w); v.cumsum(0); v.sort(); v.outer(v7); v.histc(20); h + h; h.sum(1); h * 2; h.float();
bf + bf; bf.sum(0); bf.softmax(1); bf @ bf.t(); bf.exp(); d + d; d.sum(0); d.exp();
d.softmax(1); d @ d.t(); c * c; c.abs(); c.exp(); c @ c.t(); c.sum(0);
s3.transpose(0, 1).contiguous(); s3.transpose(1, 2).contiguous(); s3.sum(1); s3.mean(0);
s3.softmax(1); s3.cumsum(1); s3.max(1); s4.sum((2, 3)); s4.mean((2, 3), keepdim=True);
s4.std((0, 2, 3)); s4.transpose(1, 3).contiguous(); M.einsum('bij,bkj->bik', s3, s3);
M.einsum('bij,j->bi', s3, s3[0, 0]); M.einsum('ij,ij->i', big, big);
M.einsum('ij,ij->', big, big); M.einsum('bhij,bhkj->bhik', s4, s4); M.linalg.inv(sq);
M.linalg.inv(sqs); M.linalg.det(sqs); M.linalg.cholesky(sqs); M.linalg.solve(sqs, sqs);
M.linalg.eigh(sqs); M.linalg.svd(sq); M.linalg.qr(sq); M.linalg.eigh(sq + sq.t());
M.linalg.matrix_norm(sqs); M.linalg.pinv(sq); M.linalg.lstsq(sq, sq);
M.linalg.matrix_exp(sq / 50); M.linalg.matrix_power(sq, 5); M.linalg.slogdet(sq); u8.float();
u8.float() / 255; u8 + u8; u8.sum(); rgb.float(); rgb.permute(2, 0, 1).float();
rgb.permute(2, 0, 1).float() / 255; rgb.permute(2, 0, 1).contiguous(); (f3 - mean3) / mean3;
f3 * mean3; f3.flip(2); f3[:, 100:324, 100:324].contiguous(); f3.mean((1, 2));
M.zeros(20000).scatter_add(0, ids, q); M.zeros(1000).index_add(0, ids, q);
M.zeros(1000).scatter_reduce(0, ids, q, 'amax'); q[ids]; steps[None, :] < lens[:, None];
M.arange(10000); M.linspace(0, 1, 10000); M.eye(300); M.zeros(300, 500); M.ones(300, 500);
M.full((300, 500), 3.0); M.rand(300, 500); M.randn(300, 500); M.randint(0, 10, (300, 500));
M.randperm(10000); M.meshgrid(v7, v7, indexing='ij'); M.cartesian_prod(v7, v7);
M.combinations(v7); M.kron(a, v7[None]); M.cross(tall, tall); M.cov(a); M.corrcoef(a);
M.cdist(a, a); M.fft.fft(v); M.fft.rfft(s3); M.fft.fft2(sqs); M.fft.fft(c); M.fft.fftshift(sq);
M.nn.functional.one_hot(i64[0], 100); M.nn.functional.pad(big, (3, 3));
M.nn.functional.cosine_similarity(big, big); M.nn.functional.pairwise_distance(big, big);
M.nn.functional.smooth_l1_loss(big, big * 2);
M.nn.functional.kl_div(big.log_softmax(1), big.softmax(1), reduction='sum'); M.isnan(big).any();
M.isclose(big, big).all(); M.allclose(big, big); M.equal(big, big); M.unique(ids);
M.unique(ids, return_counts=True); M.searchsorted(q.sort()[0], q); M.tril_indices(100, 100);
M.block_diag(a, b); M.repeat_interleave(a, 3, 0); a.repeat(3, 4);
a.expand(10, 33, 17).contiguous(); big.reshape(500, 300); big.t().reshape(300, 500);
big.view(-1); big.flatten(); big.clone(); big.t().clone(); big.double(); big.int(); big.half();
big.bfloat16(); big.bool(); big.long(); i64.reshape(-1).bincount();
M.tensordot(t4, t4, ([2, 3], [2, 3]))
""")

# Channels, maps, side, kernel, stride.
CONVOLUTIONS = [(3, 64, 224, 7, 2), (64, 64, 56, 3, 1), (64, 128, 56, 3, 2), (128, 128, 28, 3, 1),
                (128, 256, 28, 3, 2), (256, 256, 14, 3, 1), (256, 512, 14, 3, 2),
                (512, 512, 7, 3, 1), (64, 128, 56, 1, 2), (256, 512, 14, 1, 2), (16, 16, 10, 3, 1),
                (32, 32, 10, 3, 1)]
SHORT = (2, 3, 5, 8, 16, 32)
REDUCED = "sum mean amax argmax max prod any std logsumexp softmax".split()

BEYOND = [f"{x}.{op}()" for x in ("lgt", "far", "v") for op in
          "exp log log2 log10 log1p asin acos atanh sigmoid sinh cosh".split()]

ROWS = (
    LAYERS + ODD + BEYOND + [f"backward: {row}" for row in BACKWARD]
    + [f"{pass_}F.conv2d(x{n}_{i}, k_{i}, stride={c[4]}, padding={c[3] // 2})"
       for i, c in enumerate(CONVOLUTIONS) for n in (1, 8) for pass_ in ("", "backward: ")]
    + [f"r{n}.{op}({dim})" for n in SHORT for op in REDUCED for dim in (0, 1)]
)


def scope_of(torch, library, n):
    """The variables of the expressions. Values are the same in both libraries."""
    del n
    torch.manual_seed(0)
    r, whole = torch.randn, torch.randint
    first = {
        "x1": r(1, 768), "x32": r(32, 768), "x128": r(128, 768), "xb": r(8, 128, 768),
        "wt": r(768, 768) / 28, "w4": r(3072, 768) / 28, "nb": r(768), "b4": r(3072),
        "h4": r(8, 128, 3072), "qry": r(8, 12, 128, 64), "k": r(8, 12, 128, 64),
        "val": r(8, 12, 128, 64), "att": r(8, 12, 128, 128), "q1": r(1, 12, 1, 64),
        "k1": r(1, 12, 256, 64), "emb": r(30000, 128), "words": whole(0, 30000, (8, 128)),
        "logits": r(128, 30000), "tgt": whole(0, 30000, (128,)), "img": r(8, 64, 56, 56),
        "img1": r(1, 64, 56, 56), "im3": r(1, 3, 224, 224), "bn": torch.rand(64) + 0.5,
        "bm": r(64), "rm": r(64), "rv": torch.rand(64) + 0.5, "d1": r(1, 64, 112, 112),
        "dw": r(64, 1, 3, 3), "pw": r(128, 64, 1, 1) / 8, "dwl": r(384, 1, 3, 3),
        "xdw": r(1, 384, 14, 14), "dw7": r(96, 1, 7, 7), "xdw7": r(1, 96, 56, 56),
        "ct": r(64, 32, 4, 4) / 16, "mlp": r(64, 784), "m1": r(256, 784) / 28,
        "m2": r(10, 256) / 16, "m1b": r(256), "m2b": r(10), "lg": r(64, 10),
        "lt": whole(0, 10, (64,)), "t3": r(32, 100, 64), "mask": torch.rand(8, 1, 1, 128) > 0.1,
        "f": r(8, 256, 14, 14), "wb": r(64, 1000), "pts": r(1000, 3), "c3": r(1, 16, 16, 32, 32),
        "k3": r(16, 16, 3, 3, 3) / 20, "wav": r(4, 1, 16000), "kw": r(64, 1, 25),
        "u1": r(1, 32, 64, 64), "uk": r(32, 16, 2, 2), "w7": r(64, 3, 7, 7) / 12,
        "a": r(33, 17), "b": r(17, 29), "a3": r(10, 33, 17), "b3": r(10, 17, 29),
        "big": r(300, 500), "tall": r(100000, 3), "wide": r(3, 100000), "t4": r(5, 7, 11, 13),
        "t4b": r(5, 1, 11, 1), "x8": r(8, 1, 128), "y8": r(1, 64, 128), "col": r(1000, 1),
        "row": r(1, 1000), "i64": whole(0, 100, (300, 500)), "m": torch.rand(300, 500) > 0.5,
        "idx": whole(0, 300, (200,)), "idx2": whole(0, 500, (200,)),
        "bigidx": whole(0, 100000, (5000,)), "n1": r(999, 1001), "n2": r(1001, 999), "v7": r(7),
        "v": r(12345), "w": r(12345), "h": r(300, 500).half(), "bf": r(300, 500).bfloat16(),
        "d": r(300, 500).double(), "c": torch.complex(r(100, 200), r(100, 200)),
        "s3": r(64, 50, 30), "s4": r(2, 3, 64, 65), "sq": r(50, 50), "sqs": r(20, 12, 12),
        "u8": whole(0, 255, (300, 500), dtype=torch.uint8),
        "rgb": whole(0, 255, (480, 640, 3), dtype=torch.uint8), "f3": r(3, 480, 640),
        "mean3": r(3, 1, 1), "q": torch.rand(20000), "ids": whole(0, 1000, (20000,)),
        "lens": whole(1, 50, (64,)), "steps": torch.arange(50), "tl": r(2000, 64),
        "tr": r(64, 2000),
    }
    # Logits of which half are masked, and numbers far from 0.
    first["lgt"] = torch.where(torch.rand(20000) > 0.5, torch.tensor(-1e9), r(20000))
    first["far"] = r(20000) * 300
    first["sqs"] = first["sqs"] @ first["sqs"].mT + 12 * torch.eye(12)
    for n in SHORT:
        first[f"r{n}"] = r(300000 // n, n)
    for i, (channels, maps, side, kernel, _) in enumerate(CONVOLUTIONS):
        first[f"x1_{i}"], first[f"x8_{i}"] = r(1, channels, side, side), r(8, channels, side, side)
        first[f"k_{i}"] = r(maps, channels, kernel, kernel) / math.sqrt(channels * kernel ** 2)
    if library is not torch:
        first = {name: same_values(library, value) for name, value in first.items()}
    return dict(first, M=library, F=library.nn.functional)
