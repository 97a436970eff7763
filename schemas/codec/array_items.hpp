// Takes the elements of one array out of a text of JSON that arrives in pieces, so that a document
// of any size takes the memory of its largest element.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hone {

// The elements are objects. Of JSON that is malformed, at least one of the elements and the rest is
// malformed as well.
class ArrayItems {
 public:
  // path: the keys that lead from the root to the array: {"export", "events"}.
  explicit ArrayItems(std::vector<std::string> path) : path_(std::move(path)) {}

  // Takes the next bytes, and calls `found` for each element that they complete.
  void add(std::string_view bytes, const std::function<void(const std::string&)>& found);

  // The text so far, with an empty object in place of each element.
  [[nodiscard]] const std::string& rest() const { return rest_; }

 private:
  void open(char bracket);
  void close();
  void in_text(char c);
  [[nodiscard]] bool is_inside() const { return matched_ == path_.size(); }
  [[nodiscard]] bool is_between() const { return !in_text_ && depth_ == path_.size() + 1; }

  std::vector<std::string> path_;
  std::size_t matched_ = 0;  // keys of the path that lead to where the text is
  std::string name_;         // the last text at the depth of the next key, or its beginning
  std::string item_, rest_;
  std::size_t depth_ = 0;
  bool in_text_ = false;
  bool escaped_ = false;
};

}  // namespace hone
