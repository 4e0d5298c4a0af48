import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { evaluate, TASK } from '../../../bench/tasks/nano-lm/trial.ts';

const EVALUATOR = join(TASK, 'evaluator');

/** The output of a program of the evaluator with that task secret. */
async function underSecret(secret: string, ...words: string[]): Promise<string> {
  const env = { ...process.env, PERPETUA_TASK_SECRET: secret };
  return (await promisify(execFile)('node', words, { cwd: EVALUATOR, env, maxBuffer: 1e6 })).stdout;
}

interface Language {
  rate: number;
  words: Record<string, string[]>;
  endings: Record<string, string[]>;
}
const PROGRAM = `
const { entropyRate } = await import('./entropy.mjs');
const { WORDS, ENDINGS } = await import('./lexicon.mjs');
console.log(JSON.stringify({ rate: entropyRate(), words: WORDS, endings: ENDINGS }));`;
const languageOf = async (secret: string): Promise<Language> =>
  JSON.parse(await underSecret(secret, '--input-type=module', '-e', PROGRAM)) as Language;
const lengths = ({ words }: Language) => Object.values(words).map((list) => list.map((word) => word.length));

test('each installation has its own language, with entropy, structure and frequencies as published', async () => {
  const published = await languageOf('');
  for (const secret of ['one', 'two', '3f'.repeat(32)]) {
    const own = await languageOf(secret);
    expect(own.rate).toBeCloseTo(0.7210116451432714, 12);
    expect(lengths(own)).toEqual(lengths(published));
    const known = new Set(Object.values(published.words).flat());
    const all = Object.values(own.words).flat();
    expect(new Set(all).size).toBe(known.size);
    // A short word may be one of the published words by chance.
    expect(all.filter((word) => known.has(word)).length).toBeLessThan(known.size / 10);
    const clashes = all.filter((word) => all.some((other) => other !== word && other.startsWith(word)));
    expect(clashes).toEqual([]);
    expect(await languageOf(secret)).toEqual(own);
  }
});

test('the training text is in the language of its installation, with the published length', async () => {
  const [corpus, published] = [await underSecret('one', 'make-corpus.mjs'), await underSecret('', 'make-corpus.mjs')];
  expect(corpus).toHaveLength(published.length);
  const { words, endings } = await languageOf('one');
  const nouns = new Set(words.noun);
  const sentences = corpus.split('. ').slice(0, -1);
  expect(sentences.length).toBeGreaterThan(1000);
  expect(sentences.every((sentence) => nouns.has(sentence.split(' ')[0] ?? ''))).toBe(true);
  expect(endings).not.toEqual((await languageOf('')).endings);
});

test('a candidate that pastes the public generator answers worse than the unmodified version', async () => {
  const answer = `node '${resolve('test/tasks/nano-lm/paster.mjs')}' '${EVALUATOR}'`;
  const ask = async (secret: string) => (await evaluate(tmpdir(), { answer, secret, roundSeconds: 60 })).score?.bpc;
  // The control: without a secret, the public generator answers best.
  expect(await ask('')).toBeLessThan(1.3);
  expect(await ask('one')).toBeGreaterThan(1.6);
});
