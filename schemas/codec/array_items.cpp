#include "schemas/codec/array_items.hpp"

namespace hone {

void ArrayItems::in_text(char c) {
  const bool may_be_key = !is_inside() && depth_ == matched_ + 1 && c != '"';
  if (may_be_key && name_.size() <= path_[matched_].size()) name_.push_back(c);
  if (escaped_)
    escaped_ = false;
  else if (c == '\\')
    escaped_ = true;
  else if (c == '"')
    in_text_ = false;
}

void ArrayItems::open(char bracket) {
  const bool leads_on = !is_inside() && depth_ == matched_ + 1 && name_ == path_[matched_];
  if (leads_on && bracket == (matched_ + 1 == path_.size() ? '[' : '{')) ++matched_;
  ++depth_;
}

void ArrayItems::close() {
  if (depth_ == 0) return;  // malformed, as the rest is
  if (--depth_ == matched_ && matched_ > 0) --matched_;
}

void ArrayItems::add(std::string_view bytes, const std::function<void(const std::string&)>& found) {
  for (const char c : bytes) {
    const bool begins = is_inside() && is_between() && c == '{';
    const bool of_item = begins || (is_inside() && !is_between() && !item_.empty());
    (of_item ? item_ : rest_).push_back(c);
    if (in_text_) {
      in_text(c);
    } else if (c == '"') {
      in_text_ = true;
      if (depth_ == matched_ + 1) name_.clear();
    } else if (c == '{' || c == '[') {
      open(c);
    } else if (c == '}' || c == ']') {
      close();
      if (!is_inside() || !is_between() || item_.empty()) continue;
      found(item_);
      item_.clear();
      rest_ += "{}";
    }
  }
}

}  // namespace hone
