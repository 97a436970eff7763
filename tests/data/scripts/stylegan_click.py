import click

from skeleton import got


def parse_list(text):
    return [int(one) for one in str(text).split(",")]


@click.command()
@click.option('--cfg', help='Base configuration', type=click.Choice(['stylegan3-t',
    'stylegan3-r', 'stylegan2']), default='stylegan2')
@click.option('--gpus', help='Number of GPUs to use', metavar='INT', type=click.IntRange(min=1),
              default=1)
@click.option('--batch', help='Total batch size', metavar='INT', type=click.IntRange(min=1),
              default=32)
@click.option('--gamma', help='R1 regularization weight', metavar='FLOAT',
              type=click.FloatRange(min=0), default=8.2)
@click.option('--cond', help='Train conditional model', metavar='BOOL', type=bool, default=False,
              show_default=True)
@click.option('--mirror', help='Enable dataset x-flips', metavar='BOOL', type=bool,
              default=False, show_default=True)
@click.option('--aug', help='Augmentation mode', type=click.Choice(['noaug', 'ada', 'fixed']),
              default='ada', show_default=True)
@click.option('--p', help='Probability for --aug=fixed', metavar='FLOAT',
              type=click.FloatRange(min=0, max=1), default=0.2, show_default=True)
@click.option('--target', help='Target value for --aug=ada', metavar='FLOAT',
              type=click.FloatRange(min=0, max=1), default=0.6, show_default=True)
@click.option('--freezed', help='Freeze first layers of D', metavar='INT',
              type=click.IntRange(min=0), default=0, show_default=True)
@click.option('--cbase', help='Capacity multiplier', metavar='INT', type=click.IntRange(min=1),
              default=32768, show_default=True)
@click.option('--glr', help='G learning rate', metavar='FLOAT', type=click.FloatRange(min=0),
              default=0.0025)
@click.option('--dlr', help='D learning rate', metavar='FLOAT', type=click.FloatRange(min=0),
              default=0.002, show_default=True)
@click.option('--kimg', help='Total training duration', metavar='KIMG',
              type=click.IntRange(min=1), default=25000, show_default=True)
@click.option('--seed', help='Random seed', metavar='INT', type=click.IntRange(min=0), default=0,
              show_default=True)
@click.option('--fp32', help='Disable mixed-precision', metavar='BOOL', type=bool, default=False,
              show_default=True)
@click.option('--nobench', help='Disable cuDNN benchmarking', metavar='BOOL', type=bool,
              default=False)
@click.option('--workers', help='DataLoader worker processes', metavar='INT',
              type=click.IntRange(min=1), default=3)
@click.option('-n', '--dry-run', help='Print training options and exit', is_flag=True)
@click.option('--ema/--no-ema', default=True)
def main(**kwargs):
    got(kwargs)
    for tick in range(1, 6):
        print(f"tick {tick} score: {tick * 2.0}")


main()
