// The errors of forecasts among the server's figures.
import assert from "node:assert/strict";
import { test } from "node:test";

import { forecastErrors } from "../../../dashboard/lib/forecasts.js";

test("kinds with an error and a number are found, whatever else the figures are", () => {
  const text = [
    "# HELP hone_forecast_error Median error",
    'hone_forecast_error{kind="run_value"} 0.0175',
    'hone_forecasts_scored{kind="run_value"} 12',
    'hone_forecasts_scored{kind="sweep_end"} 0',
    'hone_runs{state="completed"} 4',
    "",
  ].join("\n");
  assert.deepEqual(forecastErrors(text), [{ kind: "run_value", error: 0.0175, scored: 12 }]);
  assert.deepEqual(forecastErrors(""), []);
});
