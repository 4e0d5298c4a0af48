import { join } from 'node:path';
import type { TestStack } from '../stack.ts';
import { writeTask } from '../tasks.ts';

/** A task in whose workspace a person's commands run, without a sandbox; `data.txt` lies there. */
export const askedTask = ({ home }: Pick<TestStack, 'home'>): Promise<string> =>
  writeTask(join(home, 'tasks', 'asked'), {
    task: {
      name: 'asked',
      run: {
        command: 'sh run.sh',
        budget: { seconds: 60, kind: 'wall' },
        artefacts: [{ path: 'out.txt' }],
        sandbox: 'none',
      },
    },
    files: { 'workspace/data.txt': 'here it is\n' },
  });
