import { mutableOnly } from '../../../domain/edit/scope/edit-scope.ts';
import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createProposeActivities } from '../../../activities/propose.ts';
import { proposeByDraw } from '../../../activities/propose/draw/by-draw.ts';
import { injectProposal } from '../../../activities/research/inject-proposal.ts';
import { sha256 } from '../../../db/blobs.ts';
import * as schema from '../../../db/schema.ts';
import { proposalJobOf } from '../../../domain/agent/proposal-job.ts';
import { setKnobs } from '../../../domain/edit/set-knobs.ts';
import { MAKERS } from '../../../domain/search/proposer/makers.ts';
import { NEIGHBOURS, PERSON } from '../../../domain/search/proposer/table.ts';
import { hashOf, storeTrials, trialRow } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';
import { fileWith, KNOB, knobResearch } from '../../support/database/knob-research.ts';

const bench = useDatabase();
const { open, propose: insertProposal } = knobResearch(bench);

const ANSWER = `HYPOTHESIS: larger\n\ntrain.mjs\n\`\`\`\`\n${fileWith(2)['train.mjs']}\`\`\`\`\n`;
const SAMPLE = {
  finishReason: 'stop',
  policyVersion: 'base',
  promptIds: [1],
  completionIds: [2],
  logprobs: [-1],
  offsets: [0],
};
const USAGE = { model: 'm', tokensIn: 1, tokensOut: 1, latencySeconds: 1 };

/** A worker whose model, policy and optimizer answer with a value of the knob. */
const deps = (): ActivityDeps =>
  ({
    store: bench.store,
    machine: { sha256: hashOf },
    reach: () => undefined,
    pools: { hardware: async () => [], programs: async () => [] },
    models: {
      llm: {
        complete: async () => ({ text: ANSWER, finishReason: 'stop', refusal: null, ...USAGE }),
        promptLimit: () => null,
      },
      llmModel: 'm',
      priceOf: () => null,
    },
    optimizer: { ask: async () => [4] },
    policy: { sample: async () => ({ ...SAMPLE, text: ' 3', latencySeconds: 1 }) },
  }) as unknown as ActivityDeps;

/** The knobs that are stored with a candidate, and the value in its file. */
async function storedOf(researchId: string, candidateId: string) {
  const rows = await bench.db.query.observations.findMany({
    where: eq(schema.observations.researchId, researchId),
  });
  const files = await bench.store.trial.loadCandidateFiles(candidateId);
  const value = Number(/^const LR = (.*);\n$/.exec(files['train.mjs'] ?? '')?.[1]);
  return { row: rows.find((row) => row.candidateId === candidateId), value };
}

/** Stores the ended job of an agent that left the file with another value. */
async function endAgent(trialId: string): Promise<void> {
  const id = proposalJobOf(trialId);
  const spec = { shape: 'to-an-end' } as const;
  await bench.store.job.openJob({ id, kind: 'proposal', taskHash: 'knobby', pool: 'agents', priority: 3, spec });
  await bench.store.job.closeJob(id, { why: 'ended', detail: null });
  const content = Buffer.from(fileWith(5)['train.mjs'] ?? '');
  const end = { reason: 'exit', exitCode: 0, signal: null, tooLarge: [], changed: [] };
  await bench.db.insert(schema.runs).values({ jobId: id, placement: 0, host: 'h', slotId: 's', fence: 1, end });
  await bench.db.insert(schema.blobs).values({ hash: sha256(content), content });
  await bench.db
    .insert(schema.artefacts)
    .values({ jobId: id, placement: 0, path: 'train.mjs', blobHash: sha256(content), size: content.length });
}

test.each(MAKERS)('a proposal of %s is stored with its knobs', async (proposer) => {
  await open(proposer);
  await bench.db.update(schema.researches).set({ proposer }).where(eq(schema.researches.id, proposer));
  const settings = { replay: { from: 'replayed' } }[proposer];
  if (settings !== undefined) {
    await open('replayed');
    await insertProposal('replayed', 1, 6);
  }
  const chosen = settings === undefined ? {} : { proposer, proposerSettings: settings };
  await storeTrials(bench.db, trialRow(proposer, 1, { taskHash: 'knobby', parentId: null, ...chosen }));
  if (proposer === 'command') await endAgent(`${proposer}/1`);
  const { propose } = createProposeActivities(deps());
  expect(await new MockActivityEnvironment().run(propose, { trialId: `${proposer}/1` })).toEqual({ state: 'ready' });
  const { candidateId } = await bench.store.trial.loadTrial(`${proposer}/1`);
  const { row, value } = await storedOf(proposer, candidateId ?? '');
  expect(row).toMatchObject({ proposer, knobs: { [KNOB]: value }, seq: null });
  expect(value).not.toBeNaN();
});

test('a proposal from neighbours is stored with its knobs, under that name', async () => {
  await open(NEIGHBOURS);
  for (const n of [1, 2])
    await storeTrials(bench.db, trialRow(NEIGHBOURS, n, { taskHash: 'knobby', proposer: 'random' }));
  const version = await bench.store.task.loadTaskVersion('knobby');
  const propose = async (n: number) =>
    proposeByDraw(
      {
        deps: deps(),
        version,
        scope: mutableOnly(['train.mjs']),
        files: fileWith(0.1),
        signal: new AbortController().signal,
        trial: await bench.store.trial.loadTrial(`${NEIGHBOURS}/${n}`),
      },
      {
        name: 'stuck',
        onKnown: 'neighbours',
        draw: ({ knobs, files }) =>
          setKnobs(
            knobs.map((knob) => ({ knob, value: 5 })),
            files,
          ),
      },
    );
  await propose(1);
  const trial = await propose(2);
  if ('rejected' in trial) return expect.unreachable(trial.rejected.message);
  const { row, value } = await storedOf(NEIGHBOURS, trial.candidateId ?? '');
  expect(row).toMatchObject({ proposer: NEIGHBOURS, knobs: { [KNOB]: value } });
  expect(value).not.toBe(5);
});

test("a person's idea is stored with its knobs when it is injected", async () => {
  await open(PERSON);
  const asked = { researchId: PERSON, key: 'k', hypothesis: 'larger', files: fileWith(7) };
  expect(await injectProposal(deps(), asked)).toBeNull();
  const [candidateId = ''] = await bench.store.research.findInjected(PERSON);
  expect(await storedOf(PERSON, candidateId)).toMatchObject({
    row: { proposer: PERSON, knobs: { [KNOB]: 7 } },
    value: 7,
  });
});
