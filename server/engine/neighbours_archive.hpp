// The parts of the Book that say how fast runs are next to others, for book_archive.cpp.
#pragma once

#include "schemas/types/neighbours.hpp"
#include "server/engine/archive.hpp"
#include "server/sweep/state/state.hpp"

namespace hone {

template <class Archive>
void fields(Archive& archive, MaybeConst<PaceAmong> auto& pace) {
  auto& [kinds, sum, phases] = pace;
  archive(kinds, sum, phases);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<RunOnWorker> auto& run) {
  auto& [lease, kind] = run;
  archive(lease, kind);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<Neighbours> auto& neighbours) {
  auto& [runs, speed, without, with, measured, again] = neighbours;
  archive(runs, speed, without, with, measured, again);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<KeptFree> auto& kept) {
  auto& [sweep, neighbours] = kept;
  archive(sweep, neighbours);
}

namespace forecast {

template <class Archive>
void fields(Archive& archive, MaybeConst<PairKey> auto& key) {
  auto& [kind, type, other] = key;
  archive(kind, type, other);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<PairMean> auto& mean) {
  auto& [sum, squares, count, measurements] = mean;
  archive(sum, squares, count, measurements);
}

template <class Archive, class Either>
void archive_pairs(Archive& archive, Either& estimate) {
  auto& [prior, pairs, of_type, of_other, of_kind] = estimate;
  archive(prior, pairs, of_type, of_other, of_kind);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<PairEstimate> auto& estimate) {
  archive_pairs(archive, estimate);
}

}  // namespace forecast

template <class Archive>
void fields(Archive& archive, MaybeConst<Measurement> auto& measurement) {
  auto& [from, at] = measurement;
  archive(from, at);
}

template <class Archive>
void fields(Archive& archive, MaybeConst<PairsOfHost> auto& pairs) {
  auto& [speeds, newest, at] = pairs;
  archive(speeds, newest, at);
}

}  // namespace hone
