from skeleton import got

# I/O
out_dir = 'out'
eval_interval = 2000
log_interval = 1
eval_only = False # if True, script exits right after the first eval
always_save_checkpoint = True
init_from = 'scratch'
wandb_log = False
# data
dataset = 'openwebtext'
gradient_accumulation_steps = 5 * 8 # used to simulate larger batch sizes
batch_size = 12
block_size = 1024
# model
n_layer = 12
n_head = 12
n_embd = 768
dropout = 0.0 # for pretraining 0 is good, for finetuning try 0.1+
bias = False
# adamw optimizer
learning_rate = 6e-4
max_iters = 600000
weight_decay = 1e-1
beta1 = 0.9
beta2 = 0.95
grad_clip = 1.0
decay_lr = True
warmup_iters = 2000
min_lr = 6e-5
device = 'cuda'
dtype = 'float16'
compile = True
# -----------------------------------------------------------------------------
config_keys = [k for k, v in globals().items() if not k.startswith('_') and isinstance(v, (int,
    float, bool, str))]
exec(open('configurator.py').read()) # overrides from command line or config file
config = {k: globals()[k] for k in config_keys}
got(config)
for step in range(1, 11):
    print(f"iter {step * max_iters // 10}: loss {4 / step:.4f}")
