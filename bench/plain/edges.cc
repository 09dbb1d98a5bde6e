// The loop anyone would write for a weighted sum or a maximum over edges that are sorted by target.
#include <algorithm>

#include "plain.h"

namespace {

enum Form : int { kSum, kWeighted, kMax };

template <Form kForm>
void targets(const float* data, const float* weight, const std::int32_t* start, const std::int32_t* source,
             std::int64_t begin, std::int64_t end, std::int64_t columns, float* out) {
  for (std::int64_t t = begin; t < end; ++t) {
    float* row = out + t * columns;
    std::fill_n(row, columns, 0.0F);
    for (std::int32_t e = start[t]; e < start[t + 1]; ++e) {
      const float* from = data + source[e] * columns;
      for (std::int64_t j = 0; j < columns; ++j) {
        if (kForm == kMax) row[j] = e == start[t] || row[j] < from[j] ? from[j] : row[j];
        if (kForm == kSum) row[j] += from[j];
        if (kForm == kWeighted) row[j] += weight[e] * from[j];
      }
    }
  }
}

}  // namespace

/// `form` is 0 for sums, 1 for weighted sums, 2 for maxima. Each thread takes targets with as many edges.
extern "C" void plain_edges(int form, const float* data, const float* weight, const std::int32_t* start,
                            const std::int32_t* source, std::int64_t count, std::int64_t columns, float* out,
                            int threads) {
  strew::bench::in_parts(threads, [=](int part) {
    const auto first = [=](int i) {
      return std::lower_bound(start, start + count, start[count] / threads * i) - start;
    };
    const std::int64_t begin = part == 0 ? 0 : first(part);
    const std::int64_t end = part + 1 == threads ? count : first(part + 1);
    const auto loop = form == kMax ? targets<kMax> : form == kSum ? targets<kSum> : targets<kWeighted>;
    loop(data, weight, start, source, begin, end, columns, out);
  });
}
