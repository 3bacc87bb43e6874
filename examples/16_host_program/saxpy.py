#!/usr/bin/env python3
"""y = a x + y on any OpenCL device. Nothing in this program is specific to Warpwait."""
import numpy
import pyopencl as cl

SOURCE = """
kernel void saxpy(float a, global const float *x, global float *y) {
  size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
"""
COUNT = 1 << 16

context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
program = cl.Program(context, SOURCE).build()
x = numpy.arange(COUNT, dtype=numpy.float32)
y = numpy.ones(COUNT, dtype=numpy.float32)
flags = cl.mem_flags
x_on_device = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=x)
y_on_device = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=y)
event = program.saxpy(queue, (COUNT,), (256,), numpy.float32(2), x_on_device, y_on_device)
result = numpy.empty_like(y)
cl.enqueue_copy(queue, result, y_on_device)
assert (result == 2 * x + 1).all()
print(f"{context.devices[0].name}: {COUNT} elements in {(event.profile.end - event.profile.start) / 1000:.3f} us")
