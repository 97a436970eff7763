#include "worker/train/envs/synthetic/screens.hpp"

#include <cstring>

#include "worker/train/envs/core/copies.hpp"

namespace hone::envs::screens {
namespace {

constexpr int square_side = 12;                        // rows and columns
constexpr std::uint64_t dark = 0x7f7f'7f7f'7f7f'7f7f;  // of eight bytes of noise: 0 to 127

struct Rules {
  struct State {
    std::uint64_t screen = 0;  // which noise
    std::uint64_t place = 0;   // of the square
  };
  static constexpr const EnvSpec& spec = screens::spec;

  static void begin(State& state, Stream& stream) {
    state.screen = stream.bits();
    state.place = state.screen % places;
  }

  static void observe(const State& state, float* out) {
    auto* bytes = reinterpret_cast<std::uint8_t*>(out);
    SplitMix64 noise(state.screen);
    static_assert(planes.size() % sizeof(std::uint64_t) == 0);
    for (int i = 0; i < planes.size(); i += static_cast<int>(sizeof(std::uint64_t))) {
      const std::uint64_t eight = noise.bits() & dark;
      std::memcpy(bytes + i, &eight, sizeof eight);
    }
    // Two rows of three places.
    const int top = 14 + 42 * static_cast<int>(state.place / 3);
    const int left = 8 + 28 * static_cast<int>(state.place % 3);
    for (int row = top; row < top + square_side; ++row)
      std::memset(bytes + (row * planes.columns + left) * planes.channels, 255,
                  square_side * planes.channels);
  }

  static Outcome move(State& state, std::int32_t action, Stream& stream) {
    const bool right = action == static_cast<std::int32_t>(state.place);
    begin(state, stream);
    return {right ? 1.0F : 0.0F, false};
  }

  static bool is_sound(const State& state) { return state.place < places; }
};

}  // namespace

BuiltinEnv builtin() { return {&spec, make_copies<Rules>}; }

}  // namespace hone::envs::screens
