// Gathers rows, copies data, finds the last update of each destination, and writes these updates.
#include "cuda/kernels.h"

namespace strew::cuda {
namespace {

// Each group of lanes moves kAhead rows at once.
template <class Unit, bool kScatters>
struct MoveRows {
  static constexpr int kAhead = 4;
  Move move;
  Lanes lanes;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    if (has_failed(move.state)) return;
    const Positions& at = move.at;
    const auto* const from = static_cast<const Unit*>(move.from);
    auto* const to = static_cast<Unit*>(move.to);
    const std::int64_t groups = t.step() >> lanes.bits;
    for (std::int64_t first = t.index() >> lanes.bits; first < at.count; first += groups * kAhead) {
      std::int64_t read[kAhead];
      std::int64_t write[kAhead];
      STREW_UNROLL
      for (int j = 0; j < kAhead; ++j) find(first + j * groups, read[j], write[j]);
      for (std::int64_t c = t.index() & (lanes.count() - 1); c < at.row; c += lanes.count()) {
        Unit some[kAhead] = {};
        STREW_UNROLL
        for (int j = 0; j < kAhead; ++j) {
          if (read[j] != kNot) some[j] = read[j] == kFill ? filled<Unit>(move, c) : from[read[j] + c];
        }
        STREW_UNROLL
        for (int j = 0; j < kAhead; ++j) {
          if (read[j] != kNot) to[write[j] + c] = some[j];
        }
      }
    }
  }

 private:
  static constexpr std::int64_t kNot = INT64_MIN;       // no move
  static constexpr std::int64_t kFill = INT64_MIN + 1;  // the fill value

  STREW_DEVICE void find(std::int64_t i, std::int64_t& read, std::int64_t& write) const {
    read = kNot;
    if (i >= move.at.count) return;
    const Positions::Location location = move.at[i];
    if constexpr (kScatters) {
      if (!location.somewhere || move.winner[location.number] != static_cast<std::uint64_t>(i) + 1) return;
      read = location.position;
      write = move.at.offset(location.number);
    } else {
      read = location.somewhere ? move.at.offset(location.number) : kFill;
      write = location.position;
    }
  }
};

template <class Unit>
void launch_move(Queue& queue, const Move& move) {
  const Lanes lanes(move.at.row);
  const std::int64_t items = move.at.count << lanes.bits;
  if (move.scatters) return launch(queue, items, MoveRows<Unit, true>{move, lanes});
  launch(queue, items, MoveRows<Unit, false>{move, lanes});
}

STREW_DEVICE unsigned element_of(const std::uint8_t* from, std::int64_t element, int bits) {
  const std::int64_t per_byte = 8 / bits;
  return static_cast<unsigned>(from[element / per_byte]) >> (element % per_byte * bits) & ((1u << bits) - 1u);
}

// Each thread writes one byte of the output; unused bits of the last byte keep their values. `Elements` is a
// function object that returns an element of the output.
template <class Elements>
struct MakeBytes {
  PackedMove move;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    if (has_failed(move.state)) return;
    const std::int64_t per_byte = 8 / move.bits;
    for (std::int64_t b = t.index(); b * per_byte < move.count; b += t.step()) {
      unsigned byte = move.to[b];
      for (std::int64_t e = b * per_byte; e < move.count && e < (b + 1) * per_byte; ++e) {
        const auto shift = static_cast<unsigned>(e % per_byte * move.bits);
        byte = (byte & ~(((1u << move.bits) - 1u) << shift)) | Elements()(move, e) << shift;
      }
      move.to[b] = static_cast<std::uint8_t>(byte);
    }
  }
};

struct GatheredElements {
  STREW_DEVICE unsigned operator()(const PackedMove& move, std::int64_t e) const {
    const std::int64_t i = e / move.at.row;
    const Positions::Location location = move.at[i];
    if (!location.somewhere) return move.fill;
    return element_of(move.data, move.at.offset(location.number) + e - i * move.at.row, move.bits);
  }
};

struct ScatteredElements {
  STREW_DEVICE unsigned operator()(const PackedMove& move, std::int64_t e) const {
    const Positions& at = move.at;
    if (move.winner.at != nullptr) {
      // Searches backwards for the row that contains `e`, since a row may span several location numbers. At most
      // one of these numbers has a winner.
      for (std::int64_t n = (e - at.lowest) / at.unit; n >= 0 && e - at.offset(n) < at.row; --n) {
        if (n >= at.location_count) continue;
        const std::uint64_t winner = move.winner[n];
        if (winner == 0) continue;
        const std::int64_t row = at.position_of(static_cast<std::int64_t>(winner) - 1);
        return element_of(move.updates, row + e - at.offset(n), move.bits);
      }
    }
    return element_of(move.data, move.single ? 0 : e, move.bits);
  }
};

// Clears only the winners of destinations that have positions.
template <class Word>
struct ForgetWinners {
  Positions at;
  Word* winner;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    for (std::int64_t i = t.index(); i < at.count; i += t.step()) {
      const Positions::Location location = at[i];
      if (location.somewhere) t.store(winner + location.number, Word{0});
    }
  }
};

template <class Word>
struct FindWinners {
  Positions at;
  Word* winner;

  template <class Thread>
  STREW_DEVICE void operator()(const Thread& t) const {
    for (std::int64_t i = t.index(); i < at.count; i += t.step()) {
      const Positions::Location location = at[i];
      if (location.somewhere) t.atomic_max(winner + location.number, static_cast<Word>(i) + 1);
    }
  }
};

template <class Word>
void launch_winners(Queue& queue, const Positions& at, void* winner) {
  launch(queue, at.count, ForgetWinners<Word>{at, static_cast<Word*>(winner)});
  launch(queue, at.count, FindWinners<Word>{at, static_cast<Word*>(winner)});
}

}  // namespace

void move_rows(Queue& queue, const Move& move, int unit_bytes) {
  with_unit(unit_bytes, [&](auto unit) { launch_move<decltype(unit)>(queue, move); });
}

void gather_packed(Queue& queue, const PackedMove& move) {
  launch(queue, move.count, MakeBytes<GatheredElements>{move});
}
void scatter_packed(Queue& queue, const PackedMove& move) {
  launch(queue, move.count, MakeBytes<ScatteredElements>{move});
}

void find_winners(Queue& queue, const Positions& at, const Numbers& winner) {
  if (winner.wide) return launch_winners<std::uint64_t>(queue, at, winner.at);
  launch_winners<std::uint32_t>(queue, at, winner.at);
}

}  // namespace strew::cuda
