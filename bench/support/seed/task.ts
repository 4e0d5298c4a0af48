import { stringify } from 'yaml';
import { Task, type TaskInput } from '../../../domain/task/task.ts';
import { FIRST_DESIGN, filesOf } from './design.ts';

/** Budget of a run in seconds. */
export const RUN_SECONDS = 120;

/** Samples of a batch and of a group, if the research learns. */
export const BATCH = 16;
export const GROUP = 8;

interface Options {
  pool: string;
  learns: boolean;
}

/** The task of a seeded research: training a small language model for two minutes. */
export function seedTask({ pool, learns }: Options): { name: string; task: Task; yaml: string } {
  const name = learns ? 'nano-lm-policy' : 'nano-lm';
  const input: TaskInput = {
    name,
    description: 'Train a small language model for two minutes; the score is its loss on text that it has not seen.',
    mutable: ['config.yaml', 'train.py'],
    run: {
      command: 'python train.py',
      budget: { seconds: RUN_SECONDS, kind: 'wall' },
      artefacts: [{ path: 'model.pt' }],
      resources: { pool },
    },
    metric: { name: 'val_loss', direction: 'minimize', unit: 'nats', optimum: 2.55 },
    secondary: [{ name: 'accuracy', direction: 'maximize' }],
    progress: { pattern: 'step (?<step>\\S+) loss (?<value>\\S+)', value: 'train_loss', steps: 1000 },
    evaluator: { type: 'artefact', command: 'python score.py' },
    search: learns ? LEARNING : { proposer: 'llm' },
    ...(learns ? { references: [{ name: 'a person in a day', value: 0.08 }] } : {}),
  };
  return { name, task: Task.parse(input), yaml: stringify(input) };
}

const LEARNING: TaskInput['search'] = {
  proposer: { name: 'policy', answers: 'edits', maxTokens: 400 },
  update: { name: 'grpo', batch: BATCH, group: GROUP },
  context: 'none',
  reward: { name: 'improvement' },
};

/** The files of the workspace, with the mutable ones of the unmodified candidate. */
export const workspaceFiles = (): Record<string, string> => ({
  ...filesOf(FIRST_DESIGN),
  'model.py': '# The parts of the network; not to be changed.\nfrom torch import nn\n',
  'README.md': '# nano-lm\n\nTrained on one GPU for two minutes.\n',
});
