import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { afterAll, describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createPreflightActivities, type PreflightResult } from '../../activities/preflight.ts';
import * as schema from '../../db/schema.ts';
import { Task } from '../../domain/task/task.ts';
import { createEvaluatorSandbox } from '../../infra/compute/local.ts';
import type { Evaluator } from '../../infra/evaluate.ts';
import { createEvaluator } from '../../infra/evaluate/create-evaluator.ts';
import { hashOf, insertResearch, storeTrials, TASK, trialRow } from '../cli/support/lineage.ts';
import { useDatabase } from '../db/support.ts';

const bench = useDatabase();
const base = mkdtempSync(join(tmpdir(), 'perpetua-preflight-'));
const evaluator = createEvaluator({ home: base });
const isSandboxed = await createEvaluatorSandbox({ home: base }).isAvailable();
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Opens a research with these checks and its first trial, whose candidate has this text. */
async function open(id: string, preflight: object, text: string, more: Record<string, string> = {}): Promise<string> {
  await insertResearch(bench.db, id);
  const task = Task.parse({ ...TASK, preflight });
  await bench.db.update(schema.taskVersions).set({ task }).where(eq(schema.taskVersions.hash, 'task-1'));
  const candidateId = hashOf(JSON.stringify([text, more]));
  await bench.store.trial.saveCandidate({ id: candidateId, immutableHash: 'i', files: { 'train.mjs': text, ...more } });
  await storeTrials(bench.db, trialRow(id, 1, { candidateId, readyAt: new Date() }));
  return `${id}/1`;
}

/** An evaluator on a machine whose `python3` cannot be found. */
const withoutPython: Pick<Evaluator, 'check'> = {
  check: (spec, signal) =>
    evaluator.check({ ...spec, command: spec.command.replace(/^python3/, 'no-python3-here') }, signal),
};

function preflight(trialId: string, ofMachine: Pick<Evaluator, 'check'> = evaluator): Promise<PreflightResult> {
  const deps = {
    store: bench.store,
    scoring: { evaluator: ofMachine },
    environments: { ownHost: 'local' },
    reach: () => undefined,
  } as unknown as ActivityDeps;
  return new MockActivityEnvironment().run(createPreflightActivities(deps).preflight, { trialId });
}

const outcomeOf = async (trialId: string) => {
  const { status, failure, failureMessage, seconds } = await bench.store.trial.loadTrial(trialId);
  return { status, failure, failureMessage, seconds };
};

describe('a candidate that does not pass', () => {
  test('by its size takes no slot and ends as rejected, once', async () => {
    const trialId = await open('large', { maxBytes: 5 }, 'const LR = 1;\n');
    const first = await preflight(trialId);
    expect(first).toMatchObject({ state: 'ended', ended: { n: 1, status: 'rejected', slotSeconds: null } });
    expect(await preflight(trialId)).toEqual(first);
    expect(await outcomeOf(trialId)).toMatchObject({ status: 'rejected', failure: 'size-blocked' });
  });

  test.skipIf(!isSandboxed)('the syntax check is rejected with the output of the interpreter', async () => {
    const trialId = await open('syntax', {}, 'const = 1;\n');
    expect(await preflight(trialId)).toMatchObject({ state: 'ended' });
    expect(await outcomeOf(trialId)).toEqual({
      status: 'rejected',
      failure: 'preflight-failed',
      failureMessage: expect.stringMatching(
        /^expected the files to pass the syntax check of JavaScript; it ended with exit code 1: [^]*SyntaxError/,
      ) as string,
      seconds: null,
    });
  });
});

test.skipIf(!isSandboxed)('a new file that the unmodified version lacks is checked, too', async () => {
  const trialId = await open('new-file', {}, 'const LR = 1;\n', { 'lib/new.mjs': 'const = 1;\n' });
  expect(await preflight(trialId)).toMatchObject({ state: 'ended' });
  expect(await outcomeOf(trialId)).toMatchObject({ status: 'rejected', failure: 'preflight-failed' });
});

describe.skipIf(!isSandboxed)('a candidate that passes', () => {
  test('may take a slot, and its commands have the files of the workspace beside its own', async () => {
    const commands = ['grep -q "LR = 2" train.mjs && test "$(ls | wc -l)" -gt 1'];
    const trialId = await open('passes', { forbidden: ['eval'], commands }, 'const LR = 2;\n');
    expect(await preflight(trialId)).toEqual({ state: 'ready' });
    expect(await outcomeOf(trialId)).toMatchObject({ status: null });
  });
});

test.skipIf(!isSandboxed)(
  'the files are those of a run: executable as before, and with originals made mutable since',
  async () => {
    const commands = ['test -x bin/run.sh && test ! -x train.mjs && grep -q "LR = 4" train.mjs'];
    const trialId = await open('laid', { commands }, 'const LR = 4;\n');
    const mutablePaths = ['bin/run.sh', 'train.mjs'];
    const change = (paths: string[]) =>
      bench.db.update(schema.taskVersions).set({ mutablePaths: paths }).where(eq(schema.taskVersions.hash, 'task-1'));
    await change(mutablePaths);
    const result = await preflight(trialId).finally(() => change(['train.mjs']));
    expect(result).toEqual({ state: 'ready' });
  },
);

describe.skipIf(!isSandboxed)('a candidate that adds the first file of a language', () => {
  const added = { 'new.py': 'x = \n' };

  test('is rejected for its syntax', async () => {
    const trialId = await open('first-python', {}, 'const LR = 5;\n', added);
    expect(await preflight(trialId)).toMatchObject({ state: 'ended' });
    expect(await outcomeOf(trialId)).toMatchObject({ failure: 'preflight-failed' });
  });

  test('waits if this machine cannot run the program of its check', async () => {
    const trialId = await open('no-python', {}, 'const LR = 6;\n', added);
    await expect(preflight(trialId, withoutPython)).rejects.toThrow(
      /^preflight: expected python3 --version to work for the syntax check of Python; it ended with exit code 127/,
    );
    expect(await outcomeOf(trialId)).toMatchObject({ status: null });
  });
});

test.skipIf(!isSandboxed)('a check that the unmodified version fails, too, rejects no candidate', async () => {
  const trialId = await open('lacking', { commands: ['no-such-program'] }, 'const LR = 3;\n');
  await expect(preflight(trialId)).rejects.toThrow(
    /^preflight: expected the unmodified version to pass "no-such-program"; it ended with exit code 127/,
  );
  expect(await outcomeOf(trialId)).toMatchObject({ status: null });
});

test.skipIf(!isSandboxed)(
  'the unmodified version of a check ends with the output of the command it fails',
  async () => {
    const trialId = await open('check', { commands: ['cat $PWD/no-such-file'] }, 'const LR = 7;\n');
    await bench.db.update(schema.trials).set({ kind: 'baseline' }).where(eq(schema.trials.id, trialId));
    expect(await preflight(trialId)).toMatchObject({ state: 'ended' });
    expect(await outcomeOf(trialId)).toMatchObject({
      status: 'rejected',
      failure: 'preflight-failed',
      failureMessage:
        'expected the files to pass "cat $PWD/no-such-file"; it ended with exit code 1: ' +
        'cat: no-such-file: No such file or directory',
    });
  },
);
