# SPDX-License-Identifier: Apache-2.0
"""What modules.py runs in both libraries, a line each."""

# name(arguments) | the shapes of the inputs; "i5:2x3" are integers below 5, "p:" positive
# numbers, "s:" signs, "b:" zeros and ones, "n:" numbers that need no gradient, "u:" within
# (0, 1), "l:" logarithms of probabilities, "o:" where bags begin. name(arguments) method calls
# that instead of the module; a third column are arguments by name. "t" is the library.
MODULES = """
Linear(3, 4) | 5x3
Linear(3, 4, bias=False) | 2x5x3
Bilinear(3, 4, 2) | 5x3 5x4
Identity() | 2x3
Flatten() | 2x3x4
Flatten(0, 1) | 2x3x4
Unflatten(1, (2, 3)) | 2x6x4
Embedding(7, 3) | i7:2x4
Embedding(7, 3, padding_idx=-2) | i7:2x4
EmbeddingBag(7, 3) | i7:2x4
EmbeddingBag(7, 3, mode='max', padding_idx=-2) | i7:6 o:3
EmbeddingBag(7, 3, mode='sum', padding_idx=2, include_last_offset=True) | i7:6 o:4
EmbeddingBag(7, 3, mode='sum') | i7:6 o:3 6
EmbeddingBag(7, 3, mode='sum') | i7:2x3 | per_sample_weights=t.arange(6.0).view(2, 3)
EmbeddingBag(7, 3, max_norm=1.0, scale_grad_by_freq=True) | i7:6 o:3
LazyLinear(4) | 5x3
LazyLinear(4, bias=False) | 2x5x3
LazyConv1d(6, 3) | 2x4x9
LazyConv2d(4, (3, 2), stride=(2, 1), groups=2, bias=False) | 2x4x6x7
LazyConv3d(3, 2) | 2x4x5x3
LazyConvTranspose1d(6, 3, stride=2, output_padding=1) | 2x4x5
LazyConvTranspose2d(6, 3, 2, 1, groups=2) | 2x4x5x4
LazyConvTranspose3d(3, 2) | 1x2x3x3x2
LazyBatchNorm1d() | 5x4
LazyBatchNorm2d(eps=0.001, momentum=0.3, affine=False) | 2x3x4x5
LazyBatchNorm3d(track_running_stats=False) | 2x3x2x2x3
LazyInstanceNorm1d() | 2x3x5
LazyInstanceNorm2d(track_running_stats=False) | 2x3x4x5
LazyInstanceNorm3d(affine=False) | 2x3x2x3x2
Conv1d(4, 6, 3) | 2x4x9
Conv1d(4, 6, 3, stride=2, padding=1, dilation=2, groups=2, bias=False) | 2x4x9
Conv1d(4, 6, 4, padding='same') | 2x4x9
Conv1d(4, 6, 3, padding=1, padding_mode='circular') | 2x4x9
Conv2d(3, 4, 3) | 2x3x6x7
Conv2d(3, 4, (3, 2), stride=(2, 1), padding=(1, 0)) | 2x3x6x7
Conv2d(4, 4, 3, groups=4, padding='valid') | 2x4x6x7
Conv2d(3, 4, 3, padding=1, padding_mode='reflect') | 2x3x6x7
Conv2d(3, 4, 3, padding=(1, 2), padding_mode='replicate') | 2x3x6x7
Conv3d(2, 3, 2) | 1x2x4x5x3
ConvTranspose1d(4, 6, 3, stride=2, output_padding=1) | 2x4x5
ConvTranspose2d(4, 6, 3, stride=2, padding=1, groups=2) | 2x4x5x4
ConvTranspose2d(4, 6, 3, dilation=2, bias=False) | 2x4x5x4
ConvTranspose3d(2, 3, 2) | 1x2x3x3x2
Unfold(2) | 2x3x5x4
Fold((5, 4), 2) | 2x12x12
BatchNorm1d(4) | 5x4
BatchNorm1d(4, momentum=None) | 5x4x3
BatchNorm1d(4, affine=False, track_running_stats=False) | 5x4
BatchNorm2d(3, eps=0.001, momentum=0.3) | 2x3x4x5
BatchNorm3d(3) | 2x3x2x2x3
InstanceNorm1d(3) | 2x3x5
InstanceNorm2d(3, affine=True) | 2x3x4x5
InstanceNorm2d(3, track_running_stats=True) | 2x3x4x5
LayerNorm(5) | 2x3x5
LayerNorm((3, 5), elementwise_affine=False) | 2x3x5
GroupNorm(2, 6) | 2x6x3
GroupNorm(3, 6, affine=False) | 2x6x3x2
LocalResponseNorm(3) | 2x5x4x3
CrossMapLRN2d(3) | n:2x5x4x3
CrossMapLRN2d(4, 0.5, 0.6, 2) | n:2x5x4x3
CrossMapLRN2d(9, 0.5) | n:2x3x4x3
ReLU() | 3x4
ReLU(inplace=True) | n:3x4
ReLU6() | 3x4
SELU() | 3x4
SiLU() | 3x4
Mish() | 3x4
ELU(0.7) | 3x4
CELU(0.7) | 3x4
GELU() | 3x4
GELU('tanh') | 3x4
GLU() | 3x4
LeakyReLU(0.2) | 3x4
PReLU() | 3x4
PReLU(4) | 3x4
RReLU() | 3x4
Threshold(0.1, 20) | 3x4
Hardtanh() | 3x4
Hardtanh(-2, 0.5) | 3x4
Hardshrink() | 3x4
Softshrink(0.3) | 3x4
Hardsigmoid() | 3x4
Hardswish() | 3x4
Sigmoid() | 3x4
Tanh() | 3x4
Tanhshrink() | 3x4
Softsign() | 3x4
LogSigmoid() | 3x4
Softplus(2, 1) | 3x4
Softmax(dim=1) | 3x4
Softmin(dim=0) | 3x4
LogSoftmax(dim=-1) | 3x4
Softmax2d() | 2x3x4x2
Dropout(0.0) | 3x4
Dropout(0.5, inplace=True) | 3x4
Dropout2d(0.2) | 2x3x4x4
AlphaDropout(0.2) | 3x4
FeatureAlphaDropout(0.2) | 3x4x5
MaxPool1d(2) | 2x3x7
MaxPool2d(3, stride=2, padding=1) | 2x3x7x6
MaxPool2d((2, 3), dilation=(1, 2), ceil_mode=True) | 2x3x7x6
MaxPool2d(2, return_indices=True) | 2x3x6x6
MaxPool3d(2) | 1x2x4x4x5
AvgPool1d(3, 2, 1) | 2x3x7
AvgPool2d(2, stride=1, padding=1, count_include_pad=False) | 2x3x5x4
AvgPool2d(2, divisor_override=3) | 2x3x5x4
AvgPool3d(2) | 1x2x4x4x5
LPPool1d(2, 3) | p:2x3x7
LPPool2d(2, 2, stride=1) | p:2x3x5x4
AdaptiveAvgPool1d(3) | 2x3x7
AdaptiveAvgPool2d((3, None)) | 2x3x7x5
AdaptiveAvgPool2d(1) | 2x3x7x5
AdaptiveAvgPool3d(2) | 1x2x4x5x3
AdaptiveMaxPool1d(3) | 2x3x7
AdaptiveMaxPool2d((2, 3)) | 2x3x7x5
AdaptiveMaxPool3d(2) | 1x2x4x5x3
FractionalMaxPool2d(2, 3, _random_samples=t.full((2, 3, 2), 0.4)) | 2x3x7x5
FractionalMaxPool2d((2, 1), output_ratio=(0.5, 0.7), return_indices=True, \
_random_samples=t.full((2, 3, 2), 0.7)) | 2x3x7x5
FractionalMaxPool3d(2, 2, _random_samples=t.full((1, 2, 3), 0.3)) | 1x2x4x5x4
FractionalMaxPool3d(2, output_ratio=0.6, _random_samples=t.full((1, 2, 3), 0.9)) | 1x2x4x5x4
ConstantPad1d(2, 1.5) | 2x3x4
ConstantPad2d((1, 0, 2, 1), -1) | 2x3x4x3
ZeroPad2d(1) | 2x3x4x3
ReflectionPad1d((1, 2)) | 2x3x4
ReflectionPad2d(2) | 2x3x4x3
ReplicationPad2d((1, 0, 0, 2)) | 2x3x4x3
ReplicationPad3d(1) | 1x2x3x2x2
PixelShuffle(2) | 1x8x3x2
PixelUnshuffle(2) | 1x2x4x6
ChannelShuffle(2) | n:1x4x2x3
Upsample(scale_factor=2) | 1x2x3x4
Upsample(size=(5, 7), mode='bilinear', align_corners=True) | 1x2x3x4
Upsample(scale_factor=1.5, mode='bicubic') | 1x2x4x4
Upsample(scale_factor=2, mode='linear') | 1x2x4
Upsample(size=6, mode='trilinear') | 1x1x3x4x2
UpsamplingNearest2d(scale_factor=2) | 1x2x3x4
UpsamplingBilinear2d(size=(4, 5)) | 1x2x3x4
L1Loss() | 3x4 3x4
L1Loss(reduction='sum') | 3x4 3x4
MSELoss() | 3x4 3x4
MSELoss(reduction='none') | 3x4 3x4
SmoothL1Loss(beta=0.5) | 3x4 3x4
HuberLoss(delta=0.7) | 3x4 3x4
KLDivLoss(reduction='batchmean') | l:3x4 u:3x4
KLDivLoss(reduction='sum', log_target=True) | l:3x4 l:3x4
NLLLoss() | l:5x4 i4:5
NLLLoss(ignore_index=1, reduction='sum') | l:5x4 i4:5
NLLLoss2d() | l:2x4x3x2 i4:2x3x2
AdaptiveLogSoftmaxWithLoss(16, 10, [2, 5]) | 6x16 i10:6
AdaptiveLogSoftmaxWithLoss(16, 20, [2, 5, 11], div_value=2.0, head_bias=True) | 3x16 i5:3
AdaptiveLogSoftmaxWithLoss(16, 10, [2, 5]) | 16 i10:
AdaptiveLogSoftmaxWithLoss(16, 10, [2, 5]) log_prob | 6x16
AdaptiveLogSoftmaxWithLoss(16, 10, [2, 5]) predict | 20x16
AdaptiveLogSoftmaxWithLoss(16, 10, [9], head_bias=True) predict | 20x16
CrossEntropyLoss() | 5x4 i4:5
CrossEntropyLoss(label_smoothing=0.1) | 5x4x3 i4:5x3
CrossEntropyLoss() | 5x4 u:5x4
BCELoss() | u:3x4 b:3x4
BCEWithLogitsLoss() | 3x4 b:3x4
PoissonNLLLoss() | 3x4 p:3x4
PoissonNLLLoss(log_input=False, full=True) | p:3x4 p:3x4
GaussianNLLLoss() | 3x4 n:3x4 p:3x4
GaussianNLLLoss(full=True, reduction='sum') | 3x4 n:3x4 p:3x1
HingeEmbeddingLoss() | 3x4 s:3x4
MarginRankingLoss(0.1) | 5 5 s:5
CosineEmbeddingLoss(0.2) | 5x3 5x3 s:5
SoftMarginLoss() | 3x4 s:3x4
MultiMarginLoss(p=2) | 3x4 i4:3
MultiLabelMarginLoss() | 3x4 i4:3x4
MultiLabelSoftMarginLoss() | 3x4 b:3x4
TripletMarginLoss(swap=True) | 4x3 4x3 4x3
TripletMarginWithDistanceLoss() | 4x3 4x3 4x3
CosineSimilarity(dim=-1) | 4x3 4x3
PairwiseDistance(1.5, keepdim=True) | 4x3 4x3
RNN(3, 4) | 5x2x3
RNN(3, 4, 2, nonlinearity='relu', bias=False, batch_first=True) | 2x5x3 2x2x4
GRU(3, 4) | 5x3
GRU(3, 4, num_layers=2, bidirectional=True) | 5x2x3 4x2x4
LSTM(3, 4) | 5x2x3
LSTM(3, 4, num_layers=2, bias=False, batch_first=True, bidirectional=True) | 2x5x3
LSTM(3, 4, proj_size=2, num_layers=2) | 5x2x3
RNNCell(3, 4) | 2x3 2x4
RNNCell(3, 4, bias=False, nonlinearity='relu') | 2x3
GRUCell(3, 4) | 2x3 2x4
GRUCell(3, 4) | 3
LSTMCell(3, 4) | 2x3
LSTMCell(3, 4, bias=False) | 3
MultiheadAttention(6, 2) | 3x2x6 4x2x6 4x2x6
MultiheadAttention(6, 3, bias=False, batch_first=True) | 2x3x6 2x4x6 2x4x6
MultiheadAttention(6, 2, kdim=5, vdim=4) | 3x2x6 4x2x5 4x2x4
MultiheadAttention(6, 2) | 3x6 4x6 4x6
TransformerEncoderLayer(6, 2, 8, dropout=0.0) | 3x2x6
TransformerEncoderLayer(6, 2, 8, dropout=0.0, norm_first=True, activation='gelu') | 3x2x6
MultiheadAttention(6, 2, add_bias_kv=True) | 3x2x6 4x2x6 4x2x6
MultiheadAttention(6, 2, add_zero_attn=True) | 3x6 4x6 4x6
MultiheadAttention(6, 2, add_bias_kv=True, add_zero_attn=True) | 3x2x6 4x2x6 4x2x6 | \
attn_mask=t.ones(3, 4).triu(2).to(t.bool), key_padding_mask=t.eye(2, 4).to(t.bool)
MultiheadAttention(6, 2, batch_first=True) | 2x3x6 2x4x6 2x4x6 | need_weights=False, \
attn_mask=t.arange(48.0).view(4, 3, 4) / 9, key_padding_mask=t.eye(2, 4).to(t.bool)
MultiheadAttention(6, 2, batch_first=True) | 2x3x6 2x4x6 2x4x6 | key_padding_mask=t.eye(2, 4)
MultiheadAttention(6, 2) | 3x2x6 4x2x6 4x2x6 | average_attn_weights=False, \
attn_mask=t.ones(3, 4).triu(2).to(t.uint8)
MultiheadAttention(6, 2) | 3x6 4x6 4x6 | attn_mask=t.arange(24.0).view(2, 3, 4), \
key_padding_mask=t.eye(1, 4)[0].to(t.bool)
TransformerEncoderLayer(6, 2, 8, dropout=0.0) | 3x2x6 | \
src_mask=t.ones(3, 3).triu(1).to(t.bool), src_key_padding_mask=t.eye(3, 3)[1:].to(t.bool)
TransformerDecoderLayer(6, 2, 8, dropout=0.0) | 3x2x6 4x2x6
TransformerDecoderLayer(6, 3, 8, 0.0, 'gelu', batch_first=True, norm_first=True) | \
2x3x6 2x4x6 | tgt_mask=nn.Transformer.generate_square_subsequent_mask(3), \
memory_mask=t.ones(3, 4), memory_key_padding_mask=t.eye(2, 4).to(t.bool)
TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8, 0.0), 2, nn.LayerNorm(6)) | 3x2x6
TransformerDecoder(nn.TransformerDecoderLayer(6, 2, 8, 0.0), 2) | 3x2x6 4x2x6 | \
tgt_key_padding_mask=t.eye(2, 3).to(t.bool)
Transformer(6, 2, 2, 1, 8, 0.0) | 4x2x6 3x2x6
Transformer(6, 2, 1, 2, 8, 0.0, batch_first=True, norm_first=True) | 2x4x6 2x3x6 | \
tgt_mask=nn.Transformer.generate_square_subsequent_mask(3), src_mask=t.ones(4, 4)
Transformer(6, 2, 1, 1, 8, 0.0) | 4x6 3x6
Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2, bias=False)) | 5x3
Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten()) | 2x1x5x5
"""

# p: the parameters.
OPTIMIZERS = """
SGD(p, lr=0.1)
SGD(p, lr=0.1, momentum=0.9)
SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.01)
SGD(p, lr=0.1, momentum=0.8, dampening=0.3, maximize=True)
Adam(p)
Adam(p, lr=0.01, betas=(0.8, 0.95), eps=1e-6, weight_decay=0.1)
Adam(p, lr=0.05, amsgrad=True, maximize=True)
AdamW(p)
AdamW(p, lr=0.01, weight_decay=0.3, amsgrad=True)
Adagrad(p, lr=0.1, lr_decay=0.1, weight_decay=0.01, initial_accumulator_value=0.1)
RMSprop(p)
RMSprop(p, lr=0.05, momentum=0.5, centered=True, weight_decay=0.01)
Adadelta(p)
Adadelta(p, lr=0.5, rho=0.8, eps=1e-4, weight_decay=0.1, maximize=True)
Adamax(p)
Adamax(p, lr=0.05, betas=(0.8, 0.95), weight_decay=0.1, maximize=True)
RAdam(p)
RAdam(p, lr=0.05, betas=(0.5, 0.7), eps=1e-6, weight_decay=0.1)
Rprop(p)
Rprop(p, lr=0.2, etas=(0.3, 1.6), step_sizes=(0.05, 0.3), maximize=True)
ASGD(p)
ASGD(p, lr=0.1, lambd=0.01, alpha=0.6, t0=2, weight_decay=0.1)
LBFGS(p, lr=0.1)
LBFGS(p, lr=0.8, line_search_fn="strong_wolfe")
LBFGS(p, lr=0.3, max_iter=3, history_size=2)
LBFGS(p, lr=0.5, max_iter=6, line_search_fn="strong_wolfe")
LBFGS(p, lr=20, max_iter=9, max_eval=30, line_search_fn="strong_wolfe")
"""

# o: an optimizer, s: the library's schedules.
SCHEDULES = """
LambdaLR(o, lambda epoch: 0.9 ** epoch)
MultiplicativeLR(o, lambda epoch: 0.5 + epoch / 40)
StepLR(o, 3, 0.5)
MultiStepLR(o, [2, 5, 5, 9], 0.3)
ConstantLR(o, 0.5, 4)
LinearLR(o, 0.2, 0.9, 6)
ExponentialLR(o, 0.8)
PolynomialLR(o, 8, 2.0)
CosineAnnealingLR(o, 5, 0.01)
SequentialLR(o, [s.ConstantLR(o, 0.1, 2), s.ExponentialLR(o, 0.9)], [3])
ChainedScheduler([s.ConstantLR(o, 0.1, 2), s.ExponentialLR(o, 0.9)])
CosineAnnealingWarmRestarts(o, 3)
CosineAnnealingWarmRestarts(o, 2, T_mult=2, eta_min=0.05)
CyclicLR(o, 0.1, 0.5, step_size_up=3)
CyclicLR(o, 0.1, 0.5, 2, 3, mode="triangular2", base_momentum=0.6)
CyclicLR(o, 0.1, 0.5, 2, mode="exp_range", gamma=0.9, cycle_momentum=False)
CyclicLR(o, 0.1, 0.5, 2, scale_fn=lambda x: 1 / x, max_momentum=[0.95])
OneCycleLR(o, 0.5, 12)
OneCycleLR(o, [0.5], epochs=4, steps_per_epoch=3, three_phase=True, pct_start=0.4)
OneCycleLR(o, 0.5, 15, anneal_strategy="linear", div_factor=5.0, base_momentum=0.7)
"""

# Networks that get packed sequences.
PACKED = """
RNN(3, 4)
GRU(3, 4, num_layers=2, bidirectional=True)
LSTM(3, 4, bidirectional=True)
LSTM(3, 4, num_layers=2, proj_size=2)
"""

# Arguments of multi_head_attention_forward; check_attention has the shapes.
ATTENTION = """
q, k, v, 6, 2, w, b, None, None, False, 0.0, o, b[:6]
q, k, v, 6, 2, w, None, bk, bk + 1, True, 0.5, o, None, training=False
q, k, v, 6, 2, w, b, None, None, True, 0.0, o, None, static_k=ks, static_v=vs
q, k5, v, 6, 2, None, b, None, None, False, 0.0, o, None, use_separate_proj_weight=True, \
q_proj_weight=o, k_proj_weight=wk, v_proj_weight=w[:6]
"""

CTC = """
CTCLoss()
CTCLoss(reduction='sum', zero_infinity=True)
CTCLoss(reduction='none')
"""

# Types of tensors that go from one library to the other.
EXCHANGE = """
uint8
int8
int16
int32
int64
float16
bfloat16
float32
float64
"""
