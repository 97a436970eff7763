// Splits a stream of bytes into lines of bounded length. A line ends with a newline, a carriage
// return (the updates of progress bars) or both.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace hone::worker {

class LineReader {
 public:
  // Gets a line without its end; `too_long` if it exceeds the limit and only its beginning is
  // passed.
  using OnLine = std::function<void(std::string_view line, bool too_long)>;

  void take(std::string_view bytes, const OnLine& on_line);

  // Passes the last line of a stream that does not end with a line end.
  void finish(const OnLine& on_line);

 private:
  std::string pending_;
  bool skipping_ = false;  // in the rest of a line that is too long
  bool returned_ = false;  // the line before ended with a carriage return
};

}  // namespace hone::worker
