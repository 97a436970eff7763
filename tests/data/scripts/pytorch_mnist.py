import argparse

from skeleton import got

parser = argparse.ArgumentParser(description="MNIST")
parser.add_argument('--batch-size', type=int, default=64, metavar='N')
parser.add_argument('--test-batch-size', type=int, default=1000, metavar='N')
parser.add_argument('--epochs', type=int, default=14, metavar='N')
parser.add_argument('--lr', type=float, default=1.0, metavar='LR')
parser.add_argument('--gamma', type=float, default=0.7, metavar='M')
parser.add_argument('--no-accel', action='store_true', help='disables accelerator')
parser.add_argument('--dry-run', action='store_true')
parser.add_argument('--seed', type=int, default=1, metavar='S')
parser.add_argument('--log-interval', type=int, default=10, metavar='N')
parser.add_argument('--save-model', action='store_true')
args = parser.parse_args()
got(vars(args))
for epoch in range(1, args.epochs + 1):
    print(f"Train Epoch: {epoch} [done]")
    print(f"Test set: Average loss: {1 / epoch + args.lr / 100:.4f}, accuracy: {epoch}/100")
