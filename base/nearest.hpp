// Did-you-mean.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hone {

// The candidate with the smallest edit distance (transpositions count one), or "" when none is near
// enough to be meant (more than a third of the word's letters differ, at least 2 allowed).
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

// " (did you mean 'x'?)" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace hone
