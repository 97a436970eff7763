// The machine of a worker: the kernel's files as they look, in a folder for the test.
#include "worker/process/machine_meter.hpp"

#include "tests/unit/worker/process_given.hpp"
#include "worker/process/machine_watch.hpp"

namespace hone::worker {
namespace {

// proc(5): user nice system idle iowait irq softirq steal guest guest_nice, in hundredths of a s.
constexpr const char* stat_of_two =
    "cpu  300 0 100 1600 0 0 0 0 0 0\n"
    "cpu0 100 50 40 700 80 5 5 20 0 0\n"
    "cpu1 200 0 0 800 0 0 0 0 0 0\n"
    "intr 1 2 3\n";

TEST(CpuTime, counts_neither_idle_time_nor_what_the_host_took) {
  const auto both = parse_cpu_time(stat_of_two, {}, 100);
  ASSERT_TRUE(both);
  EXPECT_DOUBLE_EQ(both->busy_s, 2 + 2);
  EXPECT_DOUBLE_EQ(both->all_s, 20);
  const auto second = parse_cpu_time(stat_of_two, {1}, 100);
  ASSERT_TRUE(second);
  EXPECT_DOUBLE_EQ(second->busy_s, 2);
}

TEST(CpuTime, refuses_what_is_not_of_its_form) {
  EXPECT_FALSE(parse_cpu_time("", {}, 100));
  EXPECT_FALSE(parse_cpu_time("cpu  1 2 3 4 5 6 7 8\n", {}, 100)) << "the sum alone";
  EXPECT_FALSE(parse_cpu_time("cpu0 1 2 3\n", {}, 100));
  EXPECT_FALSE(parse_cpu_time("cpu0 1 2 x 4 5 6 7 8\n", {}, 100));
}

TEST(Pressure, is_the_time_in_which_some_process_waited) {
  const auto some = parse_pressure(
      "some avg10=3.79 avg60=33.66 avg300=32.51 total=2500000\n"
      "full avg10=0.00 avg60=0.00 avg300=0.00 total=9\n");
  ASSERT_TRUE(some);
  EXPECT_DOUBLE_EQ(*some, 2.5);
  for (const char* text : {"", "some avg10=1", "full total=3", "some total=-1", "some total=x"})
    EXPECT_FALSE(parse_pressure(text)) << text;
}

TEST(NumberIn, finds_the_line_of_a_name_and_no_longer_one) {
  EXPECT_EQ(number_in("MemTotal:  12 kB\nMemFree: 3 kB\n", "MemFree"), 3);
  EXPECT_EQ(number_in("inactive_file 7\n", "inactive_file"), 7);
  EXPECT_FALSE(number_in("inactive_file_more 7\n", "inactive_file"));
  EXPECT_FALSE(number_in("", "usage_usec"));
}

// Makes more processors than this machine has, each with the same times.
std::string stat_of_many(int user, int idle) {
  std::string text;
  for (int one = 0; one < 1024; ++one)
    text += "cpu" + std::to_string(one) + " " + std::to_string(user) + " 0 0 " +
            std::to_string(idle) + " 0 0 0 0\n";
  return text;
}

class Machine : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    make("proc/stat", stat_of_many(100, 100));
    make("proc/meminfo", "MemTotal: 1048576 kB\nMemAvailable: 524288 kB\n");
    waited(0);
  }
  void make(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(path(name)).parent_path());
    write(name, text);
  }
  void waited(int us) const {
    for (const char* of : {"cpu", "memory", "io"})
      make(std::string("proc/pressure/") + of, "some total=" + std::to_string(us) + "\n");
  }
};

TEST_F(Machine, shares_are_of_the_time_between_two_readings) {
  MachineMeter meter(folder_);
  EXPECT_EQ(meter.memory(), 1 << 30);
  const auto first = meter.read(Instant{0});
  EXPECT_FALSE(first.cpu) << "of no time";
  EXPECT_FALSE(first.io_pressure);
  EXPECT_EQ(first.memory, 512 << 20);
  make("proc/stat", stat_of_many(300, 900));
  waited(2'500'000);
  const auto second = meter.read(Instant{10'000'000});
  EXPECT_DOUBLE_EQ(second.cpu.value(), 0.2);
  EXPECT_DOUBLE_EQ(second.cpu_pressure.value(), 0.25);
  EXPECT_DOUBLE_EQ(second.memory_pressure.value(), 0.25);
  EXPECT_DOUBLE_EQ(second.io_pressure.value(), 0.25);
}

TEST_F(Machine, a_control_group_is_the_machine_of_its_processes) {
  make("sys/fs/cgroup/cpu.max", "50000 100000\n");
  make("sys/fs/cgroup/cpu.stat", "usage_usec 1000000\nuser_usec 1\n");
  make("sys/fs/cgroup/cpu.pressure", "some avg10=0 total=0\n");
  make("sys/fs/cgroup/memory.max", "268435456\n");
  make("sys/fs/cgroup/memory.current", "200\n");
  make("sys/fs/cgroup/memory.stat", "anon 1\ninactive_file 50\n");
  MachineMeter meter(folder_);
  EXPECT_DOUBLE_EQ(meter.cores(), 0.5);
  EXPECT_EQ(meter.memory(), 256 << 20);
  EXPECT_EQ(meter.read(Instant{0}).memory, 150) << "the kernel gives back what files hold";
  make("sys/fs/cgroup/cpu.stat", "usage_usec 3000000\nuser_usec 1\n");
  make("sys/fs/cgroup/cpu.pressure", "some avg10=0 total=1000000\n");
  const auto sample = meter.read(Instant{10'000'000});
  EXPECT_DOUBLE_EQ(sample.cpu.value(), 0.4) << "2 s of 10 s of half a core";
  EXPECT_DOUBLE_EQ(sample.cpu_pressure.value(), 0.1);
}

TEST_F(Machine, a_limit_beyond_the_machine_is_none) {
  make("sys/fs/cgroup/cpu.max", "max 100000\n");
  make("sys/fs/cgroup/memory.max", "max\n");
  MachineMeter meter(folder_);
  EXPECT_EQ(meter.memory(), 1 << 30);
  make("sys/fs/cgroup/memory.max", "99999999999999\n");
  EXPECT_EQ(MachineMeter(folder_).memory(), 1 << 30);
}

TEST_F(Machine, a_system_that_tells_nothing_has_samples_without_numbers) {
  fs::remove_all(path("proc"));
  MachineMeter meter(folder_);
  meter.read(Instant{0});
  const auto sample = meter.read(Instant{1'000'000});
  EXPECT_EQ(sample, MachineSample{});
  EXPECT_GT(meter.cores(), 0);
}

TEST_F(Machine, counters_that_begin_again_give_no_share_beyond_its_range) {
  waited(9'000'000);
  MachineMeter meter(folder_);
  meter.read(Instant{0});
  waited(1);
  EXPECT_EQ(meter.read(Instant{1'000'000}).cpu_pressure, 0);
  waited(999'999'999);
  EXPECT_EQ(meter.read(Instant{2'000'000}).cpu_pressure, 1);
}

TEST(MachineWatch, samples_wait_for_a_request_and_carry_their_age) {
  const GpuWatch gpus;
  MachineWatch watch(0, Instant{0});
  EXPECT_EQ(watch.take(Instant{0}), std::nullopt);
  watch.sample(gpus, Instant{999'999});
  EXPECT_EQ(watch.take(Instant{999'999}), std::nullopt) << "not due";
  watch.sample(gpus, Instant{1'000'000});
  watch.sample(gpus, Instant{11'000'000});
  const auto samples = watch.take(Instant{12'000'000});
  ASSERT_TRUE(samples);
  ASSERT_EQ(samples->samples.size(), 2);
  EXPECT_EQ(samples->samples[0].age, seconds(11));
  EXPECT_EQ(samples->samples[1].age, seconds(1));
  EXPECT_GT(samples->samples[1].memory.value_or(0), 0) << "of this very machine";
  EXPECT_EQ(watch.take(Instant{12'000'000}), std::nullopt);
  for (int i = 0; i < 100; ++i) watch.sample(gpus, Instant{(21LL + 10 * i) * 1'000'000});
  EXPECT_EQ(watch.take(Instant{2'000'000'000})->samples.size(), machine_samples_max);
}

}  // namespace
}  // namespace hone::worker
