"""Shared helpers of the Python package's tests."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WARPWAIT = pathlib.Path(os.environ.get("WARPWAIT", ROOT / "build/warpwait")).resolve()
PACKAGE = ROOT / "bindings/python"
os.environ.setdefault("WARPWAIT_LIBRARY", str(WARPWAIT.parent / "libwarpwait.so.0"))
sys.path.insert(0, str(PACKAGE))

TRIPLE = "kernel void triple(global float *x, float factor) { x[get_global_id(0)] *= factor; }"
# A ring of buffers whose depth is a macro.
RING = """
kernel void ring(global const uint *in, global uint *out, uint tiles, local uint *room) {
  uint i = get_local_id(0), sum = 0;
  event_t done[DEPTH];
  for (uint t = 0; t < DEPTH; t++)
    done[t] = async_work_group_copy(room + t * 64, in + t * 64, 64, 0);
  for (uint t = 0; t < tiles; t++) {
    wait_group_events(1, &done[t % DEPTH]);
    sum += room[t % DEPTH * 64 + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t + DEPTH < tiles)
      done[t % DEPTH] = async_work_group_copy(room + t % DEPTH * 64, in + (t + DEPTH) * 64, 64, 0);
  }
  out[i] = sum;
}
"""
DEADLOCK = """kernel void stuck(global int *x) {
  if (get_local_id(0) < 32)
    barrier(CLK_LOCAL_MEM_FENCE);
  x[get_global_id(0)] = 1;
}
"""
# Work-items read what others have written with no barrier between, which a run does not detect.
UNSAFE = """kernel void unsafe(global int *x) {
  local int room[64];
  uint i = get_local_id(0);
  room[i] = i;
  x[i] = room[63 - i];
}
"""
# The kernel does not wait for the copy.
HAZARD = """kernel void hasty(global int *x, local int *room) {
  async_work_group_copy(room, x, 64, 0);
}
"""


def command(*words, **more):
    """Runs `warpwait` with these words and returns its output."""
    return subprocess.run([WARPWAIT, *words], capture_output=True, text=True, cwd=ROOT, check=True, **more).stdout


def printed(*words):
    """The same, whatever its exit status."""
    return subprocess.run([WARPWAIT, *words], capture_output=True, text=True, cwd=ROOT, check=False).stdout


def script(text, *, check=True, **more):
    """Runs a separate Python program and returns the ended process."""
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=check,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE)}, **more)
