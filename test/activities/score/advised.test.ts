import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { addRunAdvice, addEvaluatorAdvice } from '../../../activities/score.ts';
import type { ScoreContext } from '../../../activities/score/score-context.ts';
import type { FoundTool } from '../../../domain/tools/advice.ts';
import type { Failure, TrialKind } from '../../../domain/trial.ts';
import { TASK } from '../../cli/support/lineage.ts';

const FOUND: FoundTool = { folder: '/me/venv/bin', version: '3.12.1', userSite: null, closed: null, refused: null };
const LINE = 'In task.yaml, under run, add:  path: [/me/venv/bin]';
const LOG = "Traceback:\nModuleNotFoundError: No module named 'numpy'\n";

/** A run on this machine, which finds every tool, and the arguments of the searches. */
function contextOf(change: { kind?: TrialKind; host?: string; find?: () => Promise<never> } = {}) {
  const { kind = 'baseline', host = 'here' } = change;
  const asked: unknown[] = [];
  const find = async (missing: unknown, places: unknown) => {
    asked.push(missing, places);
    return { found: [FOUND], pythons: ['3.12.1'] };
  };
  const context = {
    deps: {
      hosts: {
        computeOf: () => ({ locateMissing: change.find ?? find }),
        isOwnHost: (name: string) => name === 'here',
      },
    },
    trial: { kind },
    version: { task: TASK },
    run: { host, logTail: LOG },
    end: { exitCode: 1 },
  } as unknown as ScoreContext;
  return { context, asked };
}

const failure: Failure = { label: 'exit-code', message: 'exit code 1' };

test('the failure of an unmodified version ends with the place of the missing tool', async () => {
  const { context, asked } = contextOf();
  const { message } = await addRunAdvice(context, failure);
  expect(message).toMatch(/^exit code 1\nnumpy is in the Python 3\.12\.1 of \/me\/venv\/bin/);
  expect(message).toContain(LINE);
  expect(asked).toEqual([
    { kind: 'python', name: 'numpy' },
    { path: TASK.run.path, beside: [] },
  ]);
});

test('a proposal, and a run that failed for another reason, get no advice', async () => {
  const proposal = contextOf({ kind: 'search' });
  expect(await addRunAdvice(proposal.context, failure)).toEqual(failure);
  const other: Failure = { label: 'out-of-memory', message: 'stopped' };
  const { context, asked } = contextOf();
  expect(await addRunAdvice(context, other)).toEqual(other);
  expect([...proposal.asked, ...asked]).toEqual([]);
});

test('a machine that cannot be asked takes nothing from the failure', async () => {
  const { context } = contextOf({ find: () => Promise.reject(new Error('away')) });
  expect(await new MockActivityEnvironment().run(() => addRunAdvice(context, failure))).toEqual(failure);
});

test('the failure of an evaluator gets advice, too, on this machine alone', async () => {
  const scored = {
    ok: false,
    status: 'crashed',
    failure: { label: 'evaluator-failed', message: 'got 1' },
    notes: LOG,
  } as const;
  expect(await addEvaluatorAdvice(contextOf().context, scored)).toMatchObject({
    failure: { message: expect.stringContaining(LINE) as unknown },
    notes: LOG,
  });
  expect(await addEvaluatorAdvice(contextOf({ host: 'box' }).context, scored)).toEqual(scored);
});
