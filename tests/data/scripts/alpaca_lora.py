from typing import List

import fire

from skeleton import got


def train(
    # model/data params
    base_model: str = "model",
    output_dir: str = "./lora-alpaca",
    # training hyperparams
    batch_size: int = 128,
    micro_batch_size: int = 4,
    num_epochs: int = 3,
    learning_rate: float = 3e-4,
    cutoff_len: int = 256,
    val_set_size: int = 2000,
    # lora hyperparams
    lora_r: int = 8,
    lora_alpha: int = 16,
    lora_dropout: float = 0.05,
    lora_target_modules: List[str] = ["q_proj", "v_proj"],
    # llm hyperparams
    train_on_inputs: bool = True,
    add_eos_token: bool = False,
    group_by_length: bool = False,
    wandb_project: str = "",
):
    got({name: value for name, value in locals().items()})
    for epoch in range(num_epochs):
        print(f"epoch {epoch} val_loss: {1 / (epoch + 1):.4f}")


if __name__ == "__main__":
    fire.Fire(train)
