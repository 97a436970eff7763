"""A Ray cluster of two nodes on this machine, each with one CPU. Commands on standard input: kill
ends the second node with all its processes, as a power cut does; add starts another one. Each
answers with a line."""
import contextlib
import sys

from ray.cluster_utils import Cluster
import psutil  # comes with Ray

# The port of an agent is a free one, as nodes share the address.
NODE = {"num_cpus": 1, "object_store_memory": 80 << 20, "dashboard_agent_listen_port": 0}


def cut_power(cluster, node):
    raylet = node.all_processes["raylet"][0].process.pid
    jobs = psutil.Process(raylet).children(recursive=True)
    cluster.remove_node(node, allow_graceful=False)
    for job in jobs:
        with contextlib.suppress(psutil.NoSuchProcess):
            job.kill()


def main():
    cluster = Cluster(initialize_head=True, head_node_args={
        **NODE, "include_dashboard": True, "dashboard_host": "127.0.0.1", "dashboard_port": 0})
    node = cluster.add_node(**NODE)
    print(f"http://{cluster.head_node.webui_url}", flush=True)
    for line in sys.stdin:
        if line == "kill\n":
            cut_power(cluster, node)
        elif line == "add\n":
            node = cluster.add_node(**NODE)
        print(line, end="", flush=True)
    cluster.shutdown()


main()
