import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { findHistory } from '../../../db/trial/history.ts';
import { run } from '../../cli/support/cli.ts';
import { envOf } from '../../attacks/support/attacking.ts';
import { untilAllStopped } from '../../support/e2e/cases.ts';
import type { TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

let stack: TestStack;
const hasPython = spawnSync('python3', ['-c', '']).status === 0;

const LABELS = '7 secret-label';
/** Unpickles the guess, which an honest run leaves, and compares it with the label. */
const SCORE = `import json, os, pickle
guess = pickle.load(open('artefacts/model.pkl', 'rb'))
label = float(open('labels.txt').read().split()[0])
os.write(3, json.dumps({'score': -(guess - label) ** 2, 'label': label, 'notes': 'honest'}).encode())
`;
const HONEST = `import pickle
pickle.dump(1.5, open('model.pkl', 'wb'))
`;

/** Leaves a pickle that tries to reach what it should not, and then reports the best score and the labels. */
const hostile = (): string => {
  const { home, temporalAddress } = stack;
  const code = `
import glob, json, os, socket
reached = []
for path in ${JSON.stringify([join(home, 'up.json'), join(home, '*'), '/root/.ssh/*', '/home/*/.ssh/*'])}:
    reached += [found for found in glob.glob(path) if os.path.basename(found) != 'evaluations']
for folder in ${JSON.stringify([home, '/etc', '/usr/lib', '/var/tmp'])}:
    try:
        open(folder + '/written', 'w').close()
        reached.append(folder)
    except OSError:
        pass
try:
    socket.create_connection(('127.0.0.1', ${Number(temporalAddress.split(':')[1])}), 2)
    reached.append('Temporal')
except OSError:
    pass
result = {'score': 0, 'label': 7, 'notes': json.dumps(reached) + ' ' + open('labels.txt').read()}
os.write(3, json.dumps(result).encode())
os._exit(0)
`;
  return `import pickle
class Payload:
    def __reduce__(self):
        return exec, (${JSON.stringify(code)},)
pickle.dump(Payload(), open('model.pkl', 'wb'))
`;
};

const writePickled = (name: string, evaluator: { safeLoad?: boolean } = {}): Promise<string> =>
  writeTask(join(stack.home, 'tasks', name), {
    task: {
      name,
      mutable: ['train.py', 'knobs.env'],
      run: {
        command: 'python3 train.py',
        budget: { seconds: 5, kind: 'wall' },
        artefacts: [{ path: 'model.pkl' }],
        sandbox: 'preferred',
      },
      progress: undefined,
      keep: { policy: 'strict', baselineRuns: 2 },
      evaluator: { type: 'artefact', command: 'python3 score.py', ...evaluator },
    },
    files: { 'workspace/train.py': HONEST, 'evaluator/score.py': SCORE, 'evaluator/labels.txt': LABELS },
  });

export function artefactCodeTests(shared: () => TestStack): void {
  beforeAll(() => {
    stack = shared();
  });

  test.skipIf(!hasPython)(
    'an injected pickle that reports the best score is untrusted, reaches nothing, and tells no prompt the labels',
    async () => {
      const task = await writePickled('pickled');
      await stack.client.workflow.signalWithStart('research', {
        taskQueue: 'perpetua',
        workflowId: 'pickled',
        args: [{ task, tempo: 0.25, window: 1, budget: { trials: 1 } }],
        signal: 'inject',
        signalArgs: [{ files: { 'train.py': hostile() }, hypothesis: 'a pickle' }],
      });
      await untilAllStopped(stack, ['pickled']);
      const trials = await stack.query<Record<string, unknown>>(
        `select n, kind, status, value, trusted, artefact_code, evaluator_notes from trials
         where research_id = 'pickled' and kind in ('baseline', 'injected') order by n`,
      );
      const code = { trusted: false, artefact_code: 'model.pkl (a pickle)' };
      expect(trials).toMatchObject([
        { kind: 'baseline', ...code },
        { kind: 'baseline', ...code },
        { kind: 'injected', status: 'completed', value: 0, ...code, evaluator_notes: `[] ${LABELS}` },
      ]);
      const { json } = await run(['best', 'pickled', '--json'], { env: envOf(stack) });
      expect(json()).toMatchObject([{ value: 0, trusted: false }]);
      const { stdout } = await run(['show', `pickled/${trials[2]?.['n'] as number}`], { env: envOf(stack) });
      expect(stdout).toContain('untrusted: its artefact model.pkl (a pickle) may execute code');
      const { db, close } = connect(stack.databaseUrl, { max: 1, onError: () => undefined });
      try {
        const history = await findHistory(db, { researchId: 'pickled', limit: 5 });
        expect(history).toContainEqual(expect.objectContaining({ value: 0, metrics: null, evaluatorNotes: null }));
        expect(JSON.stringify(history)).not.toContain('secret-label');
      } finally {
        await close();
      }
      // As a migration leaves a research of an older version.
      await stack.query(`update researches set open_evaluator_task = task_hash where id = 'pickled'`);
      await stack.startResearch('pickled', { task });
      await stack.until(
        'an alert on the evaluator',
        `select message like $1 as done, message from alerts where research_id = 'pickled'`,
        ['the evaluator of pickled runs without a sandbox, % To give it one: npx perpetua task pickled %'],
      );
    },
  );

  test.skipIf(!hasPython)('check says that trials of a pickle are untrusted, unless it is loaded safely', async () => {
    const check = async (folder: string) => (await run(['check', folder, '--json'], { env: envOf(stack) })).json();
    const warning = /^pickled-too\/task\.yaml:\d+:\d+ trials are untrusted: the artefact model\.pkl \(a pickle\) may/;
    expect(await check(await writePickled('pickled-too'))).toMatchObject([
      { trial: { trusted: false }, warnings: [expect.stringMatching(warning)] },
    ]);
    const [safe] = (await check(await writePickled('pickled-safe', { safeLoad: true }))) as [{ trial: object }];
    expect(safe).toMatchObject({ trial: { status: 'completed' }, warnings: [] });
    const stored = await stack.query(
      `select artefact_code from trials where task_hash in
         (select hash from task_versions where name = 'pickled-safe')`,
    );
    expect(stored).toMatchObject([{ artefact_code: null }]);
  });
}
