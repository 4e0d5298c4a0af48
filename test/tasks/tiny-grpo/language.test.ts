import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { TASK } from './candidate.ts';

interface Step {
  tokens: number[];
  number: number;
}
interface Problem {
  text: string;
  answer: number;
  actions: number[];
}
interface Decision {
  sum: Float64Array;
  last: number;
  hidden: Float64Array;
  logits: Float64Array;
}
interface Back {
  last: number;
  hidden: Float64Array;
  slope: Float64Array;
  gradient: Float64Array;
  sumGradient: Float64Array;
}
interface Network {
  HIDDEN: number;
  CHOICES: number;
  layoutOf: (words: number) => Layout;
  encode: (parameters: Float64Array, layout: Layout, tokens: number[], sum: Float64Array) => void;
  decide: (parameters: Float64Array, layout: Layout, decision: Decision) => void;
  decideBack: (parameters: Float64Array, layout: Layout, back: Back) => void;
  encodeBack: (parameters: Float64Array, layout: Layout, tokens: number[], back: Partial<Back>) => void;
  softmax: (logits: Float64Array, temperature: number, out: Float64Array) => void;
  greedyChain: (parameters: Float64Array, layout: Layout, steps: Step[]) => number[];
}
interface Layout {
  size: number;
  outputBias: number;
}
type Lexicon = Record<string, string[]>;

const module = async <T>(name: string): Promise<T> =>
  (await import(pathToFileURL(join(TASK, 'evaluator', name)).href)) as T;
const { lexiconOf, LEXICON, WORDS } = await module<{
  lexiconOf: (secret: string) => Lexicon;
  LEXICON: Lexicon;
  WORDS: string[];
}>('lexicon.mjs');
const net = await module<Network>('network.mjs');
const { randomOf } = await module<{ randomOf: (label: string) => () => number }>('random.mjs');
const { problemOf } = await module<{ problemOf: (random: () => number) => Problem }>('stories.mjs');
const { answerOf, readerOf } = await module<{
  answerOf: (steps: Step[], actions: number[]) => number;
  readerOf: (words: string[]) => (text: string) => Step[];
}>('text.mjs');

const stepsOf = readerOf(WORDS);
const problems = Array.from({ length: 500 }, (_, i) => problemOf(randomOf(`test/${i}`)));
const word = (kind: string, i = 0) => LEXICON[kind]?.[i] ?? '';

test('a story worked out by hand has the answer of its chain', () => {
  const [ann, bob] = [word('person'), word('person', 1)];
  const [nuts, figs] = [word('item'), word('item', 1)];
  // Ann has 7 nuts, loses 3, gets 5 from Bob, finds 9 figs, and doubles the nuts: (7 − 3 + 5) × 2.
  const text = [
    `${ann} ${word('has')} 7 ${nuts} .`,
    `${word('pronoun')} ${word('loses')} 3 ${nuts} .`,
    `${bob} ${word('gives')} 5 ${nuts} ${word('to')} ${ann} .`,
    `${ann} ${word('gains')} 9 ${figs} .`,
    `${ann} ${word('multiplies')} 2 ${nuts} .`,
    `${word('question')} ${ann} ${nuts} ?`,
  ].join(' ');
  const steps = stepsOf(text);
  expect(steps.map(({ number }) => number)).toEqual([7, 3, 5, 9, 2]);
  expect(steps.map(({ tokens }) => WORDS[tokens[3] ?? 0])).toEqual([undefined, undefined, ann, undefined, undefined]);
  expect(answerOf(steps, [1, 2, 1, 0, 3])).toBe(18);
});

test('the chain of every drawn problem leads to its answer', () => {
  for (const { text, answer, actions } of problems) expect(answerOf(stepsOf(text), actions)).toBe(answer);
});

test('the evaluator takes the action with the largest logit', () => {
  const layout = net.layoutOf(WORDS.length);
  const parameters = new Float64Array(layout.size);
  parameters[layout.outputBias + 1] = 1;
  for (const { text } of problems.slice(0, 20)) {
    const steps = stepsOf(text);
    const sum = steps.reduce((total, { number }) => total + number, 0);
    expect(answerOf(steps, net.greedyChain(parameters, layout, steps))).toBe(sum);
  }
});

test('installations have other words', () => {
  const [one, other] = [lexiconOf('one'), lexiconOf('other')];
  expect(one).toEqual(lexiconOf('one'));
  expect(one['gains']?.filter((text) => other['gains']?.includes(text))).toHaveLength(0);
});

test('the gradient of the network agrees with differences', () => {
  const layout = net.layoutOf(WORDS.length);
  const random = randomOf('gradient');
  const parameters = Float64Array.from({ length: layout.size }, () => random() - 0.5);
  const { tokens } = stepsOf(problems[0]?.text ?? '')[1] ?? expect.unreachable();
  const sum = new Float64Array(net.HIDDEN);
  const hidden = new Float64Array(net.HIDDEN);
  const sumGradient = new Float64Array(net.HIDDEN);
  const logits = new Float64Array(net.CHOICES);
  const slope = new Float64Array(net.CHOICES);
  const loss = () => {
    net.encode(parameters, layout, tokens, sum);
    net.decide(parameters, layout, { sum, last: 2, hidden, logits });
    net.softmax(logits, 1, slope);
    return -Math.log(slope[3] ?? 0);
  };
  loss();
  slope[3] = (slope[3] ?? 0) - 1;
  const gradient = new Float64Array(layout.size);
  net.decideBack(parameters, layout, { last: 2, hidden, slope, gradient, sumGradient });
  net.encodeBack(parameters, layout, tokens, { gradient, sumGradient });
  const used = [...gradient.keys()].filter((i) => gradient[i] !== 0);
  expect(used.length).toBeGreaterThan(1000);
  for (const i of used.filter((_, n) => n % 50 === 0)) {
    const before = parameters[i] ?? 0;
    parameters[i] = before + 1e-5;
    const above = loss();
    parameters[i] = before - 1e-5;
    const below = loss();
    parameters[i] = before;
    expect((above - below) / 2e-5).toBeCloseTo(gradient[i] ?? 0, 5);
  }
});

test.each(['network.mjs', 'text.mjs'])('run and evaluator have the same %s', (path) => {
  const [run, evaluator] = ['workspace', 'evaluator'].map((folder) => readFileSync(join(TASK, folder, path), 'utf8'));
  expect(run).toBe(evaluator);
});
