"""The same work in BAML v1 by its Python bridge (PyPI `baml-bridge`). Prints seconds and seconds of processor time.

Usage: baml.py spawn COUNT | baml.py prompts COUNT URL
"""
import resource
import sys
import tempfile
import time

from baml_bridge import BamlRuntime, call_function_sync

SPAWN = """
function one(i: int) -> int { i }
function main(n: int) -> int {
  let tasks = [];
  for (let i = 0; i < n; i += 1) { tasks.push(spawn { one(i) }); }
  let done = 0;
  for (let task in tasks) { let _ = await task; done += 1; }
  done
}
"""
PROMPTS = """
client Local = openai.GenericClient.new(model = "gpt-5", base_url = "URL", api_key = "x");
function Say(n: int) -> string {
  client: Local
  prompt: `Say ${n}.`
}
function main(n: int) -> int {
  let tasks = [];
  for (let i = 0; i < n; i += 1) { tasks.push(spawn { Say(i) }); }
  let done = 0;
  for (let task in tasks) { let _ = await task; done += 1; }
  done
}
"""


def processor():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    what, count = sys.argv[1], int(sys.argv[2])
    source = SPAWN if what == "spawn" else PROMPTS.replace("URL", sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        runtime = BamlRuntime.initialize_runtime(root_path=folder, files={"main.baml": source})
        used, start = processor(), time.perf_counter()
        call_function_sync(runtime, "main", {"n": count})
        print(time.perf_counter() - start, processor() - used)


main()
