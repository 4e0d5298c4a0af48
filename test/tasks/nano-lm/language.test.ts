import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { TASK } from '../../../bench/tasks/nano-lm/trial.ts';

interface Source {
  truth(): Float64Array;
  next(): number;
}
type Random = () => number;

const load = (file: string): Promise<unknown> => import(pathToFileURL(join(TASK, file)).href);
const { entropyRate } = (await load('evaluator/entropy.mjs')) as { entropyRate: () => number };
const { ENTROPY_RATE } = (await load('evaluator/rate.mjs')) as { ENTROPY_RATE: number };
const { ALPHABET } = (await load('evaluator/lexicon.mjs')) as { ALPHABET: string };
const { randomOf } = (await load('evaluator/random.mjs')) as { randomOf: (label: string) => Random };
const { createSource, textOf } = (await load('evaluator/source.mjs')) as {
  createSource: (random: Random) => Source;
  textOf: (random: Random, length: number) => string;
};
const { drawStreams } = (await load('evaluator/held-out.mjs')) as {
  drawStreams: (seed: string) => { source: Source; context: string }[];
};
const { WORDS } = (await load('evaluator/lexicon.mjs')) as { WORDS: Record<string, string[]> };

/** Contexts and the next `count` characters of each stream. */
const heldOut = (seed: string, count = 20) =>
  drawStreams(seed).map(({ source, context }) => [context, Array.from({ length: count }, () => source.next())]);

describe('the language', () => {
  test('has the entropy that the evaluator and the task state', async () => {
    expect(entropyRate()).toBeCloseTo(ENTROPY_RATE, 12);
    expect(await readFile(join(TASK, 'task.yaml'), 'utf8')).toContain(`optimum: ${ENTROPY_RATE}\n`);
  });

  test('costs its stated entropy when it is coded with the true probabilities', () => {
    const source = createSource(randomOf('test/entropy'));
    const characters = 200_000;
    let bits = 0;
    for (let i = 0; i < characters; i++) {
      const truth = source.truth();
      bits -= Math.log2(truth[source.next()] ?? 0);
    }
    // The standard error at this length is about .003.
    expect(Math.abs(bits / characters - ENTROPY_RATE)).toBeLessThan(0.012);
  });

  test('has distributions that sum to one at every character', () => {
    const source = createSource(randomOf('test/sums'));
    for (let i = 0; i < 5000; i++) {
      expect(source.truth().reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
      source.next();
    }
  });

  test('has no word that begins another word, so that the text alone determines the state', () => {
    const words = Object.values(WORDS).flat();
    const clashes = words.filter((word) => words.some((other) => other !== word && other.startsWith(word)));
    expect(clashes).toEqual([]);
    expect(new Set(words).size).toBe(words.length);
  });
});

describe('the held-out text', () => {
  test('is the same for the same seed and differs for another', () => {
    expect(heldOut('7')).toEqual(heldOut('7'));
    expect(heldOut('7')).not.toEqual(heldOut('8'));
  });

  test('has the stated number of different streams', () => {
    const streams = heldOut('7').map((stream) => JSON.stringify(stream));
    expect(streams).toHaveLength(160);
    expect(new Set(streams).size).toBe(160);
  });

  test('has the characters that the workspace knows, in the same order', async () => {
    const data = (await load('workspace/data.mjs')) as { ALPHABET: string };
    expect(data.ALPHABET).toBe(ALPHABET);
    const corpus = await readFile(join(TASK, 'workspace/corpus.txt'), 'latin1');
    expect([...new Set(corpus)].sort()).toEqual([...ALPHABET].sort());
  });

  test('is not the training text', async () => {
    const corpus = await readFile(join(TASK, 'workspace/corpus.txt'), 'latin1');
    expect(corpus).toBe(textOf(randomOf('corpus/1'), corpus.length));
    // Short sentences repeat by chance; a text of 140 characters does not.
    const texts = drawStreams('7').map(({ source, context }) => {
      const next = Array.from({ length: 96 }, () => ALPHABET[source.next()] ?? '').join('');
      return context + next;
    });
    expect(texts.filter((text) => corpus.includes(text))).toEqual([]);
  });
});
