// The speeds that github.com/pengyanghua/DL2 publishes in config_speed.txt. Its rows are (model,
// mode, batch, parameter servers, workers, [speed of each worker], [...], [...]).
#pragma once

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "server/forecast/speed.hpp"

namespace hone::bench {

// The numbers of a row: batch, parameter servers, workers, then the speeds of the workers.
inline std::pair<std::string, forecast::SpeedSample> parse_dl2_row(const std::string& line) {
  const std::size_t quote = line.find('\'', 2);
  const std::string name = line.substr(2, quote - 2);
  const char* at = line.c_str() + line.find(", ", line.find('\'', quote + 3) + 1) + 2;
  char* end = nullptr;
  std::strtol(at, &end, 10);
  const auto servers = std::strtol(end + 2, &end, 10), workers = std::strtol(end + 2, &end, 10);
  double sum = 0;
  for (end += 3; *end != ']' && *end != '\0';) {
    const char* from = end;
    sum += std::strtod(from, &end);
    while (*end == ',' || *end == ' ') ++end;
    if (end == from) break;
  }
  return {name, {int(servers), int(workers), sum}};
}

// By model; rows without a speed are left out.
inline std::map<std::string, std::vector<forecast::SpeedSample>> dl2_rows(const char* path) {
  std::map<std::string, std::vector<forecast::SpeedSample>> models;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("('")) continue;
    const auto [name, sample] = parse_dl2_row(line);
    if (sample.steps_per_s > 0) models[name].push_back(sample);
  }
  return models;
}

}  // namespace hone::bench
