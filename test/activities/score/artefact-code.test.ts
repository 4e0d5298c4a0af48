import { describe, expect, test, vi } from 'vitest';
import { withArtefactCode } from '../../../activities/score/artefact-code.ts';
import { askEvaluator } from '../../../activities/score/ask-evaluator.ts';
import type { ScoreContext } from '../../../activities/score/score-context.ts';
import { findArtefactCode } from '../../../infra/evaluate/artefact/find-artefact-code.ts';
import type { EvaluateSpec } from '../../../infra/evaluate.ts';
import { RUNTIME } from '../../infra/evaluate/runtime.ts';
import { TASK } from '../../cli/support/lineage.ts';

/** `pickle.dumps([os.system], 0)` of Python. */
const PICKLE = '(lp0\ncposix\nsystem\np1\na.';
const END = { cpuSeconds: 1, wallSeconds: 1, maxRssMb: 1, outputBytes: 0, sandboxed: true };

/** Scores a run with this artefact; `hash` is the version of the task. */
async function scored(
  content: string,
  {
    hasSandbox = true,
    openEvaluatorTask = null,
    isOwnHost = false,
    ...evaluator
  }: {
    hasSandbox?: boolean;
    openEvaluatorTask?: string | null;
    isOwnHost?: boolean;
    safeLoad?: boolean;
    network?: boolean;
  } = {},
) {
  const metrics = { [TASK.metric.name]: 2, labels: 42 };
  const evaluate = vi.fn(async (_: EvaluateSpec) => ({ ok: true, evaluation: { metrics, notes: 'said', seconds: 1 } }));
  const context = {
    deps: {
      store: {
        run: { loadArtefacts: async () => [{ path: 'model.pkl', content: Buffer.from(content) }] },
        trial: { loadTrialAndResearch: async () => ({ research: { openEvaluatorTask } }) },
        task: { loadTaskFiles: async () => [] },
      },
      hosts: { isOwnHost: () => isOwnHost },
      scoring: {
        evaluator: { evaluate, findCode: findArtefactCode, hasSandbox: async () => hasSandbox },
        hmac: () => '1',
      },
    },
    trial: { id: 'a/1', candidateId: null, evaluatorSeed: 1, kind: 'search' },
    version: {
      hash: 'version',
      task: {
        ...TASK,
        environment: undefined,
        evaluator: { type: 'artefact', command: 'true', files: 'evaluator', timeoutSeconds: 9, ...evaluator },
      },
    },
    run: { placement: 0, machine: null },
    end: { ...END, ...RUNTIME },
  } as unknown as ScoreContext;
  const score = await askEvaluator(context, new AbortController().signal);
  return { score, given: evaluate.mock.calls[0]?.[0] };
}

describe('an artefact that executes code when loaded', () => {
  test('is scored in the sandbox, without the network that the task asks for', async () => {
    const { score, given } = await scored(PICKLE, { network: true });
    expect(score).toMatchObject({ ok: true, value: 2, artefactCode: 'model.pkl (a pickle)' });
    expect(given).toMatchObject({ network: false, sandbox: 'required' });
  });

  test('keeps network and trust if its task says that nothing executes it, as plain data do', async () => {
    for (const { score, given } of [
      await scored(PICKLE, { network: true, safeLoad: true }),
      await scored('{"guess": 1}', { network: true }),
    ]) {
      expect(score).not.toHaveProperty('artefactCode');
      expect(given).toMatchObject({ network: true });
    }
  });

  test('ends as artefact-executes-code on a machine without a sandbox, and its evaluator does not run', async () => {
    const { score, given } = await scored(PICKLE, { hasSandbox: false });
    expect(score).toMatchObject({ ok: false, status: 'crashed', failure: { label: 'artefact-executes-code' } });
    expect(given).toBeUndefined();
    if (!score.ok) expect(score.failure.message).toContain('evaluator.safeLoad: true');
    expect((await scored('{"guess": 1}', { hasSandbox: false })).score).toMatchObject({ ok: true });
    expect((await scored(PICKLE, { hasSandbox: false, safeLoad: true })).score).toMatchObject({ ok: true });
  });

  test('is never refused for a sandbox that this machine gave its run: the evaluation requires one', async () => {
    const { score, given } = await scored(PICKLE, { hasSandbox: false, isOwnHost: true });
    expect(score).toMatchObject({ ok: true });
    expect(given).toMatchObject({ sandbox: 'required' });
    expect((await scored('{"guess": 1}', { isOwnHost: true })).given).toMatchObject({ sandbox: 'required' });
    expect((await scored('{"guess": 1}')).given).toMatchObject({ sandbox: undefined });
  });

  test('is scored without a sandbox in a research of an older version, until its task changes', async () => {
    const old = await scored(PICKLE, { hasSandbox: false, openEvaluatorTask: 'version' });
    expect(old.score).toMatchObject({ ok: true, artefactCode: 'model.pkl (a pickle)' });
    expect(old.given).toMatchObject({ sandbox: 'none' });
    expect((await scored('1', { openEvaluatorTask: 'version' })).given).toMatchObject({ sandbox: 'none' });
    expect((await scored('1', { openEvaluatorTask: 'another' })).given).toMatchObject({ sandbox: undefined });
  });
});

describe('the words of an evaluator that executed an artefact', () => {
  const failed = (label: 'candidate-protocol' | 'metric-unreadable' | 'evaluator-timeout') =>
    withArtefactCode(
      { ok: false, status: 'crashed', failure: { label, message: 'label 7' }, notes: 'the log' },
      'model.pkl (a pickle)',
    );

  test('are in the notes of a failure, for people, and not in its message, which prompts show', () => {
    for (const label of ['candidate-protocol', 'metric-unreadable'] as const) {
      const scoredFailure = failed(label);
      expect(scoredFailure).toMatchObject({ failure: { label }, notes: 'label 7\nthe log' });
      expect(JSON.stringify({ ...scoredFailure, notes: '' })).not.toContain('label 7');
    }
  });

  test('a limit of Perpetua keeps its message', () => {
    expect(failed('evaluator-timeout')).toMatchObject({ failure: { message: 'label 7' }, notes: 'the log' });
  });
});
