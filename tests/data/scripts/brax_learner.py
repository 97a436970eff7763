from absl import app, flags

from skeleton import got

FLAGS = flags.FLAGS

flags.DEFINE_enum('learner', 'ppo', ['ppo', 'apg', 'es', 'sac', 'ars'], 'Which algorithm to run.')
flags.DEFINE_string('env', 'ant', 'Name of environment to train.')
flags.DEFINE_integer('total_env_steps', 50000000, 'Number of env steps to run training for.')
flags.DEFINE_integer('eval_frequency', 10, 'How many times to run an eval.')
flags.DEFINE_integer('seed', 0, 'Random seed.')
flags.DEFINE_integer('num_envs', 4, 'Number of envs to run in parallel.')
flags.DEFINE_integer('action_repeat', 1, 'Action repeat.')
flags.DEFINE_integer('batch_size', 4, 'Batch size.')
flags.DEFINE_float('reward_scaling', 10.0, 'Reward scale.')
flags.DEFINE_integer('episode_length', 1000, 'Episode length.')
flags.DEFINE_float('entropy_cost', 3e-4, 'Entropy cost.')
flags.DEFINE_integer('unroll_length', 30, 'Unroll length.')
flags.DEFINE_float('discounting', 0.99, 'Discounting.')
flags.DEFINE_float('learning_rate', 5e-4, 'Learning rate.')
flags.DEFINE_integer('num_minibatches', 1, 'Number')
flags.DEFINE_integer('num_update_epochs', 1, 'Number of times to reuse each transition')
flags.DEFINE_string('logdir', '', 'Logdir.')
flags.DEFINE_bool('normalize_observations', True, 'Whether to apply observation normalization.')
flags.DEFINE_integer('max_devices_per_host', None, 'Maximum number of devices')
flags.DEFINE_float('perturbation_std', 0.1, 'Std of a random noise.')
flags.DEFINE_bool('center_fitness', False, 'Whether to normalize fitness.')
flags.DEFINE_enum('fitness_shaping', 'original', ['original', 'centered_rank', 'wierstra'],
                  'Shaping')


def main(unused_argv):
    got({flag.name: flag.value for flag in FLAGS.get_key_flags_for_module('__main__')})
    for step in range(1, 11):
        print(f"steps: {step * FLAGS.total_env_steps // 10} eval/episode_reward: {step * 5.0}")


if __name__ == '__main__':
    app.run(main)
