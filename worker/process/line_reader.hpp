// Bytes to lines of a bounded length.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace hone::worker {

class LineReader {
 public:
  // on_line: a line without its end; too_long for one over the bound, of which only the beginning
  // is given.
  using OnLine = std::function<void(std::string_view line, bool too_long)>;

  void take(std::string_view bytes, const OnLine& on_line);

  // The last line of a stream that ended without a line end.
  void finish(const OnLine& on_line);

 private:
  std::string pending_;
  bool skipping_ = false;  // the rest of a line that is too long
};

}  // namespace hone::worker
