#include "placement/bound.hpp"

#include <algorithm>
#include <numeric>

namespace hone::placement {
namespace {

struct Windows {
  std::vector<double> work;  // of each task, at its fastest
  std::vector<double> head;  // earliest start
  std::vector<double> tail;  // least time from its end to the end of the step
};

std::vector<int> task_order(const Problem& problem) {
  auto needs = problem.needs;
  std::vector<int> order;
  for (int task = 0; task < problem.tasks; ++task)
    if (needs[static_cast<std::size_t>(task)] == 0) order.push_back(task);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto task = static_cast<std::size_t>(order[i]);
    for (int a = problem.arc_begin[task]; a < problem.arc_begin[task + 1]; ++a) {
      const int to = problem.arcs[static_cast<std::size_t>(a)].to;
      if (--needs[static_cast<std::size_t>(to)] == 0) order.push_back(to);
    }
  }
  return order;
}

Windows windows_of(const Problem& problem) {
  const auto tasks = static_cast<std::size_t>(problem.tasks);
  const auto devices = static_cast<std::size_t>(problem.devices());
  Windows windows{std::vector<double>(tasks, -1), std::vector<double>(tasks, 0),
                  std::vector<double>(tasks, 0)};
  for (std::size_t t = 0; t < tasks; ++t) {
    const auto group = static_cast<std::size_t>(problem.group_of_task[t]);
    for (std::size_t d = 0; d < devices; ++d) {
      const double cost = problem.cost_ms[t * devices + d];
      const bool may = problem.may_run[group * devices + d] != 0;
      if (may && (windows.work[t] < 0 || cost < windows.work[t])) windows.work[t] = cost;
    }
  }
  const auto order = task_order(problem);
  const auto each_arc = [&](int task, auto&& visit) {
    const auto t = static_cast<std::size_t>(task);
    for (int a = problem.arc_begin[t]; a < problem.arc_begin[t + 1]; ++a)
      visit(t, static_cast<std::size_t>(problem.arcs[static_cast<std::size_t>(a)].to));
  };
  for (const int task : order)
    each_arc(task, [&](std::size_t from, std::size_t to) {
      windows.head[to] = std::max(windows.head[to], windows.head[from] + windows.work[from]);
    });
  for (auto task = order.rbegin(); task != order.rend(); ++task)
    each_arc(*task, [&](std::size_t from, std::size_t to) {
      windows.tail[from] = std::max(windows.tail[from], windows.tail[to] + windows.work[to]);
    });
  return windows;
}

double longest(const Windows& windows) {
  double ms = 0;
  for (std::size_t t = 0; t < windows.work.size(); ++t)
    ms = std::max(ms, windows.head[t] + windows.work[t] + windows.tail[t]);
  return ms;
}

// At most 48 of the values, spread evenly over their order: any window gives a valid bound.
std::vector<double> some_of(std::vector<double> values) {
  constexpr std::size_t kept = 48;
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (values.size() <= kept) return values;
  std::vector<double> some;
  for (std::size_t i = 0; i < kept; ++i)
    some.push_back(values[i * (values.size() - 1) / (kept - 1)]);
  return some;
}

// Whether no window of a step of this length must hold more work than the devices can do in it.
bool possible(const Windows& windows, double step_ms, double devices) {
  std::vector<double> ends;
  for (const double tail : windows.tail) ends.push_back(step_ms - tail);
  const auto from = some_of(windows.head);
  const auto to = some_of(std::move(ends));
  for (const double a : from)
    for (const double b : to) {
      if (b <= a) continue;
      double forced = 0;
      for (std::size_t t = 0; t < windows.work.size(); ++t) {
        const double work = windows.work[t];
        const double left = windows.head[t] + work - a;               // as early as can be
        const double right = b - (step_ms - windows.tail[t] - work);  // as late as can be
        forced += std::max(0.0, std::min({work, left, right, b - a}));
      }
      if (forced > devices * (b - a) * (1 + 1e-12)) return false;
    }
  return true;
}

}  // namespace

double critical_path_ms(const Problem& problem) { return longest(windows_of(problem)); }

double lower_bound_ms(const Problem& problem) {
  const Windows windows = windows_of(problem);
  const auto devices = static_cast<double>(problem.devices());
  const double all = std::accumulate(windows.work.begin(), windows.work.end(), 0.0);
  double low = std::max(longest(windows), all / devices);
  if (possible(windows, low, devices)) return low;
  double high = std::max(low, all);
  constexpr int halvings = 24;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (possible(windows, middle, devices) ? high : low) = middle;
  }
  return low;
}

}  // namespace hone::placement
