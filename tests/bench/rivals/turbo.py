"""TuRBO-1 (Eriksson et al., 2019) with one proposal at a time, on the Gaussian process of BoTorch.

Values are maximized here: `tell` negates them. Points are in the unit cube.
"""
import warnings

import gpytorch
import torch
from botorch.exceptions import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.generation import MaxPosteriorSampling
from botorch.models import SingleTaskGP
from gpytorch.constraints import Interval

LEAST, FIRST, MOST = 0.5 ** 7, 0.8, 1.6  # lengths of the trust region, as published
SUCCESSES, FAILURES_MIN = 3, 4  # in a row, until it grows or shrinks


class Turbo:
    def __init__(self, columns: int, seed: int):
        warnings.simplefilter("ignore")
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        self.columns, self.seed = columns, seed
        self.failures = max(FAILURES_MIN, columns)
        self.restart()

    def restart(self):
        self.seed += 1000
        self.points = torch.empty(0, self.columns, dtype=torch.double)
        self.values = torch.empty(0, 1, dtype=torch.double)
        sobol = torch.quasirandom.SobolEngine(self.columns, scramble=True, seed=self.seed)
        self.first = sobol.draw(2 * self.columns).double()
        self.length, self.won, self.lost = FIRST, 0, 0

    def ask(self) -> list[float]:
        known = len(self.values)
        self.point = self.first[known] if known < len(self.first) else self.proposed()
        return self.point.tolist()

    def tell(self, value: float):
        searching = len(self.values) >= len(self.first)
        better = searching and -value > self.values.max() + 1e-3 * self.values.max().abs()
        self.points = torch.cat([self.points, self.point[None]])
        self.values = torch.cat([self.values, torch.tensor([[-value]], dtype=torch.double)])
        if not searching:
            return
        self.won, self.lost = (self.won + 1, 0) if better else (0, self.lost + 1)
        if self.won == SUCCESSES:
            self.length, self.won = min(2 * self.length, MOST), 0
        elif self.lost == self.failures:
            self.length, self.lost = self.length / 2, 0
        if self.length < LEAST:
            self.restart()

    def proposed(self) -> torch.Tensor:
        scaled = (self.values - self.values.mean()) / self.values.std().clamp_min(1e-12)
        kernel = gpytorch.kernels.ScaleKernel(gpytorch.kernels.MaternKernel(
            nu=2.5, ard_num_dims=self.columns, lengthscale_constraint=Interval(0.005, 4.0)))
        noise = gpytorch.likelihoods.GaussianLikelihood(noise_constraint=Interval(1e-8, 1e-3))
        model = SingleTaskGP(self.points, scaled, covar_module=kernel, likelihood=noise,
                             outcome_transform=None)
        try:
            fit_gpytorch_mll(gpytorch.mlls.ExactMarginalLogLikelihood(noise, model))
        except ModelFittingError:
            model.eval()  # with the widths that it has
        widths = kernel.base_kernel.lengthscale.detach().squeeze(0)
        widths = widths / widths.log().mean().exp()
        center = self.points[self.values.argmax()]
        low = (center - widths * self.length / 2).clamp(0, 1)
        high = (center + widths * self.length / 2).clamp(0, 1)
        count = min(5000, max(2000, 200 * self.columns))
        sobol = torch.quasirandom.SobolEngine(self.columns, scramble=True,
                                              seed=self.seed + len(self.values))
        drawn = low + (high - low) * sobol.draw(count).double()
        moved = torch.rand(count, self.columns) <= min(20 / self.columns, 1.0)
        stuck = (~moved).all(1).nonzero().squeeze(1)
        moved[stuck, torch.randint(0, self.columns, (len(stuck),))] = True
        candidates = torch.where(moved, drawn, center)
        with torch.no_grad():
            return MaxPosteriorSampling(model, replacement=False)(candidates, 1).squeeze(0)
