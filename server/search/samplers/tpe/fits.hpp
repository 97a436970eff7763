// How the surrogate of `tpe` sees a training set: the kernel of its process, and the warp of its
// losses.
#pragma once

#include "server/search/samplers/tpe/training.hpp"

namespace hone {

struct Fit {
  ProcessShape shape;
  double warp = 1;  // k of warp()
};

// Chooses one of a few random draws by its tempered likelihood, and half of the time fits the width
// of each dimension from there: a few steps up the likelihood, with a prior around the draw, so
// that dimensions that do not matter become wide. Compares fits on a bounded number of trials,
// spread evenly by rank.
Fit choose_fit(const TrainingSet& set, const Focus& focus, Rng& rng);

}  // namespace hone
