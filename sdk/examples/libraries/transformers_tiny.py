"""Tunes the Trainer of Hugging Face on a classifier of three letters, small enough for a test."""
import os

import torch
import transformers

import hone
import hone.transformers

SPACE = {"learning_rate": hone.Float(1e-5, 1e-1, log=True)}
ROWS = [{"input_ids": torch.tensor([a, b, c]), "labels": torch.tensor(int(a == c))}
        for a in range(4) for b in range(4) for c in range(4)]


def train(run: hone.Run) -> None:
    config = transformers.BertConfig(vocab_size=4, hidden_size=16, num_hidden_layers=1,
                                     num_attention_heads=2, intermediate_size=16)
    settings = transformers.TrainingArguments(
        output_dir=os.path.join(run.folder, "trainer"), num_train_epochs=run.budget.per_run,
        per_device_train_batch_size=16, learning_rate=run.params["learning_rate"],
        evaluation_strategy="epoch", save_strategy="no", report_to=[], disable_tqdm=True,
        seed=run.seed % 2**32, use_cpu=True)
    run.seed_applied = True
    trainer = transformers.Trainer(
        transformers.BertForSequenceClassification(config), settings, train_dataset=ROWS,
        eval_dataset=ROWS, callbacks=[hone.transformers.Reports(run, "eval_loss")])
    trainer.train(resume_from_checkpoint=hone.transformers.resume_folder(run))


if __name__ == "__main__":
    sweep = hone.Sweep(SPACE, "eval_loss", goal="minimize", trials=4, phases=3, per_run=6,
                       unit="epochs", seed=1, terminator="asha")
    print("best", sweep.run(train)["value"])
