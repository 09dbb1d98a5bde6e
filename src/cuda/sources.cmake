# Of the library for devices: what the host runs, the kernels with their launchers, and what calls CUDA's runtime.
set(strew_cuda_sources call.cc checked_indices.cc choose.cc layout.cc prepare.cc stages.cc ticket.cc workspace.cc)
set(strew_cuda_kernels check_indices.cc combine.cc fold.cc move.cc runs.cc)
set(strew_cuda_streams nvidia/queue.cc nvidia/receipt.cc)
