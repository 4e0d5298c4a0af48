import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { untilAllStopped } from '../../support/e2e/cases.ts';
import { startTestStack, type TestStack } from '../../support/stack.ts';
import { writeTask } from '../../support/tasks.ts';

/** Shell line that computes for this many CPU seconds, however much the task allows. */
const burn = (seconds: number): string =>
  `node -e 'let used; do used = process.cpuUsage(); while (used.user + used.system < ${seconds}e6)'`;
const ANSWER = 'read -r question; cat model hidden 2> /dev/null | wc -c\n';

/**
 * Files of each candidate, by its behaviour. No candidate may gain by more compute than the task allows, or by files
 * that it hides.
 */
const CANDIDATES: Record<string, Record<string, string>> = {
  honest: { 'run.sh': `${burn(0.3)}\necho 34 > model\n` },
  'ignores the clock': { 'run.sh': `${burn(4)}\necho 34 > model\n` },
  'leaves children to nobody': {
    'run.sh':
      `perl -e '$SIG{CHLD} = "IGNORE"; for (1 .. 5) { my $pid = fork; ` +
      'if (!$pid) { do { my $n = 0; $n += $_ for 1 .. 100000 } while (times)[0] < 1.5; exit 0 } ' +
      `1 while kill(0, $pid) && select(undef, undef, undef, .01) == 0 }'\necho 34 > model\n`,
  },
  'trains while it answers': { 'run.sh': 'echo 34 > model\n', 'answer.sh': `${burn(4)}\n${ANSWER}` },
  'hides what it learned': { 'run.sh': 'echo 34 > model; head -c 5000000 /dev/zero > hidden\n' },
};

interface Ended {
  did: string;
  status: string;
  failure: string | null;
  value: number | null;
  metrics: Record<string, number>;
  used: number;
  answered: number | null;
}

describe('compute and size that a task allows', () => {
  let stack: TestStack;
  let ended: Map<string, Ended>;

  beforeAll(async () => {
    stack = await startTestStack();
    await stack.startWorker({ slots: 1 });
    const task = await writeTask(join(stack.home, 'tasks', 'spends'), {
      task: {
        mutable: ['run.sh', 'answer.sh', 'knobs.env'],
        run: {
          command: 'sh run.sh',
          // The core may be shared; the unmodified version needs less than this second.
          budget: { seconds: 1, kind: 'reference', most: 2 },
          timeoutSeconds: 120,
          artefacts: [{ path: 'model', maxMb: 0.001 }],
        },
        evaluator: { type: 'interactive', command: 'sh ask.sh', answer: 'sh answer.sh', roundSeconds: 60 },
      },
      files: {
        'workspace/run.sh': 'echo 34 > model\n',
        'workspace/answer.sh': ANSWER,
        'evaluator/ask.sh': `echo go; read -r bytes
cpu=$(sed 's/.*"cpuSeconds":\\([0-9.e-]*\\).*/\\1/' runtime.json)
printf '{"score": -%s, "cpu": %s}' "$bytes" "$cpu" >&3
`,
      },
    });
    const names = Object.keys(CANDIDATES);
    await stack.startResearch('spends', { task, window: 1, budget: { trials: names.length } });
    const handle = stack.client.workflow.getHandle('spends');
    for (const hypothesis of names) await handle.signal('inject', { files: CANDIDATES[hypothesis], hypothesis });
    await untilAllStopped(stack, ['spends'], 300);
    const rows = await stack.query<Ended & Record<string, unknown>>(
      `select hypothesis as did, status, failure, value, metrics, ("end"->>'cpuSeconds')::float8 as used,
         ("end"->>'answerCpuSeconds')::float8 as answered
       from trials join runs on runs.trial_id = trials.id and runs.placement = trials.placement
       where research_id = 'spends' and kind = 'injected'`,
    );
    ended = new Map(rows.map((row) => [row.did, row]));
  });
  afterAll(() => stack.stop());

  test('are given to the evaluator, and stored with the run', () => {
    const { metrics, used, answered, ...honest } = ended.get('honest') as Ended;
    expect(honest).toMatchObject({ status: 'completed', failure: null, value: -3 });
    expect(metrics.cpu).toBeCloseTo(used, 6);
    expect(used).toBeGreaterThan(0.25);
    expect(answered).toBeGreaterThanOrEqual(0);
  });

  test.each(['ignores the clock', 'leaves children to nobody', 'trains while it answers'])(
    'end the run of a candidate as cpu-time if it %s',
    (did) => expect(ended.get(did)).toMatchObject({ status: 'timed_out', failure: 'cpu-time', value: null }),
  );

  test('let the answering program see only the files that the task names', () => {
    expect(ended.get('hides what it learned')).toMatchObject({ status: 'completed', value: -3 });
  });
});
