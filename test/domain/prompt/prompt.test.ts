import { describe, expect, it, test } from 'vitest';
import { truncate, promptLine, stripControls } from '../../../domain/prompt/strip-controls.ts';
import { fenced } from '../../../domain/prompt/fenced.ts';
import { packagesIn } from '../../../domain/prompt/packages.ts';
import { describeDuplicate } from '../../../domain/prompt/describe-known-outcome.ts';
import { mergeRepeats } from '../../../domain/search/context/trials.ts';
import type { HistoryEntry } from '../../../domain/prompt/prompt-input.ts';
import {
  estimateTokens,
  PROMPT_CHARACTERS,
  promptCut as cutOf,
} from '../../../domain/search/context/build-messages.ts';
import { CONTEXTS } from '../../../domain/search/context/table.ts';

describe('stripControls', () => {
  it.each([
    ['plain\n\ttext \u00e4\u{1f600}', 'plain\n\ttext \u00e4\u{1f600}'],
    ['\u001b[1;31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007after', 'after'],
    ['\u001b]8;;http://x\u001b\\link', 'link'],
    ['a\u0000b\u0008c\u007fd\u009be', 'abcde'],
    ['10%\r20%\r30%\nnext', '30%\nnext'],
    ['a\r\nb\r\n', 'a\nb\n'],
    ['left\u202eright\u2066x\u200by\ufeff', 'leftrightxy'],
    ['half \ud83d pair', 'half \ufffd pair'],
  ])('cleans %j', (text, clean) => {
    expect(stripControls(text)).toBe(clean);
  });
});

describe('cut', () => {
  it('never exceeds its limit, and states the missing part', () => {
    const text = 'abc\u{1f600}'.repeat(500);
    for (let max = 0; max < 300; max += 1)
      for (const keep of ['head', 'tail'] as const) {
        const part = truncate(text, max, keep);
        expect(part.length).toBeLessThanOrEqual(max);
        expect(/\p{Surrogate}/u.test(part)).toBe(false);
      }
    expect(truncate(text, 100, 'head')).toMatch(/^abc.*\[… 2400 or more characters cut …\]$/u);
    expect(truncate(text, 100, 'tail')).toMatch(/^\[… 2400 or more characters cut …\].*\u{1f600}$/u);
    expect(truncate('short', 100, 'head')).toBe('short');
  });
});

it('promptLine gives one line', () => {
  expect(promptLine(' a\n\n b\tc\u2028d ', 100)).toBe('a b c d');
});

it('fenced text cannot leave its fence', () => {
  expect(fenced('a')).toBe('```\na\n```');
  expect(fenced('a\n', 'log')).toBe('```log\na\n```');
  expect(fenced('')).toBe('```\n```');
  expect(fenced('``` ````` ````')).toBe('``````\n``` ````` ````\n``````');
  expect(fenced('```\n'.repeat(200_000)).startsWith('````\n')).toBe(true);
});

it('names the packages of a list with hashes, comments, extras and conditions', () => {
  const list = `# by uv
numpy==2.1.0 \\
    --hash=sha256:00
    # via scipy
scikit-learn[all]==1.5.2 ; python_version >= "3.11"
`;
  expect(packagesIn(list)).toEqual(['numpy 2.1.0', 'scikit-learn 1.5.2']);
});

it('names the packages of a uv.lock, without the project itself', () => {
  const lock = `version = 1

[[package]]
name = "numpy"
version = "2.1.0"
source = { registry = "https://example.org/simple" }

[[package]]
name = "my-task"
version = "0.1.0"
source = { virtual = "." }
`;
  expect(packagesIn(lock)).toEqual(['numpy 2.1.0']);
});

const seen = { n: 7, status: 'completed', failure: null, value: null } as const;

it.each([
  [{ ...seen, value: 2.634 }, 'which gave bpc 2.634.'],
  [{ ...seen, status: null }, 'which is still running.'],
  [
    { ...seen, status: 'aborted', failure: { label: 'cannot-win', message: 'stopped at 35 %, forecast 2.9' } },
    'which was stopped early, result unknown: stopped at 35 %, forecast 2.9.',
  ],
  [
    { ...seen, status: 'crashed', failure: { label: 'exit-code', message: 'exit code 1: TypeError: x' } },
    'which failed: the program ended with an error: exit code 1: TypeError: x.',
  ],
] as const)('describes the result of a known candidate', (trial, words) => {
  expect(describeDuplicate(trial, { metric: 'bpc', isSameText: true })).toBe(
    `tried before: these edits give the same files as trial 7, ${words} Propose something else.`,
  );
});

describe('trials that repeat', () => {
  const entry = (n: number, more: Partial<HistoryEntry>): HistoryEntry => ({
    n,
    hypothesis: `idea ${n}`,
    status: 'completed',
    failure: null,
    value: n,
    verdict: 'discard',
    reason: '',
    ...more,
  });
  const shape = (history: HistoryEntry[]): number[][] =>
    mergeRepeats(history).map(({ first, again }) => [first.n, ...again.map(({ n }) => n)]);

  it('merges trials with the same candidate or the same diff, and no others', () => {
    const history = [
      entry(1, { candidateId: 'a', diff: '+x' }),
      entry(2, { candidateId: 'b', diff: '+y' }),
      entry(3, { candidateId: 'c', diff: '+x' }),
      entry(4, { candidateId: 'b', diff: '+z', status: 'cached' }),
      entry(5, { candidateId: null, diff: null }),
      entry(6, { candidateId: null, diff: null }),
    ];
    expect(shape(history)).toEqual([[1, 3], [2, 4], [5], [6]]);
  });

  it('puts the trial that ran before its copies, even if it has the higher number', () => {
    expect(shape([entry(3, { candidateId: 'a', status: 'cached' }), entry(4, { candidateId: 'a' })])).toEqual([[4, 3]]);
  });
});

test.each(['', 'a', 'def f(x):\n    return x\n', 'größer', '学习率', '🙂🙂'])(
  '%j is estimated by its bytes',
  (text) => {
    expect(estimateTokens(text)).toBe(Math.ceil(Buffer.byteLength(text) / 3));
  },
);

describe('the report of a cut', () => {
  const promptCut = (input: Parameters<typeof cutOf>[0]) => cutOf(input, CONTEXTS.history);

  const input = (more: { prompt?: string; files?: Record<string, string> } = {}) => ({
    task: { name: 'toy', description: 'a toy', metric: { name: 'loss', direction: 'minimize' as const } },
    prompt: null,
    files: { 'train.py': 'LR = 0.1\n' },
    parent: null,
    incumbent: null,
    baseline: null,
    history: [],
    notes: [],
    ...more,
  });

  test('is null for a prompt that fits', () => {
    expect(promptCut(input({ prompt: 'mind the slope' }))).toBeNull();
  });

  test('states how much of a prompt is sent, and which of its parts are too long', () => {
    const files = { 'train.py': 'x = 1\n'.repeat(40_000) };
    const cut = promptCut(input({ files }));
    expect(cut?.parts).toEqual(['files']);
    expect(cut?.shown).toBeLessThanOrEqual(PROMPT_CHARACTERS);
    expect(cut?.whole).toBeGreaterThan(240_000);
    expect(promptCut(input({ prompt: 'mind the slope. '.repeat(3000) }))?.parts).toEqual(['prompt']);
    expect(promptCut(input({ files, prompt: 'mind the slope. '.repeat(3000) }))?.parts).toEqual(['files', 'prompt']);
  });
});
