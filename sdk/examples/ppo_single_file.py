"""PPO on CartPole in one file, in the manner of CleanRL: flags, one loop, and a line for each
episode that ends. It knows nothing of hone (ppo-single-file.yaml tunes it). Needs PyTorch and
Gymnasium."""
import argparse

import gymnasium
import torch
from torch import nn

flags = argparse.ArgumentParser()
flags.add_argument("--env-id", default="CartPole-v1")
flags.add_argument("--seed", type=int, default=1)
flags.add_argument("--total-timesteps", type=int, default=20_000)
flags.add_argument("--learning-rate", type=float, default=2.5e-3)
flags.add_argument("--num-steps", type=int, default=512, help="steps between two updates")
flags.add_argument("--gamma", type=float, default=0.99)
flags.add_argument("--gae-lambda", type=float, default=0.95)
flags.add_argument("--clip-coef", type=float, default=0.2)
flags.add_argument("--ent-coef", type=float, default=0.01)
flags.add_argument("--update-epochs", type=int, default=8)
flags.add_argument("--minibatch-size", type=int, default=128)
args = flags.parse_args()

torch.manual_seed(args.seed)
env = gymnasium.make(args.env_id)
inputs, actions = env.observation_space.shape[0], env.action_space.n
actor, critic = (nn.Sequential(nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(),
                               nn.Linear(64, outputs)) for outputs in (actions, 1))
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=args.learning_rate)


def play(observation, step, episode_return):
    """One rollout: its tensors, and where the next one begins."""
    rows = []
    for _ in range(args.num_steps):
        state = torch.as_tensor(observation, dtype=torch.float32)
        with torch.no_grad():
            policy = torch.distributions.Categorical(logits=actor(state))
            action = policy.sample()
            value = critic(state)[0]
        observation, reward, terminated, truncated, _ = env.step(int(action))
        step, episode_return = step + 1, episode_return + reward
        ended = terminated or truncated
        if truncated and not terminated:  # the last state of a truncated episode has its value
            with torch.no_grad():
                last = critic(torch.as_tensor(observation, dtype=torch.float32))[0]
            reward += args.gamma * float(last)
        rows.append((state, action, policy.log_prob(action), value,
                     torch.tensor(float(reward)), torch.tensor(float(ended))))
        if ended:
            print(f"global_step={step}, episodic_return={episode_return}", flush=True)
            observation, _ = env.reset()
            episode_return = 0.0
    return [torch.stack(column) for column in zip(*rows)], observation, step, episode_return


def advantages_of(values, rewards, ends, next_value):
    result, last = torch.zeros_like(rewards), torch.tensor(0.0)
    for i in reversed(range(len(rewards))):
        following = next_value if i == len(rewards) - 1 else values[i + 1]
        error = rewards[i] + args.gamma * following * (1 - ends[i]) - values[i]
        last = error + args.gamma * args.gae_lambda * (1 - ends[i]) * last
        result[i] = last
    return result


def update(states, taken, log_probs, advantages, returns):
    for _ in range(args.update_epochs):
        for part in torch.randperm(len(states)).split(args.minibatch_size):
            policy = torch.distributions.Categorical(logits=actor(states[part]))
            ratio = (policy.log_prob(taken[part]) - log_probs[part]).exp()
            gain = advantages[part]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
            policy_loss = -torch.min(ratio * gain, clipped * gain).mean()
            value_loss = (critic(states[part])[:, 0] - returns[part]).square().mean()
            loss = policy_loss + 0.5 * value_loss - args.ent_coef * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_([*actor.parameters(), *critic.parameters()], 0.5)
            optimizer.step()


observation, _ = env.reset(seed=args.seed)
step, episode_return = 0, 0.0
while step < args.total_timesteps:
    rollout, observation, step, episode_return = play(observation, step, episode_return)
    states, taken, log_probs, values, rewards, ends = rollout
    with torch.no_grad():
        next_value = critic(torch.as_tensor(observation, dtype=torch.float32))[0]
    advantages = advantages_of(values, rewards, ends, next_value)
    update(states, taken, log_probs, advantages, advantages + values)
