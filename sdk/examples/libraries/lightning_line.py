"""Tunes a line fitted with PyTorch Lightning: paused runs continue from their checkpoints."""
import lightning
import torch

import hone
import hone.lightning

SPACE = {"lr": hone.Float(1e-4, 1.0, log=True)}


class Line(lightning.LightningModule):
    def __init__(self, lr: float) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(1, 1)
        self.lr = lr

    def loss(self, batch):
        return ((self.layer(batch) - 3 * batch - 1) ** 2).mean()

    def training_step(self, batch, _):
        return self.loss(batch)

    def validation_step(self, batch, _):
        self.log("val_loss", self.loss(batch))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr)


def train(run: hone.Run) -> None:
    lightning.seed_everything(run.seed % 2**32)
    run.seed_applied = True
    data = torch.utils.data.DataLoader(torch.linspace(-1, 1, 64).reshape(-1, 1), batch_size=16)
    trainer = lightning.Trainer(max_epochs=run.budget.per_run, accelerator="cpu", logger=False,
                                enable_progress_bar=False, enable_model_summary=False,
                                enable_checkpointing=False, default_root_dir=run.folder,
                                callbacks=[hone.lightning.Reports(run, "val_loss")])
    trainer.fit(Line(run.params["lr"]), data, data, ckpt_path=hone.lightning.resume_path(run))


if __name__ == "__main__":
    sweep = hone.Sweep(SPACE, "val_loss", goal="minimize", trials=6, phases=4, per_run=8,
                       unit="epochs", seed=1, terminator="asha")
    print("best", sweep.run(train)["value"])
