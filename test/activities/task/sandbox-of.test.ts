import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { sandboxOf, exposureOf } from '../../../activities/task/sandbox-of.ts';
import { TASK } from '../../cli/support/lineage.ts';

/** What a run of `x` gets where that line is written code or not. */
const modeOf = (of: { proposer: string; written?: boolean; sandbox?: 'none'; candidateId?: null }) =>
  sandboxOf(
    { trial: { hasForeignEdits: () => Promise.resolve(of.written === true) } },
    of.sandbox ? { ...TASK, run: { ...TASK.run, sandbox: of.sandbox } } : TASK,
    { proposer: of.proposer, researchId: 'a', candidateId: of.candidateId === null ? null : 'x' },
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
] as const)('a sandbox is %s', async (_, of, mode) => {
  expect(await modeOf(of)).toBe(mode);
});

test('a pool whose protections cannot be found out says nothing of them, and that is logged', async () => {
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
