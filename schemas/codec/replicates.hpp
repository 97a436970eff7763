// replicates and confirm of the sweep file. Internal to schemas/codec.
#pragma once

#include "schemas/codec/body.hpp"
#include "schemas/codec/parts.hpp"

namespace hone::codec {

struct Replicates {
  int seeds = 1;  // SweepSpec::seeds
  ReplicatesSpec spec{};
};

Replicates read_replicates(const Spot& spot);
ConfirmSpec read_confirm_spec(const Spot& spot);
Json encode_replicates(int seeds, const ReplicatesSpec& spec);
Json encode_confirm(const ConfirmSpec& confirm);

}  // namespace hone::codec
