// From which size on each road is taken. Sizes are in units of the caches, which core/machine.h asks the kernel
// for. Measured on 2 cores of an AMD EPYC (Zen 5, AVX-512, caches of 48 KiB, 1 MiB and 32 MiB) with
// bench/strew_bench, and on a Zen 3 with AVX2; ratios of alternating runs.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/machine.h"
#include "core/scratch.h"

namespace strew {

/// Below this much work (elements, counting 16 for the overhead of a position), one thread is faster than waking
/// another: with a warm pool two threads pay from about 3 microseconds (1024 rows of 64 bytes: 3.1 to 2.65).
inline constexpr std::int64_t kParallelFrom = 1 << 14;

/// The positions of a task are cut into so many pieces at most, of so many positions at least: a thread that slept
/// comes late (16 Mi elements from a table of 32 after a pause 7.5 to 4.7 ms on 2 threads).
inline constexpr std::int64_t kMostPieces = 8;
inline constexpr std::int64_t kPiecePositions = 1 << 14;

/// Tasks share out the parts of rows where there are fewer than so many rows for each, which they would own as a
/// whole otherwise, and where a part is so long: a processor asks for the lines behind a part by itself, and
/// follows no further than a page (CPU time of 2 tasks with 1 KiB of each row 3.2 times the serial strategy's,
/// with 2 KiB 2.6, with 4 KiB 1.2, on a Zen 4).
inline constexpr std::int64_t kRowPartBytes = 4096;
inline constexpr std::int64_t kRowsOfTask = 4;

/// Tasks that own parts of the output need this many bytes of it each: where they share lines, both threads are
/// slower than one (sums in 8 places 20.5 to 8.5 ms).
inline constexpr std::int64_t kOwnedBytesFrom = 1024;

/// Bytes from which a copy is shared between threads.
inline constexpr std::int64_t kParallelCopyFrom = 1 << 18;

/// Small calls on the direct road: offsets of that many rows are the scratch memory of a thread, those of a few
/// lie on the stack, and a second thread would not speed up so few bytes of output. Rows gathered from more memory
/// than is near want a look ahead earlier.
inline constexpr std::int64_t kSmallRows = kThreadScratch / 8;
inline constexpr std::int64_t kFewSmallRows = 512;
inline constexpr std::int64_t kSmallBytes = kParallelCopyFrom;
inline constexpr std::int64_t kSmallBytesFromAfar = 1 << 16;
/// Updates that are folded take longer than those that are moved.
inline constexpr std::int64_t kSmallFolds = kParallelFrom;
/// Rows of operands with strides of their own: offsets are made from others by divisions.
inline constexpr std::int64_t kSmallStridedRows = 256;

/// Looking ahead pays once the memory that index values reach is so large that the loads of a processor that runs
/// ahead by itself hide each other no more. Rows, which take some cache lines each, and elements that are folded,
/// whose loops are longer, from 6 second-level caches on (on a Zen 4 with 1 MiB rows of 256 bytes from 5 MiB 0.83
/// to 1.03 ms, sums of floats in 5 MiB 4.0 to 4.7), other elements from 12 on (4 Mi floats from 5 MiB 8.3 to 8.8,
/// 2 Mi written to 5 MiB 4.2 to 4.3, to 16 MiB 7.1 to 5.7).
inline std::int64_t look_ahead_rows_from_bytes() noexcept { return 6 * machine().level2; }
inline std::int64_t look_ahead_elements_from_bytes() noexcept { return 12 * machine().level2; }
/// Parts of data are asked for as a whole from here on; below, calls are small enough for the direct road.
inline std::int64_t prefetch_from_bytes() noexcept { return 4 * machine().level2; }
/// How far: 128 elements or rows of 64 bytes, 32 rows of 256, 4 of more than a kilobyte (2 Mi floats from 16 MiB
/// against 64 ahead 5.5 to 3.8 ms, from 256 MiB 17.5 to 15.3; rows of 256 bytes against 16 ahead 10.8 to 10.4, of
/// 1344 bytes against 16 lines of 8 rows 4.5 to 4.0).
inline constexpr std::int64_t kAheadBytes = 8192;
inline constexpr std::int64_t kNearest = 4;
inline constexpr std::int64_t kFarthest = 128;
/// Bytes asked for of one row; the rest of a longer row comes by the processor's own prefetching.
inline constexpr std::int64_t kMostAskedBytes = 64 * kLineBytes;

/// Index values of the next block are asked for as well where they do not fit the second level (2 Mi doubles from
/// 64 KiB 2.4 to 1.3 ms, 4 Mi floats from 1 MiB 5.1 to 3.4), but narrow ones not where the data are in the first
/// (a table of 32 floats, int32 6.6 to 6.9 ms; int64 14.0 to 8.0).
inline std::int64_t prefetch_indices_from_bytes() noexcept { return machine().level2; }
inline constexpr std::int64_t kWideIndexBytes = 8;

/// Elements along an axis of few coordinates are walked over so many columns at a time, so that what all rows of
/// positions choose from stays in the cache: where the tile fits a quarter of the second level and the matrix does
/// not fit the third (4 rows of 4 Mi floats from 8 rows: gather 37.0 to 24.3 ms, 2 threads 18.5 to 12.1; matrices
/// of 2 MiB 10.6 to 13.9, of 250 rows 10.6 to 10.1; scatters just above 8 MiB a fifth to a half slower).
inline constexpr std::int64_t kTileColumns = 512;
inline std::int64_t tile_from_bytes() noexcept { return machine().level3; }
inline std::int64_t largest_tile_bytes() noexcept { return machine().level2 / 4; }

/// Parts of data that are asked for as a whole while the one before is in use (elements along the last axis).
inline std::int64_t largest_swept_bytes() noexcept { return machine().level2 / 4; }

/// Writing past the caches pays for outputs from half the third-level cache on (rows of 4 KiB 6.0 to 4.5 ms),
/// once they and what is read for them take three quarters of it (16 MiB of rows of 4 KiB from a table of 4 MiB
/// 0.41 ms on 2 threads, in the cache 0.23; 24 MiB 0.62, in the cache 0.52 and on one thread 0.64 against 0.93),
/// but never for elements by themselves (a table of 32 floats 11.1 to 9.1 ms without).
inline std::int64_t stream_from_bytes() noexcept { return machine().level3 / 2; }
inline std::int64_t stream_all_from_bytes() noexcept { return machine().level3 / 4 * 3; }
inline constexpr std::int64_t kNarrowestStreamed = 8;

/// A copy of data that nothing reads soon is streamed once it is larger than the third-level cache.
inline std::int64_t stream_copy_from_bytes() noexcept { return machine().level3; }

/// Blocks of data are copied together with their updates where data are as large as the cache, a block is not,
/// and as many of them at once as leave room in the first level, with an element updated for every 64 copied
/// (updates along the last axis 34 to 26 ms; on a Zen 4 with 32 MiB of third level 16 MiB 2.3 to 2.7).
inline constexpr std::int64_t kCopiedForEachUpdate = 64;
inline std::int64_t copy_blocks_from_bytes() noexcept { return machine().level3; }
inline std::int64_t largest_block_bytes() noexcept { return machine().level2 / 2; }
inline std::int64_t usual_blocks_bytes() noexcept { return machine().level1 / 4 * 3; }

/// Rows of the output that a mean or a fold without data counts are few of all where there are so many for each
/// position: then memory for those that no update reaches costs nothing. An estimate.
inline constexpr std::int64_t kUnitsForEachPosition = 16;

/// Rows that do not lie together are copied first where an element is moved for every so many that are copied, or
/// more of them: one that moves by itself takes about so much longer. An estimate; 300,000 rows of 16
/// reversed bytes took 17.8 ms by themselves, and 0.83 with a copy of the 100,000 that there are.
inline constexpr std::int64_t kCopiedForEachMoved = 4;

/// From this many index values on they are read once where that is possible; fewer are found in the cache again.
inline std::int64_t read_once_from() noexcept { return machine().level2 / 32; }
/// Where index values rise, or fall, tasks take the positions between cuts (IndexFacts::cuts). These are looked
/// for between so many segments of so many values, at least.
inline constexpr std::int64_t kMostSegments = 256;
inline std::int64_t segment_from() noexcept { return std::max<std::int64_t>(machine().level2 / 512, 1); }

/// Elements that are gathered from a table in registers.
inline constexpr std::int64_t kLookedUpFrom = 64;

/// Many updates of data that fit the cache go into a private copy, so that indices are read once.
inline std::int64_t private_copy_from() noexcept { return machine().level2 / 4; }
inline constexpr std::int64_t kCopiedPerIndex = 4;  ///< bytes
inline std::int64_t private_copy_bytes() noexcept { return 8 * machine().level2; }

/// Updates are sorted by blocks of the output, in chunks that fit the cache. Those of up to 8 bytes go with their
/// offsets to blocks of a quarter of the second-level cache, where there is an update for every 16 elements.
inline constexpr std::int64_t kMostCarried = 8;  ///< bytes
inline constexpr std::int64_t kSpreadForEachUpdate = 16;
inline constexpr std::int64_t kPartitionBlocks = 4096;
inline constexpr std::int64_t kCopiedPerUpdate = 48;  ///< bytes, in the time of one update
inline std::int64_t partition_block_bytes() noexcept { return machine().level2 / 4; }
inline std::int64_t partition_chunk() noexcept { return machine().level2 / 16; }
inline constexpr std::int64_t kChunksOfTask = 2;
inline constexpr std::int64_t kListLength = 16;  ///< the mean one of an owner in a chunk
/// Rows of less than a line are reached so fast in the caches that sorting costs more than it saves (CPU time of 2
/// tasks for 2 Mi floats in 32 MiB, with caches of 2 MiB, 0.82 times the serial strategy's).
inline std::int64_t partition_from_bytes() noexcept { return 8 * machine().level2; }
/// Few updates of rows that lie near are written sooner by one thread than sorted by two, of less than
/// kRowPartBytes (2 tasks against one on a Zen 4 with 1 MiB of second level, rows of 64, 256, 1024 bytes: 4 MiB of
/// updates into 1 MiB 0.43, 0.57, 0.70 times as fast, added 1.06, 0.68, 1.26; 8 MiB 0.93, 1.47, 2.06, added 1.29,
/// 1.68, 1.49; 2 MiB into 4 MiB 1.25, 1.48, 1.71).
inline std::int64_t near_rows_bytes() noexcept { return 2 * machine().level2; }
inline std::int64_t few_updates_bytes() noexcept { return 8 * machine().level2; }
/// Up to so many tasks gain nothing where places repeat, or are near each other (2 against one on a Zen 4, sums of
/// 4 Mi floats in 32 MiB 16.7 to 12.5 ms, in 16 MiB 13.1 to 14.1, 8 Mi of a power law in 64 MiB 18.3 to 33), nor
/// where rows of less than half a line are only written (1 Mi of 16 bytes in 16 MiB 5.5 to 7.5, in 64 MiB 12.0 to
/// 14.5) or lie in the third level (sums of 2 Mi rows of 16 bytes in 1, 4, 16 and 30 MiB 4.7 to 4.8, 6.2 to 6.0,
/// 8.6 to 9.8, 9.9 to 10.2, of a power law in 16 and 30 MiB 7.6 to 9.7, 7.4 to 10.1; rows of 64 bytes neither gain
/// nor lose). The number of tasks is an estimate.
inline constexpr std::int64_t kFewSorters = 3;
inline std::int64_t few_sort_from_bytes() noexcept { return 24 * machine().level2; }
/// Elements whose index values jump over so much are sorted even by one thread, and where tasks could divide an
/// axis (on a Zen 4 sums of floats on one thread, 4 Mi in 32 MiB 16.7 to 22.7 ms, 8 Mi in 64 MiB 22.7 to 23.0,
/// with a copy of 256 MiB 61.5 to 58.1; along axis 0 of 80 columns, on two threads, 42 MiB 24.4 to 25.4, 178 MiB
/// 119 to 95; but where most are in one place 16 to 25 on one thread, 49 to 70 on two).
inline std::int64_t partition_jumps_from_bytes() noexcept { return 64 * machine().level2; }
/// Longer updates stay where they are. Owners of few large blocks read them nearly in order, which a processor's
/// own look ahead follows (rows of 64 bytes, CPU time of 2 tasks 1.30 times the serial strategy's, with blocks of
/// 256 KiB 1.6); so each task has a few, which balance by a sample of positions, and are so many that the data of
/// each are near (1.5 Mi rows of 64 bytes into 32 MiB, 2 tasks, caches of 2 MiB: with 4 owners 1.49, 8
/// owners 1.47, 16 owners 1.33, 32 owners 1.38; 64 tasks with 128 owners 1.69, with 256 1.68, with 512 1.73).
/// Blocks are what a sample can tell apart. There are so many owners at least that the data of each fit the second
/// level (Zen 4 with 1 MiB of it, rows 16 bytes behind a line, 2 tasks: 64 bytes into 32 MiB with 16 owners 2.0,
/// 32 owners 1.45; into 256 MiB with 16 owners 1.5, 128 or 256 owners 0.9; 256 bytes into 256 MiB 1.3 and 1.0).
inline constexpr std::int64_t kOwnersOfTask = 2;
inline constexpr std::int64_t kFewestOwners = 16;
inline constexpr std::int64_t kMostNearOwners = 256;
inline constexpr std::int64_t kOwnedBlocks = 1024;
inline constexpr std::int64_t kSampledOfOwner = 32;
inline constexpr std::int64_t kPositionsOfSampled = 64;
/// Where all but one of so many positions of a sample address one block, they are not sorted at all.
inline constexpr std::int64_t kHotOf = 16;

}  // namespace strew
