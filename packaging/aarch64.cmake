# Cross-compiles for aarch64 on Debian, against the arm64 packages of the same release (tools/cross makes such a root).
# The emulator runs the test programs, which list their tests for ctest.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR /usr/bin/qemu-aarch64-static)
