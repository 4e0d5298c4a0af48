import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { proposeByDraw } from '../../../activities/propose/by-draw.ts';
import type { ProposeContext } from '../../../activities/propose/types.ts';
import { candidateContent } from '../../../domain/trial/candidate.ts';
import { turnKnob } from '../../../domain/search/proposer/turn-knob.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const files = (x: number): Record<string, string> => ({ 'a.js': `const X = ${x};\n` });
const idOf = (x: number): string => sha256(candidateContent(files(x), 'i'));

/** A knob of three values that stands at 1, in a research that knows some candidates; `asked` takes how many it is asked of. */
function contextOf(seed: number, known: string[], asked: number[] = []): ProposeContext {
  const store = {
    trial: {
      findKnown: ({ candidateIds }: { candidateIds: string[] }) => {
        asked.push(candidateIds.length);
        return Promise.resolve(candidateIds.filter((id) => known.includes(id)));
      },
    },
  };
  const knobs = [{ file: 'a.js', name: 'X', type: 'choice', values: [1, 2, 3] }];
  const version = { task: { knobs }, immutableHash: 'i', mutablePaths: ['a.js'] };
  return {
    deps: {
      store,
      machine: { sha256 },
    },
    trial: { seed },
    version,
    files: files(1),
  } as unknown as ProposeContext;
}

const byKnob = (context: ProposeContext) => proposeByDraw(context, turnKnob);
const proposed = async (seed: number, known: string[]): Promise<string> => {
  const proposal = await byKnob(contextOf(seed, known));
  if (!proposal.ok) throw new Error(proposal.failure.message);
  return proposal.proposed.files['a.js'] ?? '';
};

describe('the random proposer', () => {
  const seeds = Array.from({ length: 40 }, (_, i) => i + 1);

  test('draws by the seed alone where nothing is known', async () => {
    const first = await Promise.all(seeds.map((seed) => proposed(seed, [])));
    expect(await Promise.all(seeds.map((seed) => proposed(seed, [])))).toEqual(first);
    expect(new Set(first)).toEqual(new Set(['const X = 2;\n', 'const X = 3;\n']));
  });

  test('draws again where the candidate has run before', async () => {
    const drawn = await Promise.all(seeds.map((seed) => proposed(seed, [idOf(2)])));
    // Eight draws of two values: one in 256 finds nothing else.
    expect(drawn.filter((text) => text === 'const X = 2;\n').length).toBeLessThan(4);
  });

  test('makes the other draws only where the first is known', async () => {
    const asked: number[] = [];
    await byKnob(contextOf(1, [], asked));
    expect(asked).toEqual([1]);
    await byKnob(contextOf(1, [idOf(2), idOf(3)], asked));
    expect(asked).toEqual([1, 1, 7]);
  });

  test('proposes what is known where nothing else is left', async () => {
    const known = [idOf(2), idOf(3)];
    expect(await proposed(1, known)).toBe(await proposed(1, []));
  });
});
