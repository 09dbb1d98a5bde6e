// The loops anyone would write for the gathers: one thread, every index checked; 0 where one is outside.
#include "plain.h"

using namespace strew::bench;

extern "C" {

/// out[o, i, :] = data[o, indices[i], :], rows of `row` bytes.
int plain_gather(const char* data, char* out, const void* indices, int index_width, std::int64_t outer,
                 std::int64_t extent, std::int64_t count, std::int64_t row) {
  return by_index(indices, index_width, [&](const auto* index) {
    return by_row(row, [&](auto copy) {
      for (std::int64_t o = 0; o < outer; ++o, data += extent * row) {
        for (std::int64_t i = 0; i < count; ++i, out += row) {
          const std::int64_t at = normal(index[i], extent);
          if (at < 0) return false;
          copy(out, data + at * row, static_cast<std::size_t>(row));
        }
      }
      return true;
    });
  });
}

/// out[o, i, j] = data[o, indices[o, i, j], j], elements of `width` bytes.
int plain_gather_elements(const char* data, char* out, const void* indices, int index_width, std::int64_t outer,
                          std::int64_t extent, std::int64_t count, std::int64_t inner, std::int64_t width) {
  return by_index(indices, index_width, [&](const auto* index) {
    return by_row(width, [&](auto copy) {
      for (std::int64_t o = 0; o < outer; ++o, data += extent * inner * width) {
        for (std::int64_t i = 0; i < count; ++i) {
          for (std::int64_t j = 0; j < inner; ++j, out += width) {
            const std::int64_t at = normal(*index++, extent);
            if (at < 0) return false;
            copy(out, data + (at * inner + j) * width, static_cast<std::size_t>(width));
          }
        }
      }
      return true;
    });
  });
}

/// out[b, i, :] = data[b, tuple(indices[b, i]), :]; `dims` are the extents of the `parts` of a tuple.
int plain_gather_nd(const char* data, char* out, const void* indices, int index_width, std::int64_t batch,
                    std::int64_t count, std::int64_t parts, const std::int64_t* dims, std::int64_t row) {
  std::int64_t entry = row;
  for (std::int64_t p = 0; p < parts; ++p) entry *= dims[p];
  return by_index(indices, index_width, [&](const auto* index) {
    return by_row(row, [&](auto copy) {
      for (std::int64_t b = 0; b < batch; ++b, data += entry) {
        for (std::int64_t i = 0; i < count; ++i, out += row) {
          std::int64_t place = 0;
          for (std::int64_t p = 0; p < parts; ++p) {
            const std::int64_t at = normal(*index++, dims[p]);
            if (at < 0) return false;
            place = place * dims[p] + at;
          }
          copy(out, data + place * row, static_cast<std::size_t>(row));
        }
      }
      return true;
    });
  });
}
}
