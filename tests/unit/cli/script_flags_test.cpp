// The flags that are found in the text of a Python program.
#include "sdk/cli/local/script_flags.hpp"

#include <gtest/gtest.h>

#include "sdk/cli/local/python_text.hpp"

namespace hone::cli {
namespace {

// "name word word default" of each flag.
std::vector<std::string> flags_in(const std::string& program) {
  std::vector<std::string> lines;
  for (const ScriptFlag& flag : scan_flags(program).flags) {
    std::string line = flag.name;
    for (const std::string& word : flag_words(flag)) line += " " + word;
    lines.push_back(line + " " + (flag.given ? to_text(*flag.given) : "-"));
  }
  return lines;
}
using Lines = std::vector<std::string>;

TEST(ScriptFlags, every_action_of_argparse_was_left_out_but_store) {
  EXPECT_EQ(flags_in(R"(
p.add_argument("-l", "--learning-rate", type=float, default=1e-3)
p.add_argument("--fast", action="store_true")
p.add_argument("--no-norm", dest="norm", action="store_false")
p.add_argument("--gae", action=argparse.BooleanOptionalAction, default=True)
p.add_argument("--sizes", nargs="+", type=int, default=[64, 64])
p.add_argument("--tag", action="append")
p.add_argument("--anneal", type=bool, default=False)
p.add_argument("--clip", type=lambda x: bool(strtobool(x)), default=True)
p.add_argument("-e", type=int, default=2)
)"),
            (Lines{"learning_rate --learning-rate=${learning_rate} 0.001",
                   "fast ${fast?--fast} false", "norm ${norm?:--no-norm} true",
                   "gae ${gae?--gae:--no-gae} true", "sizes --sizes ${sizes*} [64,64]",
                   "tag --tag=${tag*} -", "anneal ${anneal?--anneal=True:--anneal=} false",
                   "clip ${clip?--clip=True:--clip=False} true", "e -e=${e} 2"}));
}

TEST(ScriptFlags, a_pair_with_one_destination_is_one_parameter) {
  EXPECT_EQ(flags_in(R"(
p.add_argument("--ema", action="store_true")
p.add_argument("--no-ema", action="store_false", dest="ema")
p.set_defaults(ema=True)
)"),
            Lines{"ema ${ema?--ema:--no-ema} true"});
}

TEST(ScriptFlags, click) {
  EXPECT_EQ(
      flags_in(R"(
import click
@click.option("--lr", "rate", default=0.1)
@click.option("--shout/--no-shout", default=False)
@click.option("--fast", is_flag=True)
@click.option("--mirror", type=bool, default=False)
@click.option("--layer", multiple=True, type=int, default=[1, 2])
)"),
      (Lines{"rate --lr=${rate} 0.1", "shout ${shout?--shout:--no-shout} false",
             "fast ${fast?--fast} false", "mirror ${mirror?--mirror=True:--mirror=False} false",
             "layer --layer=${layer*} [1,2]"}));
}

TEST(ScriptFlags, dataclasses_were_not_read) {
  const std::string fields = R"(
@dataclass
class Net:
    width: int = 2**6
@dataclass
class Args:
    """the flags"""
    learning_rate: float = 2.5e-4
    """a rate, with = and : inside"""
    anneal: bool = True
    act: Literal["relu", "tanh"] = "relu"
    net: Net = field(default_factory=Net)
    sizes: tuple[int, ...] = field(default_factory=lambda: (64, 64))
    def method(self):
        local: int = 3
)";
  EXPECT_EQ(flags_in(fields + "args = tyro.cli(Args)\n"),
            (Lines{"learning_rate --learning-rate=${learning_rate} 0.00025",
                   "anneal ${anneal?--anneal:--no-anneal} true", "act --act=${act} \"relu\"",
                   "net.width --net.width=${net.width} 64", "sizes --sizes ${sizes*} [64,64]"}));
  EXPECT_EQ(flags_in(fields + "parser = HfArgumentParser((Net, Args))\n").at(1),
            "learning_rate --learning_rate=${learning_rate} 0.00025");
}

TEST(ScriptFlags, absl_in_the_order_of_the_program) {
  EXPECT_EQ(flags_in(R"(
flags.DEFINE_bool('norm', True, 'x')
flags.DEFINE_float('lr', 1e-3, 'x', lower_bound=0)
flags.DEFINE_enum('opt', 'adam', ['adam', 'sgd'], 'x')
)"),
            (Lines{"norm ${norm?--norm:--nonorm} true", "lr --lr=${lr} 0.001",
                   "opt --opt=${opt} \"adam\""}));
}

TEST(ScriptFlags, literals) {
  const auto read = [](const char* text) {
    const auto value = literal(text, "BATCH = 2 * 16\nRATES = [0.1, BATCH]\n");
    return value ? to_text(*value) : "none";
  };
  for (const auto& [text, json] :
       std::vector<std::pair<const char*, const char*>>{{"1_000", "1000"},
                                                        {"int(1e6)", "1000000"},
                                                        {"2 ** 14", "16384"},
                                                        {"-0.5", "-0.5"},
                                                        {"5.", "5.0"},
                                                        {"1 / 4", "0.25"},
                                                        {"7 // 2", "3"},
                                                        {"(3)", "3"},
                                                        {"(3,)", "[3]"},
                                                        {"'a' 'b'", "\"ab\""},
                                                        {"[1, None, True]", "[1,null,true]"},
                                                        {"BATCH", "32"},
                                                        {"RATES", "[0.1,32]"},
                                                        {"os.cpu_count()", "none"},
                                                        {"float('inf')", "none"},
                                                        {"", "none"}})
    EXPECT_EQ(read(text), std::string(json)) << text;
}

// They were guessed from the default: a value outside of range(1, 5), and "true" for a lambda that
// compares with "True".
TEST(ScriptFlags, whose_choices_or_type_are_computed_are_known_as_such) {
  const auto scanned = scan_flags(R"(
p.add_argument("--n-layers", type=int, default=2, choices=range(1, 5))
p.add_argument("--opt", default="adam", choices=OPTIMIZERS.keys())
p.add_argument("--use-bn", type=lambda s: s == "True", default=True)
p.add_argument("--lr", type=parse_rate, default="0.1")
p.add_argument("--clip", type=lambda x: bool(strtobool(x)), default=True)
p.add_argument("--rate", type=positive_float, default=0.1)
p.add_argument("--net", choices=["a", "b"])
)");
  std::string computed;
  for (const ScriptFlag& flag : scanned.flags) computed += flag.computed ? '1' : '0';
  EXPECT_EQ(computed, "1110000");
}

}  // namespace
}  // namespace hone::cli
