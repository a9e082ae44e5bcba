"""JupyterHub for a class on one machine: a server for every learner, and the course by nbgitpuller.

    jupyterhub -f teaching/jupyterhub/jupyterhub_config.py

README.md beside this file says what to change first, and how much memory a class needs.
"""

from pathlib import Path

c = get_config()  # noqa: F821 (JupyterHub defines it)

# Behind a web server that speaks HTTPS. To try it on the machine itself, this is all that is needed.
c.JupyterHub.bind_url = "http://127.0.0.1:8000"

# Who may come in: by default (PAM) everybody with an account on this machine who is named here.
c.Authenticator.allowed_users = set()
c.Authenticator.admin_users = set()

# One thread each. Learners' arrays are small: more threads make them no faster, and slow down everybody else.
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
c.Spawner.environment = dict.fromkeys(THREADS, "1")


def pulled_course(spawner):
    """The learner's own copy comes first on the path: its package and its notebooks are of one version."""
    return str(Path(getattr(spawner, "home_dir", "") or f"/home/{spawner.user.name}") / "pe_lessons")


c.Spawner.environment["PYTHONPATH"] = pulled_course

c.Spawner.default_url = "/lab"
# When a whole class starts at once, a server may need more than the usual 30 seconds before it answers.
c.Spawner.start_timeout = c.Spawner.http_timeout = 120
# So many bytes tell the learner's JupyterLab what is left (measured: README.md). To have them enforced, use a
# spawner that can: SystemdSpawner on one machine, DockerSpawner, or KubeSpawner.
c.Spawner.mem_limit = "1500M"
c.Spawner.env_keep = ["PATH", "LANG", "LC_ALL", "SSL_CERT_FILE"]

# A kernel left alone for an hour gives its memory back; the notebook stays as it was saved.
c.Spawner.args = ["--MappingKernelManager.cull_idle_timeout=3600", "--MappingKernelManager.cull_interval=300"]
