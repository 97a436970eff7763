#!/usr/bin/env python3
"""What PyTorch reaches with GA3C's published network on this GPU, and the limits of the GPU itself.

The network is that of hone (SAME padding, 256 hidden units, 6 actions), the loop what a plain
trainer in Python does: bytes of a batch to the GPU, the policy back; for a training step also the
loss, its gradients and RMSProp. One process, one stream, PyTorch's defaults. Prints JSON.
"""
import json
import time

import torch
from torch import nn

SCREEN = (84, 84, 4)
ACTIONS = 6


class Published(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolutions = nn.Sequential(
            nn.ZeroPad2d(2), nn.Conv2d(
                4, 16, 8, 4), nn.ReLU(), nn.ZeroPad2d(
                (1, 2, 1, 2)), nn.Conv2d(
                16, 32, 4, 2), nn.ReLU(), nn.Flatten(), nn.Linear(
                    11 * 11 * 32, 256), nn.ReLU())
        self.heads = nn.Linear(256, ACTIONS + 1)

    def forward(self, screens):
        return self.heads(self.convolutions(screens.permute(0, 3, 1, 2).float() / 255))


def rate(step, rows, seconds=1.0):
    """Rows a second, after a warm-up."""
    for _ in range(10):
        step()
    torch.cuda.synchronize()
    begin, count = time.perf_counter(), 0
    while time.perf_counter() - begin < seconds:
        step()
        count += 1
    torch.cuda.synchronize()
    return rows * count / (time.perf_counter() - begin)


def predict(net, screens):
    with torch.no_grad():
        return torch.softmax(net(screens.to("cuda", non_blocking=True))[:, :ACTIONS], 1).cpu()


def train(net, optimizer, screens, actions, targets):
    out = net(screens.to("cuda", non_blocking=True))
    log_p = torch.log_softmax(out[:, :ACTIONS], 1)
    values = out[:, ACTIONS]
    returns = targets.to("cuda", non_blocking=True)
    chosen = log_p.gather(1, actions.to("cuda", non_blocking=True)[:, None])[:, 0]
    entropy = -(log_p.exp() * log_p).sum(1)
    loss = (-chosen * (returns - values.detach()) - 0.01 *
            entropy + 0.5 * (returns - values) ** 2).mean()
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()


def limits():
    """The device: products of float32 matrices, and copies from pinned memory."""
    a = torch.randn(8192, 8192, device="cuda")
    flop = 2 * 8192 ** 3
    torch.backends.cuda.matmul.allow_tf32 = False
    plain = rate(lambda: a @ a, flop)
    torch.backends.cuda.matmul.allow_tf32 = True
    tf32 = rate(lambda: a @ a, flop)
    torch.backends.cuda.matmul.allow_tf32 = False
    host = torch.empty(256 << 20, dtype=torch.uint8).pin_memory()
    target = torch.empty_like(host, device="cuda")
    copy = rate(lambda: target.copy_(host, non_blocking=True), host.numel(), 0.5)
    return {
        "float32_tflops": plain / 1e12,
        "tf32_tflops": tf32 / 1e12,
        "host_to_device_gb_s": copy / 1e9}


def main():
    net = Published().cuda()
    optimizer = torch.optim.RMSprop(net.parameters(), lr=3e-4, alpha=0.99, eps=0.1)
    row = {"torch": torch.__version__, "gpu": torch.cuda.get_device_name(), **limits()}
    for rows in (16, 128, 512):
        screens = torch.randint(0, 256, (rows, *SCREEN), dtype=torch.uint8).pin_memory()
        actions = torch.randint(0, ACTIONS, (rows,)).pin_memory()
        targets = torch.randn(rows).pin_memory()
        row[f"predictions_per_s_{rows}"] = rate(lambda: predict(net, screens), rows)
        row[f"trained_per_s_{rows}"] = rate(lambda: train(
            net, optimizer, screens, actions, targets), rows)

        def both():
            predict(net, screens)
            train(net, optimizer, screens, actions, targets)
        row[f"played_and_trained_per_s_{rows}"] = rate(both, rows)
    print(json.dumps({key: round(value, 1) if isinstance(value, float)
          else value for key, value in row.items()}, indent=1))


if __name__ == "__main__":
    main()
