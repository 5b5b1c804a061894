"""A Slurm of one node in a folder of its own, without systemd: munged, slurmctld and slurmd in the foreground."""

import contextlib
import getpass
import os
import pathlib
import secrets
import shutil
import socket
import subprocess
import tempfile
import time

PROGRAMS = ["munged", "munge", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue"]
SETTINGS = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
MinJobAge=300
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


class NoSlurm(Exception):
    """Why there is none here."""


def find(program):
    found = shutil.which(program, path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    if found is None:
        raise NoSlurm(f"no {program} here; scripts/bootstrap --full installs slurm-wlm and munge")
    return found


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class SlurmNode:
    """with SlurmNode() as slurm: slurm.run_array(script, environment, cwd)"""

    def __enter__(self):
        self.programs = {name: find(name) for name in PROGRAMS}
        # Not below pytest's folder: munge wants every folder above its socket open to others.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="nextstat-slurm-"))
        self.daemons = []
        try:
            self.start()
        except Exception:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        for name in ("", "munge", "state", "spool"):
            (self.folder / name).mkdir(exist_ok=True)
            (self.folder / name).chmod(0o755)
        key = self.folder / "munge/key"
        key.touch(0o600)
        key.write_bytes(secrets.token_bytes(128))
        settings = SETTINGS.format(folder=self.folder, host=socket.gethostname().split(".")[0], ports=free_ports(2),
                                   user=getpass.getuser(), cpus=len(os.sched_getaffinity(0)))
        (self.folder / "slurm.conf").write_text(settings)
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}
        files = {name: self.folder / "munge" / name for name in ("socket", "pid", "log", "seed")}
        self.daemon("munged", "--foreground", f"--key-file={key}", *[f"--{name}{'' if name == 'socket' else '-file'}={path}"
                                                                     for name, path in files.items()])
        self.wait_for(lambda: files["socket"].exists(), "munged")
        self.daemon("slurmctld", "-D", "-f", self.folder / "slurm.conf")
        self.daemon("slurmd", "-D", "-f", self.folder / "slurm.conf")
        self.wait_for(lambda: "State=IDLE" in self.call("scontrol", "show", "node", check=False).stdout, "an idle node")

    def daemon(self, name, *arguments):
        log = (self.folder / f"{name}.out").open("w")
        self.daemons.append(subprocess.Popen([self.programs[name], *map(str, arguments)], env=self.environment,
                                             stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder))

    def wait_for(self, condition, what, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            dead = [daemon.args[0] for daemon in self.daemons if daemon.poll() is not None]
            if dead or time.monotonic() > end:
                logs = "\n".join(f"{p.name}: {p.read_text()[-1000:]}" for p in self.folder.glob("*.[ol][uo][tg]"))
                raise NoSlurm(f"no {what} here after {seconds} s (ended: {dead})\n{logs}")
            time.sleep(0.2)

    def call(self, program, *arguments, check=True, **options):
        done = subprocess.run([self.programs[program], *map(str, arguments)], env=options.pop("env", self.environment),
                              capture_output=True, text=True, **options)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def run_array(self, script, environment, cwd, seconds=600):
        """Submits the script and waits until none of its jobs is left. {state: jobs}"""
        done = self.call("sbatch", "--parsable", script, cwd=cwd, env={**self.environment, **environment})
        job = done.stdout.strip()
        self.wait_for(lambda: not self.call("squeue", "-h", "-j", job).stdout.strip(), f"end of job {job}", seconds)
        states = [word.removeprefix("JobState=") for word in self.call("scontrol", "show", "job", job).stdout.split()
                  if word.startswith("JobState=")]
        return {state: states.count(state) for state in states}
