"""The engines that bench/compare*.py measure, as child processes that answer one line of JSON per command (see bench/child.py)."""
import json
import os
import subprocess

from record import ROOT

COMMANDS = {
    "ours": [ROOT / "build/release/bin/compare_probe"],
    "peer": [ROOT / "build/venv-peer/bin/python", ROOT / "bench/peer_child.py"],
    "pyhf": [ROOT / "build/venv-pyhf/bin/python", ROOT / "bench/pyhf_child.py", "numpy"],
    "pyhf-minuit": [ROOT / "build/venv-pyhf/bin/python", ROOT / "bench/pyhf_child.py", "numpy", "minuit"],
    "pyhf-jax": [ROOT / "build/venv-pyhf/bin/python", ROOT / "bench/pyhf_child.py", "jax"],
}
LABELS = {"ours": "ours", "peer": "NextStat 0.10.1", "pyhf": "pyhf 0.7.6", "pyhf-minuit": "pyhf 0.7.6 with Minuit",
          "pyhf-jax": "pyhf 0.7.6 with JAX"}
ONE_THREAD = {"RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NPROC": "1",
              "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false", "JAX_PLATFORMS": "cpu"}


class Engine:
    """A running engine. `with Engine("ours") as engine: engine.ask("load thu.json")`"""

    def __init__(self, name, threads=1):
        self.name = name
        environment = {**os.environ, **ONE_THREAD, "RAYON_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
        self.peak_bytes = None  # peak resident memory, known once it has stopped
        self.process = subprocess.Popen(
            COMMANDS[name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def ask(self, command):
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise SystemExit(f"bench: {LABELS[self.name]} stopped at '{command}'")
        return json.loads(answer)

    def stop(self):
        if self.process.returncode is not None:
            return
        self.process.stdin.close()
        _, status, usage = os.wait4(self.process.pid, 0)
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.process.stdout.close()
        self.peak_bytes = 1024 * usage.ru_maxrss

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
