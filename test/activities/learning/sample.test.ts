import { hostname } from 'node:os';
import { readTrialPage } from '../../../db/reads/page/trial/read-trial-page.ts';
import { readWait } from '../../../db/reads/status/read-wait.ts';
import { mutableOnly } from '../../../domain/edit/scope/edit-scope.ts';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { proposeByPolicy } from '../../../activities/propose/policy/by-policy.ts';
import type { Proposal, ProposeContext } from '../../../activities/propose/propose-context.ts';
import type { Knob } from '../../../domain/knob/knob.ts';
import { PolicyError, type Policy, type SampleRequest } from '../../../infra/policy.ts';
import { hashOf, TASK } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { search, useLearning, GRPO } from './support/learning.ts';

const bench = useDatabase();
const { learning, begun } = useLearning(bench);

const LR: Knob = { file: 'train.mjs', name: 'LR', type: 'float', range: [0.01, 1], scale: 'log' };
const SETTINGS = { base: 'any', answers: 'knobs', maxTokens: 8, stop: ['\n'], deadlineSeconds: 60 };
const DRAWN = {
  finishReason: 'stop',
  policyVersion: 'base',
  promptIds: [1, 2],
  completionIds: [3],
  logprobs: [-1],
  offsets: null,
};

/** The proposal of a trial, drawn by `sample`. */
async function proposal(id: string, n: number, sample: Policy['sample'], attempt = 1): Promise<Proposal> {
  const trial = await bench.store.trial.loadTrial(`${id}/${n}`);
  const research = await bench.store.research.findResearch(id);
  const context = {
    deps: {
      store: bench.store,
      policy: { sample, checkpoints: { folder: (key: string) => `/c/${key}` } },
      reach: () => undefined,
    },
    version: { task: { ...TASK, knobs: [LR], search: search(GRPO) }, prompt: 'Choose.', mutablePaths: ['train.mjs'] },
    trial,
    scope: mutableOnly(['train.mjs']),
    files: { 'train.mjs': 'const LR = 0.1;\n' },
    signal: new AbortController().signal,
  } as unknown as ProposeContext;
  const workflowExecution = { workflowId: trial.id, runId: 'run' };
  const environment = new MockActivityEnvironment({ attempt, workflowExecution });
  return environment.run(() => proposeByPolicy(context, { research: research!, settings: SETTINGS }));
}

const drawing =
  (text: string, asked: SampleRequest[] = []) =>
  async (request: SampleRequest) => {
    asked.push(request);
    return { ...DRAWN, text, latencySeconds: 1 };
  };

test('a sample is drawn once, read with the part of the prompt that belongs to it, and never drawn again', async () => {
  await learning('once');
  await begun('once', 1);
  const asked: SampleRequest[] = [];
  const first = await proposal('once', 1, drawing(' 0.5', asked));
  expect(first).toMatchObject({ ok: true, proposed: { files: { 'train.mjs': 'const LR = 0.5;\n' } } });
  expect(await proposal('once', 1, drawing(' 0.9', asked))).toEqual(first);
  expect(asked).toMatchObject([{ version: null, prompt: { form: 'text', text: 'Choose.\n\nLR =', start: 'LR =' } }]);
  expect((await bench.store.research.findResearch('once'))?.tokens).toBe(3);
});

test('a sample ends at the stop texts, and has the number of tokens that decide its answer', async () => {
  await learning('masked');
  const asked: SampleRequest[] = [];
  const countsOf = async (n: number, text: string) => {
    await begun('masked', n);
    const tokens = { completionIds: [3, 4, 5, 6], logprobs: [-1, -1, -1, -1], offsets: [0, 1, 4, 5] };
    const sample = drawing(text, asked);
    await proposal('masked', n, async (request) => ({ ...(await sample(request)), ...tokens }));
    const { valueTokens, answerTokens } = (await bench.store.learning.findRollout(`masked/${n}`)) ?? {};
    return [valueTokens, answerTokens];
  };
  expect(await countsOf(1, ' 0.5\nand')).toEqual([2, 3]);
  expect(await countsOf(2, ' low and')).toEqual([null, null]);
  expect(asked.map(({ stop }) => stop)).toEqual([['\n'], ['\n']]);
});

test('the members of a group have one prompt, and another version only with another group', async () => {
  await learning('grouped');
  const asked: SampleRequest[] = [];
  for (const n of [1, 2, 3]) {
    if (n === 3) {
      await bench.db.execute(`insert into updates (research_id, k, state, batch, step_key, checkpoint)
        values ('grouped', 1, 'done', '[]', 'key', '${hashOf('one')}')`);
      await bench.store.learning.setPolicy('grouped', { inForce: 1 });
    }
    await begun('grouped', n);
    await proposal('grouped', n, drawing(' 0.5', asked));
  }
  const made = { path: '/c/key', sha256: hashOf('one') };
  expect(asked.map(({ version }) => version)).toEqual([null, null, made]);
});

test('an answer with the values of the parent is a known candidate, not a failure', async () => {
  await learning('same');
  await begun('same', 1);
  expect(await proposal('same', 1, drawing(' 0.1'))).toMatchObject({
    ok: true,
    proposed: { files: { 'train.mjs': 'const LR = 0.1;\n' }, edits: [] },
  });
});

test('a refused sample costs its trial; a server that is down is reported at the third attempt', async () => {
  await learning('away');
  await begun('away', 1);
  const fails = (kind: 'refused' | 'down') => () => Promise.reject(new PolicyError('over-long', { kind }));
  await expect(proposal('away', 1, fails('down'), 2)).rejects.toMatchObject({ type: 'EndpointDown' });
  expect((await bench.store.research.findResearch('away'))?.endpointDown).toBeNull();
  await expect(proposal('away', 1, fails('down'), 3)).rejects.toMatchObject({ type: 'EndpointDown' });
  expect((await bench.store.research.findResearch('away'))?.endpointDown).toBe('policy: over-long');
  expect(await proposal('away', 1, fails('refused'), 4)).toEqual({
    ok: false,
    failure: { label: 'proposer-failed', message: 'policy: over-long' },
  });
});

test('while the policy server starts, its progress is what the trial and its research wait for', async () => {
  await learning('slow');
  await begun('slow', 1);
  const progress = 'still converting (20 s, 512 MB so far, 25.6 MB/s)';
  const waits = async (): Promise<string | null | undefined> =>
    (await readWait(bench.db, { researchId: 'slow' })).wait?.why ?? null;
  const drawn = await proposal('slow', 1, async (request, _, tell) => {
    tell?.(progress);
    await expect.poll(waits).toBe(`its policy server on ${hostname()}: ${progress}`);
    const page = await readTrialPage(bench.db, { trialId: 'slow/1', temporal: null });
    expect(page?.waits).toBe(`for its policy server on ${hostname()}: ${progress}`);
    return drawing(' 0.5')(request);
  });
  expect(drawn.ok).toBe(true);
  expect(await waits()).toBeNull();
});
