// The Book as bytes: equal Books give equal bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/sweep/state/state.hpp"

namespace hone {

std::string archive_book(const Book& book);

// Throws std::runtime_error for bytes that archive_book did not make.
Book read_book(std::string_view bytes);

// The part of a Book that belongs to one sweep: the sweep, its trials and their checkpoints.
std::string archive_sweep(const Book& book, SweepId id);
void remove_sweep(Book& book, SweepId id);
// Undoes remove_sweep. Throws std::runtime_error, before it changes the Book, for bytes that
// archive_sweep did not make.
void insert_sweep(Book& book, std::string_view bytes);

// Detects bytes that the disk has changed.
std::uint64_t checksum(std::string_view bytes);

// Of the sources that say what a Book is and how events change it: a Book that other sources made
// may be another one, and is not read.
std::string_view book_stamp();

}  // namespace hone
