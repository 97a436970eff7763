// The Book as bytes: equal Books give equal bytes.
#pragma once

#include <string>
#include <string_view>

#include "server/sweep/state.hpp"

namespace hone {

std::string archive_book(const Book& book);

// Throws std::runtime_error for bytes that archive_book did not make.
Book read_book(std::string_view bytes);

// Of the sources that say what a Book is and how events change it: a Book that other sources made
// may be another one, and is not read.
std::string_view book_stamp();

}  // namespace hone
