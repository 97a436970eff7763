from absl import app, flags

from skeleton import got

FLAGS = flags.FLAGS

flags.DEFINE_string('level', 'academy_empty_goal_close', 'Defines type of problem being solved')
flags.DEFINE_enum('state', 'extracted_stacked', ['extracted', 'extracted_stacked'], 'Observation')
flags.DEFINE_enum('reward_experiment', 'scoring', ['scoring', 'scoring,checkpoints'], 'Reward')
flags.DEFINE_enum('policy', 'cnn', ['cnn', 'lstm', 'mlp', 'impala_cnn'], 'Policy architecture')
flags.DEFINE_integer('num_timesteps', int(2e6), 'Number of timesteps to run for.')
flags.DEFINE_integer('num_envs', 8, 'Number of environments to run in parallel.')
flags.DEFINE_integer('nsteps', 128, 'Number of environment steps per epoch')
flags.DEFINE_integer('noptepochs', 4, 'Number of updates per epoch.')
flags.DEFINE_integer('nminibatches', 8, 'Number of minibatches to split one epoch to.')
flags.DEFINE_integer('save_interval', 100, 'How frequently checkpoints are saved.')
flags.DEFINE_integer('seed', 0, 'Random seed.')
flags.DEFINE_float('lr', 0.00008, 'Learning rate')
flags.DEFINE_float('ent_coef', 0.01, 'Entropy coeficient')
flags.DEFINE_float('gamma', 0.993, 'Discount factor')
flags.DEFINE_float('cliprange', 0.27, 'Clip range')
flags.DEFINE_float('max_grad_norm', 0.5, 'Max gradient norm (clipping)')
flags.DEFINE_bool('render', False, 'If True, environment rendering is enabled.')
flags.DEFINE_bool('dump_scores', False, 'If True, sampled traces after scoring are dumped.')
flags.DEFINE_string('load_path', None, 'Path to load initial checkpoint from.')


def main(_):
    got({flag.name: flag.value for flag in FLAGS.get_key_flags_for_module('__main__')})
    for step in range(1, 11):
        print(f"total_timesteps: {step * FLAGS.num_timesteps // 10} episode_reward: {step / 10}")


if __name__ == '__main__':
    app.run(main)
