// Constrains the parameter of a description, which is called for values that are const and for
// values that are not.
#pragma once

#include <concepts>
#include <type_traits>

namespace hone {

template <class T, class... Type>
concept Of = (std::same_as<std::remove_const_t<T>, Type> || ...);

}  // namespace hone
