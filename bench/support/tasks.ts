import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import type { TaskInput } from '../../domain/task/task.ts';

export interface TaskFiles {
  task?: Partial<TaskInput> & Record<string, unknown>;
  /** Path to text, over the defaults. */
  files?: Record<string, string>;
}

/** Files of a task that runs in milliseconds with a shell: the run copies X, the evaluator gives −(X − 7)². */
const DEFAULT_FILES: Record<string, string> = {
  'workspace/knobs.env': 'X=1.5\n',
  'workspace/run.sh': '. ./knobs.env\necho "step 1 loss 2.5"\necho "step 2 loss 1.5"\necho "$X" > out.txt\n',
  'evaluator/score.sh':
    'x=$(cat artefacts/out.txt)\nprintf \'{"score": %s}\' "$(echo "$x" | awk \'{print 0-($1-7)*($1-7)}\')" >&3\n',
};

const SMALL_MB = 64;

/** Writes a small, complete task into a folder and returns the folder. */
export async function writeTask(folder: string, { task = {}, files = {} }: TaskFiles = {}): Promise<string> {
  const yaml: TaskInput = {
    name: 'parabola',
    description: 'Find the top of a parabola.',
    mutable: ['knobs.env'],
    run: {
      command: 'sh run.sh',
      budget: { seconds: 5, kind: 'wall' },
      artefacts: [{ path: 'out.txt' }],
      sandbox: 'preferred',
    },
    metric: { name: 'score', direction: 'maximize', max: 0 },
    progress: { pattern: 'step (?<step>\\S+) loss (?<value>\\S+)' },
    evaluator: { type: 'artefact', command: 'sh score.sh' },
    keep: { policy: 'strict' },
    search: { parent: 'best', proposer: 'random' },
    knobs: [{ file: 'knobs.env', name: 'X', type: 'float', range: [0, 20] }],
    ...task,
  };
  // A small limit lets many runs fit on the disk.
  yaml.run = { ...yaml.run, resources: { diskMb: SMALL_MB, ...yaml.run.resources } };
  for (const [path, text] of Object.entries({ ...DEFAULT_FILES, ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await writeFile(join(folder, 'task.yaml'), stringify(yaml));
  await chmod(folder, 0o755);
  return folder;
}

/** A task whose runs take no time of their own. */
export const noOpTask = (name: string, search: Partial<TaskInput['search']> = {}): Partial<TaskInput> => ({
  name,
  run: {
    command: ': > out.txt',
    budget: { seconds: 60, kind: 'wall' },
    artefacts: [{ path: 'out.txt' }],
    sandbox: 'none',
  },
  evaluator: { type: 'artefact', command: 'echo \'{"score": -1}\' >&3' },
  search: { parent: 'original', proposer: 'random', ...search },
});
