"""Durable steps of one workflow under DBOS: `durable_dbos.py DATABASE COUNT` prints the seconds that the workflow took."""
import random
import sys
import time

from dbos import DBOS

DBOS(config={"name": "steps", "system_database_url": sys.argv[1], "run_admin_server": False, "log_level": "WARNING"})


@DBOS.step()
def draw():
    return random.random()


@DBOS.workflow()
def steps(count):
    return sum(draw() < 0.5 for _ in range(count))


DBOS.launch()
steps(10)
start = time.perf_counter()
steps(int(sys.argv[2]))
print(time.perf_counter() - start)
DBOS.destroy()
