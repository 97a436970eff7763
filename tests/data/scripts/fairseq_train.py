import argparse
import ast

from skeleton import got


def eval_str_list(x, type=float):
    x = ast.literal_eval(x) if isinstance(x, str) else x
    return list(map(type, x)) if isinstance(x, (list, tuple)) else [type(x)]


def eval_bool(x, default=False):
    return bool(ast.literal_eval(x)) if x is not None else default


parser = argparse.ArgumentParser()
parser.add_argument('--no-progress-bar', action='store_true', help='disable progress bar')
parser.add_argument('--seed', default=1, type=int, metavar='N')
parser.add_argument('--fp16', action='store_true')
parser.add_argument('--max-tokens', type=int, metavar='N')
parser.add_argument('--arch', '-a', default='transformer', metavar='ARCH')
parser.add_argument('--max-epoch', '--me', default=20, type=int, metavar='N')
parser.add_argument('--clip-norm', default=0.0, type=float, metavar='NORM')
parser.add_argument('--update-freq', default='1', metavar='N1,N2',
                    type=lambda uf: eval_str_list(uf, type=int))
parser.add_argument('--lr', '--learning-rate', default='0.25', type=eval_str_list,
                    metavar='LR_1,LR_2')
parser.add_argument('--min-lr', default=-1, type=float, metavar='LR')
parser.add_argument('--optimizer', default='nag', choices=['adam', 'nag', 'sgd'])
parser.add_argument('--adam-betas', default='(0.9, 0.999)', metavar='B')
parser.add_argument('--adam-eps', type=float, default=1e-8, metavar='D')
parser.add_argument('--weight-decay', '--wd', default=0.0, type=float, metavar='WD')
parser.add_argument('--dropout', type=float, default=0.1, metavar='D')
parser.add_argument('--share-all-embeddings', action='store_true')
parser.add_argument('--encoder-normalize-before', action='store_true')
parser.add_argument('--decoder-layers', type=int, default=6, metavar='N')
parser.add_argument('--label-smoothing', default=0., type=float, metavar='D')
parser.add_argument('--sentence-avg', default=True, type=eval_bool)
parser.add_argument('--save-dir', metavar='DIR', default='checkpoints')
args = parser.parse_args()
got(vars(args))
for epoch in range(1, args.max_epoch + 1):
    print(f"| epoch {epoch:03d} | valid on 'valid' subset | loss {8 / epoch:.3f}")
