import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLocalCompute } from '../../infra/compute/local.ts';
import { installEnvironment } from '../../infra/trainer/tool-environment.ts';
import { run } from '../cli/support/cli.ts';
import { SIX, findBuildablePython } from '../support/python.ts';
import { startTestStack, type TestStack } from '../support/stack.ts';
import { writeTask } from '../support/tasks.ts';

let stack: TestStack;
let found: Awaited<ReturnType<typeof findBuildablePython>>;

beforeAll(async () => {
  stack = await startTestStack();
  found = await findBuildablePython(createLocalCompute({ home: join(stack.home, 'other'), installation: 'python' }));
  if (found.lacks === null) await stack.startWorker({ slots: 1, env: installEnvironment(process.env) });
});
afterAll(() => stack.stop());

describe('a task with its own Python', () => {
  test('is built by check; run, answering program and evaluator import its packages', async ({ skip }) => {
    skip(found.lacks !== null, found.lacks ?? '');
    const folder = await writeTask(join(stack.home, 'tasks', 'python'), {
      task: {
        name: 'python',
        environment: { python: found.python, lock: 'requirements.lock' },
        run: { command: 'python run.py', budget: { seconds: 20 }, sandbox: 'required' },
        evaluator: { type: 'interactive', command: 'python score.py', answer: 'python answer.py' },
        setup: { commands: ['python -c "import six; print(six.__version__)" > $PERPETUA_DATA/by-setup'] },
      },
      files: {
        'requirements.lock': SIX,
        'workspace/run.py': 'import os, six\nprint("step 1 loss", six.__version__[0])\n',
        'workspace/answer.py': `import os, six
setup_version = open(os.environ["PERPETUA_DATA"] + "/by-setup").read().strip()
os.makedirs(os.environ["XDG_CACHE_HOME"] + "/any")
input()
print(six.__version__ + " " + setup_version, flush=True)
`,
        'evaluator/score.py': `import os, six
print("asked", flush=True)
assert input() == six.__version__ + " 1.17.0"
os.write(3, b'{"score": -3}')
`,
      },
    });
    const { temporalAddress, databaseUrl, home } = stack;
    const env = { TEMPORAL_ADDRESS: temporalAddress, DATABASE_URL: databaseUrl, PERPETUA_HOME: home };
    const { code, stdout, stderr } = await run(['check', folder, '--json'], { env });
    expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
    expect(JSON.parse(stdout)).toMatchObject({ trial: { status: 'completed', value: -3 } });
    const built = await stack.query<{ n: number }>(
      `select count(*)::int as n from task_files where role = 'environment' and path = 'requirements.lock'`,
    );
    expect(built).toEqual([{ n: 1 }]);
  });
});
