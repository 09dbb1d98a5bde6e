// Everything a user of the library may include.
#pragma once

#include "strew/checked_indices.h"
#include "strew/dtype.h"
#include "strew/error.h"
#include "strew/executor.h"
#include "strew/explain.h"
#include "strew/export.h"
#include "strew/half.h"
#include "strew/memory.h"
#include "strew/model.h"
#include "strew/operators.h"
#include "strew/ops.h"
#include "strew/plan.h"
#include "strew/shape.h"
#include "strew/tensor.h"
#include "strew/tensor_file.h"
#include "strew/view.h"
