#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/nearest.hpp"
#include "placement/graphs/generators.hpp"
#include "placement/read/read.hpp"

namespace hone::placement {
namespace {

constexpr std::uintmax_t file_bytes_max = 256ULL << 20;  // far above any known graph

Result<std::string> text_of(const std::filesystem::path& path) {
  std::error_code fault;
  if (!std::filesystem::is_regular_file(path, fault))
    return refuse(Code::invalid, path.string() + " is not a readable file");
  if (std::filesystem::file_size(path, fault) > file_bytes_max)
    return refuse(Code::too_large, path.string() + " is larger than 256 MB, the maximum");
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return refuse(Code::invalid, path.string() + " cannot be read");
  return text.str();
}

}  // namespace

Result<Graph> load_graph(const std::string& name_or_file) {
  if (const NamedGraph* named = find_graph(name_or_file)) return named->make();
  std::error_code fault;
  if (!std::filesystem::exists(name_or_file, fault)) {
    std::vector<std::string_view> names;
    std::string listed;
    for (const NamedGraph& row : graph_table()) {
      names.push_back(row.name);
      listed += (listed.empty() ? "" : ", ") + std::string(row.name);
    }
    return refuse(Code::not_found, "no graph and no file '" + name_or_file + "'" +
                                       did_you_mean(name_or_file, names) + "; graphs: " + listed);
  }
  const std::filesystem::path path(name_or_file);
  auto text = text_of(path);
  if (!text) return std::move(text).error();
  auto graph = read_graph(*text, path.stem().string());
  if (graph) return graph;
  Error error = std::move(graph).error();
  const std::string where = error.at.empty() ? "" : " (at " + error.at + ")";
  error.detail = name_or_file + ": " + error.detail + where;
  error.at.clear();  // it is a place in that file, and not in what names the file
  return error;
}

Result<Graph> read_graph(std::string_view text, const std::string& name) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return refuse(Code::invalid, "the file is empty");
  const bool json = text[first] == '{' || text[first] == '[';
  auto graph = json ? read_json_graph(text, name) : read_pipedream_graph(text, name);
  if (!graph) return graph;
  if (auto sound = check(*graph); !sound) return std::move(sound).error();
  return graph;
}

}  // namespace hone::placement
