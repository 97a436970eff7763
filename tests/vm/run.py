#!/usr/bin/env python3
"""Runs a command in a virtual machine with Debian's kernel: its control groups are of version 2.

Usage: tests/vm/run.py [--kernel DEB] [--memory MIB] [--seconds N] COMMAND...

The file systems of this machine are the virtual machine's, read-only; /tmp, /run and /var/tmp are
new and empty there. The command runs as root in the current folder, in a control group without
others, and its status becomes this program's. The kernel is Debian's linux-image-amd64, which
apt-get downloads. The processor is emulated, which is slow. Needs qemu-system-x86_64,
busybox-static, cpio and root, which alone may read every file.
"""
import argparse
import glob
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

PACKAGE = "linux-image-amd64"
MODULES = ("virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci",
           "netfs", "fscache", "9pnet", "9pnet_virtio", "9p")
ENDED = "the command ended with status "
INIT = """#!/bin/sh
mount -t devtmpfs dev /dev
exec >/dev/ttyS0 2>&1
for module in {modules}; do insmod /modules/$module.ko || exit; done
mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144,cache=loose machine /new || exit
mount -t proc proc /new/proc
mount -t sysfs sys /new/sys
mount -t devtmpfs dev /new/dev
for folder in tmp run var/tmp; do mount -t tmpfs new /new/$folder; done
mkdir -p /new/dev/shm /new/dev/pts
mount -t tmpfs new /new/dev/shm
mount -t devpts pts /new/dev/pts
mount -t cgroup2 groups /new/sys/fs/cgroup
echo +memory +pids > /new/sys/fs/cgroup/cgroup.subtree_control
mkdir /new/sys/fs/cgroup/command
echo $$ > /new/sys/fs/cgroup/command/cgroup.procs
ip link set lo up
chroot /new /usr/bin/env -i -C {folder} HOME=/tmp PATH={path} {command}
echo "{ended}$?"
poweroff -f
"""


def run(*words, **more):
    subprocess.run([str(word) for word in words], check=True, **more)


def kernel_package(folder):
    """Downloads the kernel. Returns the path of its package."""
    listed = subprocess.run(["apt-cache", "depends", PACKAGE], capture_output=True, text=True)
    name = re.search(r"Depends: (linux-image-\S+)", listed.stdout)
    if name is None:
        sys.exit(f"tests/vm: apt-cache does not know {PACKAGE} (apt-get update)")
    run("apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", name[1], cwd=folder,
        stdout=subprocess.DEVNULL)
    return glob.glob(f"{folder}/linux-image-*.deb")[0]


def first_files(folder, package, command):
    """Unpacks the kernel and writes the first files that it sees. Returns the paths of both."""
    run("dpkg-deb", "-x", package, folder / "package")
    first = folder / "first"
    for name in ("bin", "dev", "modules", "new"):
        (first / name).mkdir(parents=True)
    for name in MODULES:
        found, = (folder / "package").rglob(f"{name}.ko")
        found.rename(first / "modules" / found.name)
    run("cp", "/bin/busybox", first / "bin")
    run("chroot", first, "/bin/busybox", "--install", "-s", "/bin")
    (first / "init").write_text(INIT.format(
        modules=" ".join(MODULES), folder=shlex.quote(os.getcwd()), ended=ENDED,
        path=shlex.quote(os.environ["PATH"]), command=shlex.join(command)))
    (first / "init").chmod(0o755)
    with open(folder / "first.cpio", "wb") as archive:
        run("sh", "-c", "find . | cpio --quiet -o -H newc", cwd=first, stdout=archive)
    kernel, = (folder / "package" / "boot").glob("vmlinuz-*")
    return kernel, folder / "first.cpio"


def boot(kernel, first, options):
    """Shows what the machine prints. Returns the status of the command."""
    words = ["qemu-system-x86_64", "-nodefaults", "-no-reboot", "-display", "none",
             "-serial", "stdio", "-cpu", "max", "-m", str(options.memory), "-kernel", kernel, "-initrd", first,
             "-append", "console=ttyS0 quiet panic=-1 cgroup_no_v1=all",
             "-virtfs", "local,path=/,mount_tag=machine,security_model=none,readonly=on,"
             "multidevs=remap"]
    status = None
    with subprocess.Popen(["timeout", str(options.seconds), *words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, text=True, errors="replace") as machine:
        for line in machine.stdout:
            if ENDED in line:
                status = int(line.rsplit(" ", 1)[1])
            else:
                print(line, end="", flush=True)
    if status is None:
        sys.exit("tests/vm: the virtual machine ended before the command did")
    return status


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernel", help="the package of a kernel, downloaded before")
    parser.add_argument("--memory", type=int, default=1536)
    parser.add_argument("--seconds", type=int, default=1800, help="the machine ends after it")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not options.command:
        parser.error("COMMAND is missing")
    with tempfile.TemporaryDirectory(prefix="hone-vm-") as folder:
        folder = pathlib.Path(folder)
        package = options.kernel or kernel_package(folder)
        return boot(*first_files(folder, package, options.command), options)


if __name__ == "__main__":
    sys.exit(main())
