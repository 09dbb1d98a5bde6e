/* Calls Strew from C: a gather, a plan, a rejected call, and a graph. Prints the same lines as examples/c/calls.py. */
#include <stdio.h>
#include <strew/c.h>

static int failed(strew_error* error) {
  fprintf(stderr, "%s\n", error->message);
  strew_error_free(error);
  return 1;
}

static void print(const char* name, const float* values, int count) {
  int i;
  printf("%s", name);
  for (i = 0; i < count; ++i) printf(" %g", values[i]);
  printf("\n");
}

int main(void) {
  float rows[4][2] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
  float updates[3] = {10, 20, 30}, picked[2][2], sums[4] = {0, 0, 0, 0}, messages[2][2];
  int64_t ids[2] = {3, -1}, tuples[3][1] = {{1}, {1}, {3}}, from[3] = {0, 1, 3}, to[3] = {0, 0, 1};
  const int64_t rows_shape[2] = {4, 2}, two[1] = {2}, four[1] = {4}, three[1] = {3}, three_one[2] = {3, 1};
  const int64_t two_two[2] = {2, 2};
  strew_error* error = NULL;

  /* A single gather. */
  const strew_view table = STREW_VIEW(rows, STREW_FLOAT32, 2, rows_shape);
  const strew_view index = STREW_VIEW(ids, STREW_INT64, 1, two);
  const strew_view result = STREW_VIEW(picked, STREW_FLOAT32, 2, two_two);
  const strew_view* const gathered[2] = {&table, &index};
  if (strew_run("gather", NULL, 0, gathered, 2, &result, NULL, &error) != STREW_OK) return failed(error);
  print("gather", &picked[0][0], 4);

  /* A plan of an in-place scatter, which runs twice. */
  {
    const strew_view total = STREW_VIEW(sums, STREW_FLOAT32, 1, four);
    const strew_view where = STREW_VIEW(tuples, STREW_INT64, 2, three_one);
    const strew_view added = STREW_VIEW(updates, STREW_FLOAT32, 1, three);
    const strew_view* const scattered[3] = {&total, &where, &added};
    const strew_attribute attributes[1] = {STREW_WORD("reduction", "add")};
    strew_plan* plan = NULL;
    int again, code = strew_plan_new("scatter_nd", attributes, 1, scattered, 3, &plan, &error);
    for (again = 0; again < 2 && code == STREW_OK; ++again) {
      code = strew_plan_run(plan, scattered, 3, &total, NULL, &error);
    }
    strew_plan_free(plan);
    if (code != STREW_OK) return failed(error);
    print("scatter_nd", sums, 4);
  }

  /* A bad index value, and the fields of its error. */
  ids[1] = 9;
  if (strew_run("gather", NULL, 0, gathered, 2, &result, NULL, &error) != STREW_INDEX_OUT_OF_RANGE) return 1;
  printf("%s\n%s[%d] = %d\n", error->message, error->operand, (int)error->position[0], (int)error->signed_value);
  strew_error_free(error);

  /* For each target, the maximum of the rows of its sources, on two threads. */
  {
    const strew_view sources = STREW_VIEW(from, STREW_INT64, 1, three);
    const strew_view targets = STREW_VIEW(to, STREW_INT64, 1, three);
    const strew_view maxima = STREW_VIEW(messages, STREW_FLOAT32, 2, two_two);
    strew_gather_scatter_params params = {sizeof params, "max", NULL, NULL, NULL, NULL, 0, 0};
    strew_options options = {sizeof options, NULL, 0, 0, 0};
    strew_edges* edges = NULL;
    int code = strew_threads_new(2, &options.threads, &error);
    if (code == STREW_OK) code = strew_edges_new(&sources, &targets, 4, 2, NULL, 0, &options, &edges, &error);
    if (code == STREW_OK) code = strew_gather_scatter(&table, edges, &params, &maxima, NULL, &options, &error);
    strew_edges_free(edges);
    strew_threads_free(options.threads);
    if (code != STREW_OK) return failed(error);
    print("gather_scatter", &messages[0][0], 4);
  }
  return 0;
}
