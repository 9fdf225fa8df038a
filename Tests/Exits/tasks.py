"""What jobs/USING.md says to schedulers, held to their own schema and code."""
import os, re, subprocess, sys, tempfile

page = open("jobs/USING.md").read()


def block(kind):
    return re.search(rf"^```{kind}\n(.*?)^```", page, re.M | re.S).group(1)


with tempfile.TemporaryDirectory() as folder:
    manifest = f"{folder}/job.yaml"
    open(manifest, "w").write(block("kubernetes"))
    tool = os.path.join(os.path.dirname(sys.executable), "kubernetes-validate")
    subprocess.run([tool, "-k", "1.34", "--strict", manifest], check=True)

    os.environ |= {"AIRFLOW_HOME": folder, "PATH": f"{folder}:{os.environ['PATH']}", "AIRFLOW__LOGGING__LOGGING_LEVEL": "ERROR"}
    from airflow.exceptions import AirflowException, AirflowSkipException

    found = {}
    exec(block("airflow"), found)
    endings = {}
    for code in (0, 75, 1, 69):
        with open(f"{folder}/trawl", "w") as program:
            program.write(f'#!/bin/sh\n[ "$TRAWL_DATA $*" = "/srv/trawl run github --set user=octocat" ] || exit 9\nexit {code}\n')
        os.chmod(f"{folder}/trawl", 0o755)
        try:
            found["github"].execute({})
            endings[code] = "done"
        except AirflowSkipException:
            endings[code] = "skipped"
        except AirflowException as error:
            assert f"code {code}" in str(error), error
            endings[code] = "failed"
    assert endings == {0: "done", 75: "skipped", 1: "failed", 69: "failed"}, endings
print("tasks: the CronJob is one of Kubernetes 1.34; Airflow ends with 0 done, 75 skipped, 1 and 69 failed")
