import { expect, test } from 'vitest';
import { sandboxOf } from '../../../activities/task/sandbox-of.ts';
import { TASK } from '../../cli/support/lineage.ts';

/** What a run of `x` gets where that line is written code or not. */
const modeOf = (of: { proposer: string; written?: boolean; sandbox?: 'none'; candidateId?: null }) =>
  sandboxOf(
    { trial: { isWrittenCode: () => Promise.resolve(of.written === true) } },
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
