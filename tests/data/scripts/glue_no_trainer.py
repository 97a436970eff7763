import argparse

from skeleton import got

parser = argparse.ArgumentParser()
parser.add_argument("--task_name", type=str, default=None, choices=["cola", "mnli", "sst2"])
parser.add_argument("--train_file", type=str, default=None)
parser.add_argument("--max_length", type=int, default=128)
parser.add_argument("--pad_to_max_length", action="store_true")
parser.add_argument("--model_name_or_path", type=str, default="bert-base-cased")
parser.add_argument("--use_slow_tokenizer", action="store_true")
parser.add_argument("--per_device_train_batch_size", type=int, default=8)
parser.add_argument("--per_device_eval_batch_size", type=int, default=8)
parser.add_argument("--learning_rate", type=float, default=5e-5)
parser.add_argument("--weight_decay", type=float, default=0.0)
parser.add_argument("--num_train_epochs", type=int, default=3)
parser.add_argument("--max_train_steps", type=int, default=None)
parser.add_argument("--gradient_accumulation_steps", type=int, default=1)
parser.add_argument("--lr_scheduler_type", type=str, default="linear",
                    choices=["linear", "cosine", "constant"])
parser.add_argument("--num_warmup_steps", type=int, default=0)
parser.add_argument("--output_dir", type=str, default=None)
parser.add_argument("--seed", type=int, default=None)
parser.add_argument("--push_to_hub", action="store_true")
parser.add_argument("--checkpointing_steps", type=str, default=None)
parser.add_argument("--with_tracking", action="store_true")
parser.add_argument("--ignore_mismatched_sizes", action="store_true")
args = parser.parse_args()
got(vars(args))
for epoch in range(args.num_train_epochs):
    print(f"epoch {epoch}: {{'accuracy': {epoch / 4 + 0.1}}}")
