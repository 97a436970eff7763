// hone from C++: in a trial CurrentRun, elsewhere Client. docs/sdk.md explains both.
#pragma once

#include "sdk/cpp/client.hpp"
#include "sdk/cpp/current.hpp"
