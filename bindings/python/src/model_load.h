// Loading models from what Python has: paths, bytes, protos.
#pragma once

#include "numpy_api.h"
#include "strew/model.h"

namespace strew::python {

/// `strew.load_model`. Raises TypeError unless `source` is a path, an object with a buffer or a proto.
Model load(nb::handle source, bool allow_deprecated, nb::handle external_data_dir, nb::handle links_within);

}  // namespace strew::python
