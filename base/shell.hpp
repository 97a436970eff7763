// Words of a command line as a POSIX shell reads them back.
#pragma once

#include <string>
#include <vector>

namespace hone {

// In single quotes where the shell would change the word.
std::string shell_word(const std::string& word);
std::string shell_words(const std::vector<std::string>& words);

}  // namespace hone
