// y = a x + y on any OpenCL device. Nothing in this program is specific to Warpwait.
#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>
#include <cstdio>
#include <vector>

static const char source[] = "kernel void saxpy(float a, global const float *x, global float *y) {\n"
                             "  size_t i = get_global_id(0);\n"
                             "  y[i] = a * x[i] + y[i];\n"
                             "}\n";

int main() {
  const int count = 1 << 16;
  const float a = 2;
  std::vector<float> x(count), y(count, 1);
  for (int i = 0; i < count; i++)
    x[i] = static_cast<float>(i);
  const cl::Device device = cl::Device::getDefault();
  const cl::Context context(device);
  cl::CommandQueue queue(context, device, cl::QueueProperties::Profiling);
  const cl::Program program(context, source, true);
  cl::KernelFunctor<float, cl::Buffer, cl::Buffer> saxpy(program, "saxpy");
  cl::Buffer x_on_device(context, x.begin(), x.end(), true), y_on_device(context, y.begin(), y.end(), false);
  const cl::Event event =
      saxpy(cl::EnqueueArgs(queue, cl::NDRange(count), cl::NDRange(256)), a, x_on_device, y_on_device);
  cl::copy(queue, y_on_device, y.begin(), y.end());
  for (int i = 0; i < count; i++)
    if (y[i] != a * x[i] + 1)
      return std::printf("y[%d] is %g\n", i, y[i]), 1;
  const cl_ulong ns =
      event.getProfilingInfo<CL_PROFILING_COMMAND_END>() - event.getProfilingInfo<CL_PROFILING_COMMAND_START>();
  std::printf("%s: %d elements in %.3f us\n", device.getInfo<CL_DEVICE_NAME>().c_str(), count,
              static_cast<double>(ns) / 1000);
}
