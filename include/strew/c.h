/* Strew for C99 and for languages that call C: operators and graphs over the caller's memory.
 *
 *   float data[4] = {1, 2, 3, 4}, out[2];
 *   const int64_t ids[2] = {3, -1}, four = 4, two = 2;
 *   const strew_view table = STREW_VIEW(data, STREW_FLOAT32, 1, &four);
 *   const strew_view index = STREW_VIEW((void*)ids, STREW_INT64, 1, &two);
 *   const strew_view result = STREW_VIEW(out, STREW_FLOAT32, 1, &two);
 *   const strew_view* inputs[] = {&table, &index};
 *   strew_error* error = NULL;
 *   if (strew_run("gather", NULL, 0, inputs, 2, &result, NULL, &error) != STREW_OK) {
 *     fprintf(stderr, "%s\n", error->message);
 *     strew_error_free(error);
 *   }
 *
 * Every function that can fail returns a code of enum strew_code. Its last argument may be NULL; otherwise it
 * receives the error, which the caller must free. On an error, outputs are unchanged and no object is created.
 * Functions do not throw, and no argument aborts the process. An address must be valid or NULL.
 *
 * Structs begin with their size, because later versions append members; the macros STREW_VIEW, STREW_INT and the
 * like set it. A member that is 0 stands for its default. Set the size of an output struct before the call as
 * well (STREW_VIEW(NULL, 0, 0, NULL)): the call writes no byte beyond that size. Functions are thread-safe, and
 * several threads may use the same plan, `strew_edges` or `strew_threads`. Strings (ONNX's type 8) have no
 * C representation: calls with them are rejected.
 */
#ifndef STREW_C_H
#define STREW_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef STREW_EXPORTS /* set while Strew is compiled as a shared library */
#define STREW_C_API __attribute__((visibility("default")))
#else
#define STREW_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Why a call failed. */
enum strew_code {
  STREW_OK = 0,
  STREW_INVALID_ARGUMENT = 1,   /* a shape, rank, attribute, name, overlap or struct size */
  STREW_INVALID_TYPE = 2,       /* an element type or index type */
  STREW_INDEX_OUT_OF_RANGE = 3, /* a value in indices */
  STREW_INVALID_MODEL = 4,
  STREW_UNSUPPORTED = 5, /* legal, but not implemented */
  STREW_IO = 6,
  STREW_OUT_OF_MEMORY = 7,
  STREW_DEVICE = 8
};

/* Element types, numbered as in ONNX. Types of 2 and 4 bits are packed, with the first element in the low bits. */
enum strew_dtype {
  STREW_FLOAT32 = 1,
  STREW_UINT8 = 2,
  STREW_INT8 = 3,
  STREW_UINT16 = 4,
  STREW_INT16 = 5,
  STREW_INT32 = 6,
  STREW_INT64 = 7,
  STREW_BOOL = 9,
  STREW_FLOAT16 = 10,
  STREW_FLOAT64 = 11,
  STREW_UINT32 = 12,
  STREW_UINT64 = 13,
  STREW_COMPLEX64 = 14,
  STREW_COMPLEX128 = 15,
  STREW_BFLOAT16 = 16,
  STREW_FLOAT8_E4M3FN = 17,
  STREW_FLOAT8_E4M3FNUZ = 18,
  STREW_FLOAT8_E5M2 = 19,
  STREW_FLOAT8_E5M2FNUZ = 20,
  STREW_UINT4 = 21,
  STREW_INT4 = 22,
  STREW_FLOAT4_E2M1FN = 23,
  STREW_FLOAT8_E8M0FNU = 24,
  STREW_UINT2 = 25,
  STREW_INT2 = 26
};

/* The type of the rejected value in an error. */
enum strew_value_kind { STREW_NO_VALUE = 0, STREW_SIGNED = 1, STREW_UNSIGNED = 2, STREW_WORD_VALUE = 3 };

/* An error. Texts that do not apply are "", never NULL. */
struct strew_error {
  size_t size;             /* size of this struct in the library that returned it */
  int32_t code;            /* enum strew_code */
  int32_t axis;            /* the axis of `operand`; for a bad index value, the axis of data; -1: no axis */
  const char* message;     /* the whole message: "gather: indices[1] = 9 is outside [-4, 3] for axis 0 ..." */
  const char* text;        /* the message without `where` and `op` */
  const char* op;          /* the operator or function: "scatter_nd" */
  const char* operand;     /* the argument of `op`: "updates", "axis" */
  const char* where;       /* the file, model or node with the error */
  const int64_t* position; /* position of a bad index value: a coordinate for each axis of the index operand */
  int32_t position_rank;   /* number of coordinates; -1: no position */
  int32_t value_kind;      /* enum strew_value_kind: which of the next three members holds the rejected value */
  int64_t signed_value;
  uint64_t unsigned_value;
  const char* word_value; /* "" unless value_kind is STREW_WORD_VALUE */
};
typedef struct strew_error strew_error;

/* A tensor in the caller's memory, of any alignment. The address of element [i, j, ...] is `data` plus
 * i * strides[0] + j * strides[1] + ... elements; strides may be 0 or negative. Inputs are only read. */
struct strew_view {
  size_t size; /* sizeof(strew_view) */
  void* data;
  int32_t dtype;          /* enum strew_dtype */
  int32_t rank;           /* 0 to 64 */
  const int64_t* shape;   /* [rank]; may be NULL for rank 0 */
  const int64_t* strides; /* [rank], in elements; NULL: dense, row-major */
};
typedef struct strew_view strew_view;

/* An attribute of an operator. The command `strew ops OPERATOR` lists the names. `axis`, `batch_dims` and
 * `include_self` are numbers; `reduction`, `mode`, `out_of_bounds`, `negative_indices` and `acc_dtype` are words;
 * `alpha` and `fill_value` are elements, given as views of rank 0. Set only one of `number`, `word` and `element`:
 * an attribute whose `word` and `element` are NULL is a number. */
struct strew_attribute {
  size_t size; /* sizeof(strew_attribute), equal for all elements of an array */
  const char* name;
  int64_t number;
  const char* word;
  const strew_view* element;
};
typedef struct strew_attribute strew_attribute;

/* Threads that run the tasks of calls. */
typedef struct strew_threads strew_threads;

/* Options of a call; results never depend on them. NULL: the defaults. */
struct strew_options {
  size_t size;               /* sizeof(strew_options) */
  strew_threads* threads;    /* NULL: a pool of STREW_NUM_THREADS threads, or of one thread per processor */
  int64_t scratch_bytes;     /* limit of scratch memory; 0: 1 GiB */
  int32_t reject_duplicates; /* 1: two assignments to one element are an error; 0: the last one wins */
  int32_t output_is_new;     /* 1: an error may leave the output unspecified; this can save a pass over indices */
};
typedef struct strew_options strew_options;

/* A checked call of an operator for given types and shapes of operands. It can run many times. */
typedef struct strew_plan strew_plan;

/* Edges of a graph, checked and sorted. */
typedef struct strew_edges strew_edges;

/* The steps of a fused gather-scatter: for each edge, row * weight + addend, then relu, then the reduction. */
struct strew_gather_scatter_params {
  size_t size;              /* sizeof(strew_gather_scatter_params) */
  const char* reduction;    /* "add", "mean", "max", "min", "mul"; NULL: "add" */
  const char* acc_dtype;    /* "data", "float32"; NULL: "data" */
  const strew_view* weight; /* [edges], [edges, heads] or [edges, columns], or NULL */
  const strew_view* addend; /* like weight */
  const strew_view* base;   /* [targets, columns], initial values of the reduction, or NULL; may be the output */
  int32_t relu;             /* 1: replaces negative values with 0 */
  int32_t reserved;         /* must be 0 */
};
typedef struct strew_gather_scatter_params strew_gather_scatter_params;

#ifdef __cplusplus
#define STREW_VIEW(data, dtype, rank, shape) (strew_view{sizeof(strew_view), data, dtype, rank, shape, nullptr})
#define STREW_INT(name, number) (strew_attribute{sizeof(strew_attribute), name, number, nullptr, nullptr})
#define STREW_WORD(name, word) (strew_attribute{sizeof(strew_attribute), name, 0, word, nullptr})
#define STREW_ELEMENT(name, view) (strew_attribute{sizeof(strew_attribute), name, 0, nullptr, view})
#else
/* Initialise a dense view or an attribute, including its size. */
#define STREW_VIEW(data, dtype, rank, shape) \
  { sizeof(strew_view), data, dtype, rank, shape, NULL }
#define STREW_INT(name, number) \
  { sizeof(strew_attribute), name, number, NULL, NULL }
#define STREW_WORD(name, word) \
  { sizeof(strew_attribute), name, 0, word, NULL }
#define STREW_ELEMENT(name, view) \
  { sizeof(strew_attribute), name, 0, NULL, view }
#endif

/* Returns the version of the running library, not of this header: "0.1.0". */
STREW_C_API const char* strew_version(void);

/* Frees an error; NULL is allowed. */
STREW_C_API void strew_error_free(strew_error* error);

/* Makes `view` a view of a DLPack DLTensor, or of a DLManagedTensor, which begins with a DLTensor. The
 * tensor and its shape must outlive the view. Fails with STREW_UNSUPPORTED for device memory, and with
 * STREW_INVALID_TYPE for types that ONNX does not have. */
STREW_C_API int strew_view_from_dlpack(const void* tensor, strew_view* view, strew_error** error);

/* Runs an operator once: "gather", "gather_elements", "gather_nd", "scatter_elements", "scatter_nd" or
 * "tensor_scatter". Inputs are in ONNX's order; an omitted optional input is NULL. `output` has the type and shape
 * of the result; for a scatter it may be the first input itself (in place). */
STREW_C_API int strew_run(const char* op, const strew_attribute* attributes, size_t attribute_count,
                          const strew_view* const* inputs, size_t input_count, const strew_view* output,
                          const strew_options* options, strew_error** error);

/* Creates a plan for strew_plan_run. Reads only the types and shapes of the inputs; copies attributes. */
STREW_C_API int strew_plan_new(const char* op, const strew_attribute* attributes, size_t attribute_count,
                               const strew_view* const* inputs, size_t input_count, strew_plan** plan,
                               strew_error** error);
/* Writes the type and shape of the result to `output`, and sets its `data` to NULL. The plan owns the shape. */
STREW_C_API int strew_plan_output(const strew_plan* plan, strew_view* output, strew_error** error);
/* Runs a plan on operands with the types and shapes of the plan. */
STREW_C_API int strew_plan_run(const strew_plan* plan, const strew_view* const* inputs, size_t input_count,
                               const strew_view* output, const strew_options* options, strew_error** error);
/* Frees a plan; NULL is allowed. */
STREW_C_API void strew_plan_free(strew_plan* plan);

/* Checks and sorts edges. Edge e goes from row gather_index[e] of a tensor with `source_size` rows to row
 * scatter_index[e] of a result with `target_size` rows. The possible attributes are `out_of_bounds` ("error",
 * "clip", "wrap", "drop") and `negative_indices`, as words. The index tensors may change after the call. */
STREW_C_API int strew_edges_new(const strew_view* gather_index, const strew_view* scatter_index,
                                int64_t source_size, int64_t target_size, const strew_attribute* attributes,
                                size_t attribute_count, const strew_options* options, strew_edges** edges,
                                strew_error** error);
/* Frees edges; NULL is allowed. */
STREW_C_API void strew_edges_free(strew_edges* edges);

/* Gathers a row of `data` for each edge, transforms it as `params` says, and reduces it into a row of `output`,
 * which has the type of data and shape [target_size, columns...]. The result has the same bits as a gather,
 * a product, a sum and a scatter run in sequence. For "max" and "min", `winners` (int64, in the shape of the
 * output) receives the index of the first edge that produced each element, or the number of edges if there is
 * none. `params`, `winners` and `options` may be NULL. */
STREW_C_API int strew_gather_scatter(const strew_view* data, const strew_edges* edges,
                                     const strew_gather_scatter_params* params, const strew_view* output,
                                     const strew_view* winners, const strew_options* options, strew_error** error);

/* Creates a pool of `count` threads (1 to 1024), including the calling thread. */
STREW_C_API int strew_threads_new(int32_t count, strew_threads** threads, strew_error** error);
/* Wraps `count` threads of the caller. `run` must call task(context, i) once for every i in [0, task_count), in
 * any order and on any of the threads, and return when all of these calls have returned. `task_count` may be much
 * larger than `count`. */
STREW_C_API int strew_threads_from(int32_t count,
                                   void (*run)(void* user, void (*task)(void* context, int64_t i), void* context,
                                               int64_t task_count),
                                   void* user, strew_threads** threads, strew_error** error);
/* Frees threads, which no running call may use; NULL is allowed. */
STREW_C_API void strew_threads_free(strew_threads* threads);

#ifdef __cplusplus
}
#endif

#endif
