// Measures the CPU load of other programs, times calls, and fits the machine numbers so that the library's
// estimates approximate the times. The method is nonnegative least squares by coordinate descent.
#include "measure_machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

#include "session.h"

namespace strew::app {
namespace {

// Returns the processors that the calling thread may run on. If the machine has too many for a cpu_set_t, all bits
// are set.
cpu_set_t usable_set() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return set;
  std::memset(&set, 0xFF, sizeof set);
  return set;
}

// A quantity to fit. A machine number is the sum of the quantities whose `names` include it, so that a more
// distant cache line never costs less than a nearer one.
struct Amount {
  std::array<std::string_view, 3> names;
  bool is_of(std::string_view name) const { return !name.empty() && std::ranges::count(names, name) > 0; }
};
constexpr std::array kAmounts = {Amount{{"step"}},
                                 Amount{{"row"}},
                                 Amount{{"run"}},
                                 Amount{{"l2_line", "l3_line", "memory_line"}},
                                 Amount{{"l3_line", "memory_line"}},
                                 Amount{{"memory_line"}},
                                 Amount{{"near_line", "far_line"}},
                                 Amount{{"far_line"}},
                                 Amount{{"sort"}},
                                 Amount{{"shared_line"}},
                                 Amount{{"wake"}}};
constexpr double kProbe = 1e9;  // picoseconds; value of an amount while its coefficient in a cost is computed

bool is_fitted(std::string_view name) {
  return std::ranges::any_of(kAmounts, [&](const Amount& amount) { return amount.is_of(name); });
}

// Returns the amounts for the default machine numbers, each at least 1.
std::vector<double> usual_amounts(const std::vector<MachineNumber>& numbers) {
  std::vector<double> amounts;
  for (const Amount& amount : kAmounts) {
    double rest =
        static_cast<double>(std::ranges::find(numbers, amount.names.front(), &MachineNumber::name)->usual);
    for (std::size_t i = 0; i < amounts.size(); ++i) {
      if (kAmounts[i].is_of(amount.names.front())) rest -= amounts[i];
    }
    amounts.push_back(std::max(rest, 1.0));
  }
  return amounts;
}

// Returns the coefficient of each amount in the cost of a call.
Result<std::vector<double>> compute_amounts(const MachineCall& call, const std::vector<MachineNumber>& numbers) {
  std::vector<double> amounts;
  for (const Amount& amount : kAmounts) {
    std::vector<std::int64_t> values;
    for (const MachineNumber& number : numbers) {
      const bool probed = amount.is_of(number.name);
      values.push_back(probed ? static_cast<std::int64_t>(kProbe) : is_fitted(number.name) ? 0 : number.value);
    }
    const ScopedMachineNumbers scope(values);
    STREW_ASSIGN(const auto& cost, call.cost());
    // Tasks that run one after another start no threads and share no cache lines.
    const bool nobody = (amount.is_of("wake") || amount.is_of("shared_line")) && call.tasks() != Tasks::kAtOnce;
    amounts.push_back(nobody ? 0 : cost / kProbe);
  }
  return amounts;
}

// Returns the median if threads wait for each other, else the minimum, since load can only lengthen a time.
double typical(std::vector<double> times, Tasks tasks) {
  return tasks == Tasks::kAtOnce ? median(std::move(times)) : *std::ranges::min_element(times);
}

// Returns the number of threads that saturate memory. If every thread adds speed, returns at least the default.
std::int64_t memory_tasks(double by_one, double by_all, int threads, std::int64_t usual) {
  const double times_as_fast = std::clamp(by_one / by_all, 1.0, static_cast<double>(threads));
  const auto whole = static_cast<std::int64_t>(std::lround(times_as_fast));
  return whole == threads ? std::max<std::int64_t>(whole, usual) : whole;
}

}  // namespace

int usable_processors() {
  const cpu_set_t set = usable_set();
  const int count = CPU_COUNT(&set);
  return std::max(count < CPU_SETSIZE ? count : static_cast<int>(std::thread::hardware_concurrency()), 1);
}

// Reads lines of /proc/stat: "cpu0 user nice system idle iowait irq softirq steal", in ticks. The first line,
// without a number, is the sum of all processors.
std::optional<OtherLoad::Seen> OtherLoad::look() {
  const cpu_set_t set = usable_set();
  const double a_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  double busy = 0;
  int counted = 0;
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    std::istringstream words(line.substr(3));
    unsigned processor = 0;
    std::array<double, 8> ticks{};
    if (line[3] == ' ' || !(words >> processor)) continue;
    for (double& count : ticks) words >> count;
    if (!words || processor >= CPU_SETSIZE || !CPU_ISSET(processor, &set)) continue;
    busy += ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7];
    ++counted;
  }
  if (counted == 0 || a_second <= 0) return std::nullopt;
  std::timespec own{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
  return Seen{std::chrono::steady_clock::now(), busy / a_second,
              static_cast<double>(own.tv_sec) + static_cast<double>(own.tv_nsec) * 1e-9};
}

OtherLoad::OtherLoad() : begin_(look()) {}

std::optional<double> OtherLoad::processors() const {
  const std::optional<Seen> now = look();
  if (!begin_ || !now) return std::nullopt;
  const double seconds = std::chrono::duration<double>(now->at - begin_->at).count();
  if (seconds <= 0) return std::nullopt;
  return std::max(0.0, (now->busy - begin_->busy - (now->own - begin_->own)) / seconds);
}

Result<MeasuredMachine> measure_machine(Executor& all, int rounds,
                                        const std::function<void(std::size_t steps)>& begin,
                                        const std::function<void()>& advance) {
  STREW_ASSIGN(const auto& machine_calls, MachineCalls::make(all));
  const std::vector<MachineCall>& calls = machine_calls.calls();
  begin(calls.size() * static_cast<std::size_t>(rounds));
  std::vector<std::vector<double>> times(calls.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      STREW_ASSIGN(const auto& time, calls[i].time());
      times[i].push_back(time);
      advance();
    }
  }

  const std::vector<MachineNumber> numbers = machine_numbers();
  std::vector<Observation> observations;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    STREW_ASSIGN(auto&& amounts, compute_amounts(calls[i], numbers));
    observations.push_back({std::move(amounts), std::max(typical(times[i], calls[i].tasks()), 1.0)});
  }
  const std::vector<double> fitted = fit(observations, usual_amounts(numbers));

  MeasuredMachine machine{{}, calls.size(), 0};
  std::vector<double> misfits;
  misfits.reserve(observations.size());
  for (const Observation& seen : observations)
    misfits.push_back(std::abs(predicted(seen, fitted) / seen.total - 1));
  machine.misfit = median(misfits);
  for (const MachineNumber& number : numbers) {
    double value = 0;
    for (std::size_t i = 0; i < kAmounts.size(); ++i) value += kAmounts[i].is_of(number.name) ? fitted[i] : 0;
    MeasuredNumber one{number, number.value, is_fitted(number.name)};
    if (one.measured) one.value = std::max<std::int64_t>(std::llround(value), 1);
    if (number.name == "memory_tasks" && all.thread_count() > 1) {
      const auto at = [&](Tasks tasks) {
        const auto i = static_cast<std::size_t>(&machine_calls.from_memory(tasks) - calls.data());
        return observations[i].total;
      };
      one.value = memory_tasks(at(Tasks::kOne), at(Tasks::kAtOnce), all.thread_count(), number.usual);
      one.measured = true;
    }
    if ((number.name == "wake" || number.name == "shared_line") && all.thread_count() == 1) one.measured = false;
    machine.numbers.push_back(one);
  }
  return machine;
}

double predicted(const Observation& observation, const std::vector<double>& numbers) {
  return std::inner_product(numbers.begin(), numbers.end(), observation.of_each.begin(), 0.0);
}

std::vector<double> fit(const std::vector<Observation>& observations, const std::vector<double>& usual) {
  constexpr double kWorthOfUsual = 0.01;
  constexpr int kMostRounds = 20'000;
  constexpr double kStill = 1e-9;
  const std::size_t count = usual.size();
  // Normal equations, with parameters in units of their usual values: squares * numbers = wanted.
  std::vector<std::vector<double>> squares(count, std::vector<double>(count));
  std::vector<double> wanted(count, kWorthOfUsual);
  for (std::size_t i = 0; i < count; ++i) squares[i][i] = kWorthOfUsual;
  for (const Observation& seen : observations) {
    const auto share = [&](std::size_t i) { return seen.of_each[i] * usual[i] / seen.total; };
    for (std::size_t i = 0; i < count; ++i) {
      wanted[i] += share(i);
      for (std::size_t j = 0; j < count; ++j) squares[i][j] += share(i) * share(j);
    }
  }
  std::vector<double> numbers(count, 1);
  double moved = 1;
  for (int round = 0; round < kMostRounds && moved > kStill; ++round) {
    moved = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double others =
          std::inner_product(numbers.begin(), numbers.end(), squares[i].begin(), 0.0) - squares[i][i] * numbers[i];
      const double best = std::max(0.0, (wanted[i] - others) / squares[i][i]);
      moved = std::max(moved, std::abs(best - numbers[i]));
      numbers[i] = best;
    }
  }
  for (std::size_t i = 0; i < count; ++i) numbers[i] *= usual[i];
  return numbers;
}

}  // namespace strew::app
