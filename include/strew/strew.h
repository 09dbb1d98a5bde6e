// Operators, views, plans, errors and graphs: all of libstrew except strew/shard.h and strew/c.h (C). Not
// included: strew/model.h and strew/tensor_file.h (libstrew_model), strew/picture.h (libstrew_picture) and
// strew/experimental/cuda.h (libstrew_cuda).
#pragma once

#include "strew/call.h"
#include "strew/checked_indices.h"
#include "strew/dtype.h"
#include "strew/edges.h"
#include "strew/element.h"
#include "strew/error.h"
#include "strew/executor.h"
#include "strew/explain.h"
#include "strew/export.h"
#include "strew/gather_scatter.h"
#include "strew/half.h"
#include "strew/inline_vector.h"
#include "strew/memory.h"
#include "strew/operators.h"
#include "strew/ops.h"
#include "strew/plan.h"
#include "strew/run.h"
#include "strew/shape.h"
#include "strew/tensor.h"
#include "strew/testing.h"
#include "strew/version.h"
#include "strew/view.h"
