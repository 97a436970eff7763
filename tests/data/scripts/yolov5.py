import argparse

from skeleton import got

parser = argparse.ArgumentParser()
parser.add_argument("--weights", type=str, default="yolov5s.pt", help="initial weights path")
parser.add_argument("--cfg", type=str, default="", help="model.yaml path")
parser.add_argument("--data", type=str, default="data/coco128.yaml")
parser.add_argument("--epochs", type=int, default=100, help="total training epochs")
parser.add_argument("--batch-size", type=int, default=16,
                    help="total batch size, -1 for autobatch")
parser.add_argument("--imgsz", "--img", "--img-size", type=int, default=640)
parser.add_argument("--rect", action="store_true", help="rectangular training")
parser.add_argument("--resume", nargs="?", const=True, default=False,
                    help="resume most recent training")
parser.add_argument("--nosave", action="store_true", help="only save final checkpoint")
parser.add_argument("--noval", action="store_true", help="only validate final epoch")
parser.add_argument("--cache", type=str, nargs="?", const="ram", help="image --cache ram/disk")
parser.add_argument("--image-weights", action="store_true")
parser.add_argument("--device", default="", help="cuda device, i.e. 0 or 0,1,2,3 or cpu")
parser.add_argument("--multi-scale", action="store_true", help="vary img-size +/- 50%%")
parser.add_argument("--single-cls", action="store_true")
parser.add_argument("--optimizer", type=str, choices=["SGD", "Adam", "AdamW"], default="SGD")
parser.add_argument("--sync-bn", action="store_true")
parser.add_argument("--workers", type=int, default=8)
parser.add_argument("--exist-ok", action="store_true")
parser.add_argument("--quad", action="store_true", help="quad dataloader")
parser.add_argument("--cos-lr", action="store_true", help="cosine LR scheduler")
parser.add_argument("--label-smoothing", type=float, default=0.0, help="Label smoothing epsilon")
parser.add_argument("--patience", type=int, default=100)
parser.add_argument("--freeze", nargs="+", type=int, default=[0])
parser.add_argument("--save-period", type=int, default=-1)
parser.add_argument("--seed", type=int, default=0, help="Global training seed")
args = parser.parse_args()
got(vars(args))
for epoch in range(args.epochs):
    print(f"epoch {epoch} box_loss: 0.1 val_loss: {1 / (epoch + 1):.4f}")
