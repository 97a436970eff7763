#!/bin/sh
# Minimizes Branin's function with `hone ask` and `hone tell`, without a worker or an SDK.
#   sdk/examples/ask_tell.sh
# Needs a server (`hone up` or `hone server`) at HONE_SERVER.
set -eu
here=$(dirname "$0")
sweep=$(hone submit "$here/ask-tell.yaml" -q)

# Each line of `hone ask`: the trial and its parameters, with a tab between them. It fails when the sweep has ended.
while asked=$(hone ask "$sweep" --as example --format value --columns trial,x,y -q 2>/dev/null); do
  loss=$(echo "$asked" | awk '{ x = $2; y = $3; pi = 3.141592653589793
    a = y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6
    printf "%.9g", a * a + 10 * (1 - 1 / (8 * pi)) * cos(x) + 10 }')
  hone tell "${asked%%	*}" "$loss" -q >/dev/null
done
hone best "$sweep" -n 3
