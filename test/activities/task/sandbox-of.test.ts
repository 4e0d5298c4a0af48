import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { sandboxOf, exposureOf } from '../../../activities/task/sandbox-of.ts';
import { TASK } from '../../cli/support/lineage.ts';

/** The sandbox of a run of `x`, whose lineage has written code or not. */
const modeOf = (run: { proposer: string; written?: boolean; sandbox?: 'none'; candidateId?: null }) =>
  sandboxOf(
    { trial: { hasForeignEdits: () => Promise.resolve(run.written === true) } },
    run.sandbox ? { ...TASK, run: { ...TASK.run, sandbox: run.sandbox } } : TASK,
    { proposer: run.proposer, researchId: 'a', candidateId: run.candidateId === null ? null : 'x' },
  );

test.each([
  ['required where a model proposes', { proposer: 'llm' }, 'required'],
  [
    'required where a model proposes, before there is any candidate',
    { proposer: 'llm', candidateId: null },
    'required',
  ],
  ['preferred where only declared knobs change', { proposer: 'random' }, 'preferred'],
  ['preferred where only declared knobs will change', { proposer: 'random', candidateId: null }, 'preferred'],
  ['required where knobs of written code change', { proposer: 'random', written: true }, 'required'],
  ['what the task says, whoever proposes', { proposer: 'llm', sandbox: 'none' }, 'none'],
  ['what the task says, whatever was written', { proposer: 'random', written: true, sandbox: 'none' }, 'none'],
] as const)('a sandbox is %s', async (_, run, mode) => {
  expect(await modeOf(run)).toBe(mode);
});

test('a pool whose protections cannot be determined brings no alert, and a warning in the log', async () => {
  const logged: [string, unknown][] = [];
  const note = (message: string, fields?: unknown): void => void logged.push([message, fields]);
  const silent = (): void => undefined;
  const logger = { log: silent, trace: silent, debug: silent, info: silent, warn: note, error: silent };
  const pools = { protections: () => Promise.reject(new Error('no such pool')) };
  const found = await new MockActivityEnvironment(undefined, { logger }).run(() =>
    exposureOf({ pools }, TASK, 'preferred'),
  );
  expect(found).toEqual({ exposure: null, alert: null });
  expect(logged).toMatchObject([
    ['cannot determine what runs could reach', { task: 'toy', error: 'Error: no such pool' }],
  ]);
});
