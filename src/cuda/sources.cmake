# Sources of the library for devices: host code, kernels with their launchers, and code that calls the CUDA runtime.
set(strew_cuda_sources call.cc checked_indices.cc choose.cc layout.cc prepare.cc stages.cc workspace.cc)
set(strew_cuda_kernels check_indices.cc columns.cc combine.cc exact_fold.cc fold.cc fused_gather.cc move.cc runs.cc)
set(strew_cuda_streams nvidia/queue.cc)
