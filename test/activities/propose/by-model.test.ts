import { expect, test } from 'vitest';
import { proposeByModel } from '../../../activities/propose/by-model.ts';
import type { ProposeContext } from '../../../activities/propose/propose-context.ts';
import type { KnownCandidate } from '../../../db/trial/prompt-input/known-candidates.ts';
import type { Research } from '../../../db/research/research.ts';
import { mutableOnly } from '../../../domain/edit/scope/edit-scope.ts';
import { candidateContent } from '../../../domain/trial/candidate.ts';

const files = (x: number): Record<string, string> => ({ 'a.js': `const X = ${x};\n` });
const idOf = (content: Record<string, string>): string => candidateContent(content, 'i');
const answer = (x: number): string => `HYPOTHESIS: x\n\na.js\n\`\`\`\`\nconst X = ${x};\n\`\`\`\`\n`;
const gave = (n: number, value: number): KnownCandidate => ({
  n,
  value,
  status: 'completed',
  failure: null,
  failureMessage: null,
});

/** Proposes by answers that are stored already, in a research that knows some values of X. */
async function proposed(
  answers: string[],
  known: ReadonlyMap<number, KnownCandidate>,
  more: { attempts?: number; novelty?: unknown; siblings?: number[] } = {},
) {
  const { attempts = answers.length, novelty = 'exact', siblings = [] } = more;
  const read: number[] = [];
  const unused: unknown[] = [];
  const byId = new Map([...known].map(([x, row]) => [idOf(files(x)), row]));
  const store = {
    call: {
      findCall: ({ turn }: { turn: number }) => {
        read.push(turn);
        const outcome = { finishReason: 'stop', refusal: null };
        return Promise.resolve({ answer: answers[turn] ?? '', outcome, protocol: null });
      },
      saveUnused: ({ why }: { why: string }) => Promise.resolve(void unused.push(why)),
    },
    trial: {
      findKnownCandidate: ({ candidateId }: { candidateId: string }) => Promise.resolve(byId.get(candidateId)),
      findWithoutSameness: () => Promise.resolve([]),
      findSameCandidate: () => Promise.resolve(undefined),
      findSiblings: () => Promise.resolve(siblings.map((x) => idOf(files(x)))),
      loadCandidates: (ids: readonly string[]) =>
        Promise.resolve(ids.map((id) => files(siblings.find((x) => idOf(files(x)) === id) ?? 0))),
    },
  };
  const version = {
    task: { llm: { attempts }, metric: { name: 'loss' }, search: { context: 'history', novelty } },
    immutableHash: 'i',
    mutablePaths: ['a.js'],
  };
  const context = {
    deps: {
      store,
      machine: { sha256: (text: string) => text },
      syntax: {
        readAll: (all: Record<string, string>) =>
          Promise.resolve(Object.fromEntries(Object.entries(all).map(([path, text]) => [path, { text }]))),
      },
    },
    trial: { id: 't', kind: 'search', operator: null, firstTurn: 0, proposer: 'llm', proposerSettings: {} },
    version,
    scope: mutableOnly(['a.js']),
    files: files(1),
    signal: new AbortController().signal,
  } as unknown as ProposeContext;
  const proposal = await proposeByModel(context, { research: {} as Research, settings: {} });
  return { proposal, turns: read.length, unused };
}

test('an answer that was tried before is asked again, and the next new one is taken', async () => {
  const { proposal, turns, unused } = await proposed([answer(2), answer(3), answer(4)], new Map([[2, gave(7, 2.634)]]));
  expect(proposal).toMatchObject({ ok: true, proposed: { files: files(3) } });
  expect([turns, unused]).toEqual([2, ['duplicate']]);
});

test('the last answer stands if every answer was tried before, and ends as a copy', async () => {
  const known = new Map([
    [2, gave(7, 2.634)],
    [3, gave(8, 2.7)],
  ]);
  expect((await proposed([answer(2), answer(3)], known)).proposal).toMatchObject({
    ok: true,
    proposed: { files: files(3) },
  });
  expect((await proposed([answer(2), 'no edit'], known)).proposal).toMatchObject({
    ok: true,
    proposed: { files: files(2) },
  });
});

test('a change much like one of its siblings is asked again, and runs if no other answer is new', async () => {
  const known = new Map([[21, gave(7, 2.634)]]);
  const near = { novelty: { name: 'near', threshold: 0.9 }, siblings: [21] };
  const { proposal, turns, unused } = await proposed([answer(22), answer(987654321)], known, near);
  expect(proposal).toMatchObject({ ok: true, proposed: { files: files(987654321) } });
  expect([turns, unused]).toEqual([2, ['duplicate']]);
  const last = await proposed([answer(22), answer(21)], known, near);
  expect(last.proposal).toMatchObject({ ok: true, proposed: { files: files(22) } });
  const loose = { ...near, novelty: { name: 'near', threshold: 1 } };
  expect((await proposed([answer(22), answer(23)], known, loose)).turns).toBe(1);
  expect((await proposed([answer(22), answer(23)], known, { siblings: [21] })).turns).toBe(1);
});
