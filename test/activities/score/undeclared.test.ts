import { expect, test } from 'vitest';
import { withUndeclared } from '../../../activities/score/ask-evaluator.ts';
import type { Task } from '../../../domain/task/task.ts';
import type { Failure, TrialKind } from '../../../domain/trial.ts';

const told = (change: { kind?: TrialKind; label?: Failure['label']; artefacts?: Task['run']['artefacts'] } = {}) => {
  const { kind = 'baseline', label = 'candidate-protocol', artefacts = [] } = change;
  const task = { evaluator: { type: 'interactive' }, run: { artefacts } } as unknown as Task;
  return withUndeclared({ label, message: 'it said nothing' }, { task, kind }).message;
};

test('an unmodified version that cannot answer, of a task that declares no artefacts, is told what it may miss', () => {
  expect(told()).toBe(
    'it said nothing (of what its run left, the answering program sees only the files that run.artefacts declares, and the task declares none)',
  );
});

test('a candidate, a task that declares artefacts, and another failure are told as they are', () => {
  expect(told({ kind: 'search' })).toBe('it said nothing');
  expect(told({ artefacts: [{ path: 'model', maxMb: 1 }] })).toBe('it said nothing');
  expect(told({ label: 'out-of-memory' })).toBe('it said nothing');
});
