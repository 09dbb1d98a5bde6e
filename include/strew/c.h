/* Strew for C99 and for all languages that call C: operators and graphs over the caller's memory.
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
 * Every function that can fail returns a code, and tells the reason through its last argument, which may be NULL.
 * An error must be freed. On an error outputs are as they were, and nothing is made. No exception leaves, and no
 * argument ends the process; an address must be valid, or NULL.
 *
 * Structs begin with their size, which the macros STREW_VIEW, STREW_INT and the like set: later versions add
 * members at their ends. What is left out is 0 and stands for the default. A struct that a function writes needs
 * its size before the call too (STREW_VIEW(NULL, 0, 0, NULL)): no byte behind that is written. Several
 * threads may call at once, and use one plan, one `strew_edges` and one `strew_threads` at once.
 *
 * Strings (type 8) have no form in C: calls with them are refused.
 */
#ifndef STREW_C_H
#define STREW_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef STREW_EXPORTS /* while a shared library of Strew is compiled */
#define STREW_C_API __attribute__((visibility("default")))
#else
#define STREW_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Why a call was refused. */
enum strew_code {
  STREW_OK = 0,
  STREW_INVALID_ARGUMENT = 1,   /* a shape, rank, attribute, name or overlap; a struct without its size */
  STREW_INVALID_TYPE = 2,       /* an element type or index type */
  STREW_INDEX_OUT_OF_RANGE = 3, /* a value in indices */
  STREW_INVALID_MODEL = 4,
  STREW_UNSUPPORTED = 5, /* legal, but outside what this library does */
  STREW_IO = 6,
  STREW_OUT_OF_MEMORY = 7,
  STREW_DEVICE = 8
};

/* Element types, numbered as in ONNX's TensorProto.DataType. Types of 2 and 4 bits are packed, the first element
 * in the low bits, and dense. */
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

/* What kind of value an error refuses. */
enum strew_value_kind { STREW_NO_VALUE = 0, STREW_SIGNED = 1, STREW_UNSIGNED = 2, STREW_WORD_VALUE = 3 };

/* A refusal. Texts are never NULL; they are "" where there is nothing to say. */
struct strew_error {
  size_t size;  /* of this struct in the library that made it */
  int32_t code; /* enum strew_code */
  int32_t axis; /* the axis of `operand`, or of data, that it is about; -1 where it is about none */
  const char*
      message;      /* all of it, with the operator: "gather: indices[1] = 9 is outside [-4, 3] for axis 0 ..." */
  const char* text; /* the message without what stands in `where` and `op` */
  const char* op;   /* the operator or function: "scatter_nd" */
  const char* operand;     /* its argument: "updates", "axis" */
  const char* where;       /* the file, model or node in which it was found */
  const int64_t* position; /* where a bad index value stands, a coordinate for each axis of the index operand */
  int32_t position_rank;   /* how many; -1 where there is no position */
  int32_t value_kind;      /* enum strew_value_kind: which of the next three is the refused value */
  int64_t signed_value;
  uint64_t unsigned_value;
  const char* word_value; /* "" for the other kinds */
};
typedef struct strew_error strew_error;

/* A tensor in the caller's memory, of any alignment. Element [i, j, ...] lies i * strides[0] + j * strides[1] +
 * ... elements behind `data`; strides may be 0 or negative. Inputs are only read. */
struct strew_view {
  size_t size; /* sizeof(strew_view) */
  void* data;
  int32_t dtype;          /* enum strew_dtype */
  int32_t rank;           /* 0 to 64 */
  const int64_t* shape;   /* [rank]; may be NULL for rank 0 */
  const int64_t* strides; /* [rank], in elements; NULL: row-major without gaps */
};
typedef struct strew_view strew_view;

/* An attribute of an operator, by the name that ONNX or `strew ops` gives it: `axis`, `batch_dims` and
 * `include_self` are numbers, `reduction`, `mode`, `out_of_bounds`, `negative_indices` and `acc_dtype` words,
 * `alpha` and `fill_value` elements: views of rank 0. If neither `word` nor `element` is given, it is a number;
 * only one of the three may be other than 0 and NULL. */
struct strew_attribute {
  size_t size; /* sizeof(strew_attribute), the same for all of an array */
  const char* name;
  int64_t number;
  const char* word;
  const strew_view* element;
};
typedef struct strew_attribute strew_attribute;

/* Who runs the tasks of a call. */
typedef struct strew_threads strew_threads;

/* How a call is run. Results never depend on it. NULL stands for the defaults. */
struct strew_options {
  size_t size;               /* sizeof(strew_options) */
  strew_threads* threads;    /* NULL: a pool over all processors, or as many threads as STREW_NUM_THREADS says */
  int64_t scratch_bytes;     /* what a call may take beside its output; 0: 1 GiB */
  int32_t reject_duplicates; /* 1: two plain assignments to one place are an error; else the last one wins */
  int32_t output_is_new;     /* 1: nobody needs the output where the call fails; indices may then be read once */
};
typedef struct strew_options strew_options;

/* A checked call of an operator for operands of one type and shape, to be run many times. */
typedef struct strew_plan strew_plan;

/* Edges of a graph, checked and sorted. */
typedef struct strew_edges strew_edges;

/* The parts of a fused gather-scatter. To the row of each edge: times weight, plus addend, relu, reduction. */
struct strew_gather_scatter_params {
  size_t size;              /* sizeof(strew_gather_scatter_params) */
  const char* reduction;    /* "add", "mean", "max", "min", "mul"; NULL: "add" */
  const char* acc_dtype;    /* "data", "float32"; NULL: "data" */
  const strew_view* weight; /* [edges], [edges, heads] or [edges, columns], or NULL */
  const strew_view* addend; /* likewise */
  const strew_view* base;   /* [targets, columns] that the reduction starts from, or NULL; may be the output */
  int32_t relu;             /* 1: negative values become 0 */
  int32_t reserved;         /* must be 0 */
};
typedef struct strew_gather_scatter_params strew_gather_scatter_params;

#ifdef __cplusplus
#define STREW_VIEW(data, dtype, rank, shape) (strew_view{sizeof(strew_view), data, dtype, rank, shape, nullptr})
#define STREW_INT(name, number) (strew_attribute{sizeof(strew_attribute), name, number, nullptr, nullptr})
#define STREW_WORD(name, word) (strew_attribute{sizeof(strew_attribute), name, 0, word, nullptr})
#define STREW_ELEMENT(name, view) (strew_attribute{sizeof(strew_attribute), name, 0, nullptr, view})
#else
/* A dense view, and attributes, with their sizes. */
#define STREW_VIEW(data, dtype, rank, shape) \
  { sizeof(strew_view), data, dtype, rank, shape, NULL }
#define STREW_INT(name, number) \
  { sizeof(strew_attribute), name, number, NULL, NULL }
#define STREW_WORD(name, word) \
  { sizeof(strew_attribute), name, 0, word, NULL }
#define STREW_ELEMENT(name, view) \
  { sizeof(strew_attribute), name, 0, NULL, view }
#endif

/* "0.1.0": of the library that runs, not of this header. */
STREW_C_API const char* strew_version(void);

/* NULL is allowed. */
STREW_C_API void strew_error_free(strew_error* error);

/* Reads a DLTensor of DLPack (also the first member of a DLManagedTensor) as a view, which points into it: both
 * the tensor and its shape must outlive the view. STREW_INVALID_TYPE for types that ONNX does not have,
 * STREW_UNSUPPORTED for memory that is not the host's. */
STREW_C_API int strew_view_from_dlpack(const void* tensor, strew_view* view, strew_error** error);

/* Runs an operator, "gather", "gather_elements", "gather_nd", "scatter_elements", "scatter_nd" or
 * "tensor_scatter", once. Inputs are in ONNX's order, and NULL where an optional one is left out. `output` has the
 * type and shape of the result; for a scatter it may be the first input itself (in place). */
STREW_C_API int strew_run(const char* op, const strew_attribute* attributes, size_t attribute_count,
                          const strew_view* const* inputs, size_t input_count, const strew_view* output,
                          const strew_options* options, strew_error** error);

/* The same in two steps. Of inputs only types and shapes are read; elements of attributes are copied. */
STREW_C_API int strew_plan_new(const char* op, const strew_attribute* attributes, size_t attribute_count,
                               const strew_view* const* inputs, size_t input_count, strew_plan** plan,
                               strew_error** error);
/* The type and shape of the result, without data; its shape belongs to the plan. */
STREW_C_API int strew_plan_output(const strew_plan* plan, strew_view* output, strew_error** error);
/* Types and shapes must be those of the plan. */
STREW_C_API int strew_plan_run(const strew_plan* plan, const strew_view* const* inputs, size_t input_count,
                               const strew_view* output, const strew_options* options, strew_error** error);
/* NULL is allowed. */
STREW_C_API void strew_plan_free(strew_plan* plan);

/* Edge e goes from row gather_index[e] of a tensor with `source_size` rows to row scatter_index[e] of a result
 * with `target_size` rows. Attributes: the words `out_of_bounds` ("error", "clip", "wrap", "drop") and
 * `negative_indices`. The index tensors may be changed later. */
STREW_C_API int strew_edges_new(const strew_view* gather_index, const strew_view* scatter_index,
                                int64_t source_size, int64_t target_size, const strew_attribute* attributes,
                                size_t attribute_count, const strew_options* options, strew_edges** edges,
                                strew_error** error);
/* NULL is allowed. */
STREW_C_API void strew_edges_free(strew_edges* edges);

/* Gathers rows of `data` along edges, changes them, and reduces them into the rows of `output`, of the type of
 * data and shape [target_size, columns...]: the bits of a gather, a product, a sum and a scatter one after the
 * other. `winners`, int64 of the shape of the output, is for "max" and "min": the first edge that gave each
 * element, or the number of edges where none did. `params`, `winners` and `options` may be NULL. */
STREW_C_API int strew_gather_scatter(const strew_view* data, const strew_edges* edges,
                                     const strew_gather_scatter_params* params, const strew_view* output,
                                     const strew_view* winners, const strew_options* options, strew_error** error);

/* A pool of `count` threads, the calling one included (1 to 1024); 1 is the calling thread alone. */
STREW_C_API int strew_threads_new(int32_t count, strew_threads** threads, strew_error** error);
/* The caller's own threads: `run` calls task(context, i) once for every i in [0, task_count), in any order and on
 * any of `count` threads, and returns when all calls have. */
STREW_C_API int strew_threads_from(int32_t count,
                                   void (*run)(void* user, void (*task)(void* context, int64_t i), void* context,
                                               int64_t task_count),
                                   void* user, strew_threads** threads, strew_error** error);
/* No call may be using it. NULL is allowed. */
STREW_C_API void strew_threads_free(strew_threads* threads);

#ifdef __cplusplus
}
#endif

#endif
