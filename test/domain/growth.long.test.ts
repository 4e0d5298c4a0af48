import { describe, expect, it } from 'vitest';
import { cleanText } from '../../domain/json/clean-text.ts';
import { applyEdits } from '../../domain/edit/apply-edits.ts';
import { parseAnswer } from '../../domain/edit/parse-answer.ts';
import { parseJsonLine } from '../../domain/metric/json-line.ts';
import { parseNumber } from '../../domain/metric/printed-number.ts';
import { classifyCrash } from '../../domain/prompt/classify-crash.ts';
import { truncate, promptLine, stripControls } from '../../domain/prompt/strip-controls.ts';
import { fenced } from '../../domain/prompt/fenced.ts';
import type { PromptInput } from '../../domain/prompt/prompt-input.ts';
import { files } from '../../domain/search/context/files/files.ts';
import { trials } from '../../domain/search/context/trials.ts';
import { findAssignments } from '../../domain/knob/knob-value.ts';
import { REPEATED } from './edit/answer/marks.ts';

/**
 * Characters of a hostile input. A reader whose work grows with their square takes 10^11 steps or more, and exceeds the
 * time limit of a test.
 */
const LENGTH = 600_000;

type Hostile = [name: string, make: (length: number) => string];

/** Copies of a piece, about so many characters in all. */
const of = (piece: string, length: number): string => piece.repeat(Math.ceil(length / piece.length));

// Hostile texts, which a model, a run or an evaluator may write.
const TEXTS: Hostile[] = [
  ['one line', (n) => of('x', n)],
  ['blanks', (n) => of(' ', n)],
  ['blanks before a word', (n) => `${of(' ', n)}x`],
  ['line feeds', (n) => of('\n', n)],
  ['carriage returns', (n) => of('\r', n)],
  ['digits', (n) => `${of('1', n)}x`],
  ['digits and dots', (n) => `${of('1.', n)}x`],
  ['digits and underscores', (n) => `${of('1_', n)}x`],
  ['dots', (n) => of('.', n)],
  ['slashes', (n) => of('/', n)],
  ['folders', (n) => of('a/', n)],
  ['quotes', (n) => of('"', n)],
  ['an open quote', (n) => `"${of('\\"', n)}`],
  ['backticks', (n) => of('`', n)],
  ['backticks and letters', (n) => of('```a', n)],
  ['escapes', (n) => of('\u001b]', n)],
  ['an escape without an end', (n) => `\u001b[${of('0', n)}${of(' ', n)}`],
  ['escapes without an end', (n) => of('\u001b[0;0', n)],
  ['half characters', (n) => of('\ud83d', n)],
  ['brackets', (n) => of('([{', n)],
  ['assertions', (n) => of('assertion ', n)],
  ['nans', (n) => of('-nan.', n)],
];

const ANSWERS: Hostile[] = [
  ['tildes and a backtick', (n) => `${of('~', n)}\``],
  ['lines of tildes and a backtick', (n) => of(`${of('~', 1000)}\`\n`, n)],
  ['fences', (n) => of('```\n', n)],
  ['opening fences', (n) => of('```js\n', n)],
  ['opening fences under paths', (n) => of('a.py\n```js\n', n)],
  ['ever longer fences', (n) => Array.from({ length: Math.sqrt(n) }, (_, i) => 'a.py\n```'.padEnd(i, '`')).join('\n')],
  ['whole files', (n) => of('a.py\n```js\n```\n', n)],
  ['whole files in two kinds of fences', (n) => of('a.py\n~~~js\n```\na.py\n```\n~~~\n', n)],
  ['a fence with a path of slashes', (n) => `\`\`\`${of('/', n)}`],
  ['a fence with a path of folders', (n) => `\`\`\`${of('a/', n)}.`],
  ['a fence with a path of dots', (n) => `\`\`\`${of('a.', n)}`],
  ['a fence with blanks', (n) => `\`\`\`js${of(' ', n)}x`],
  ['open blocks', (n) => of('a.py\n<<<<<<< SEARCH\n', n)],
  ['blocks without an end', (n) => `a.py\n<<<<<<< SEARCH\n=======\n${of('>>>>>>>\n=======\n>>>>>>> x\n', n)}`],
  ['marks', (n) => of('<', n)],
  ['blanks before marks', (n) => `${of(' ', n)}<<<<<<< SEARC`],
  ['asterisks', (n) => `${of('*', n)}hypothesis`],
  ['thoughts', (n) => of('<think>', n)],
  ['blanks before thoughts', (n) => `${of(' ', n)}<thin`],
  ['deltas', (n) => of(`expected_delta: ${of(',', 400)}x\n`, n)],
  ['hypotheses', (n) => of(`hypothesis${of(' ', 400)}\n`, n)],
  ['lines of blanks', (n) => of(`a${of(' ', 280)}b\n`, n)],
  ['remarks', (n) => of(`a${of(' (', 280)}\n`, n)],
];

const plain = of('let a = 1; // some line of code\n', 2000);

// A file and the SEARCH text of an edit of it.
const SEARCHES: [name: string, make: (length: number) => [file: string, search: string]][] = [
  ['is not there', (n) => [of(plain, n), 'not there at all']],
  ['is a line feed', (n) => [of(plain, n), `${of('\n', n)}x`]],
  ['occurs often', (n) => [of(plain, n), 'let a = 1; // some line of code']],
  ['is one long line', (n) => [of('x = 1\n', n), of('a b', n)]],
  ['is long lines', (n) => [of('x = 1\n', n), of(`${of('a b', 20_000)}\n`, n)]],
  ['repeats itself as the file does', (n) => [of('a', 2 * n), `${of('a', n / 2)}b${of('a', n / 2)}`]],
  ['repeats itself and occurs', (n) => [of('a', 2 * n), of('a', n)]],
  ['repeats lines of the file', (n) => [of(plain, 2 * n), `${of(plain, n / 2)}y\n${of(plain, n / 2)}`]],
  ['is but for blanks', (n) => [`a${of(' ', n)}b\n${of(' ', n)}\n`, `a${of('\t', n)}b`]],
];

const apply = (file: string, search: string): unknown =>
  applyEdits({ 'a.js': file }, [{ path: 'a.js', search, replace: 'x' }], ['a.js']);

const trial = {
  status: 'crashed',
  failure: { label: 'exit-code', message: 'x' },
  value: null,
  verdict: 'none',
} as const;
const nothing: PromptInput = {
  task: { name: 'a', description: 'a', metric: { name: 'loss', direction: 'minimize' } },
  prompt: null,
  files: {},
  parent: null,
  incumbent: null,
  baseline: null,
  history: [],
  notes: [],
};
const history = (log: string): unknown =>
  trials.render({ ...nothing, history: [{ n: 1, hypothesis: log, reason: log, diff: log, log, ...trial }] }, 10_000);

const READERS: [name: string, read: (text: string) => unknown][] = [
  ['an answer', (text) => parseAnswer(text)],
  ['an answer whose lines are thoughts', (text) => parseAnswer(`a.py\n\`\`\`\n${text}\n\`\`\`\nhypothesis: ${text}`)],
  ['a log', classifyCrash],
  ['text to clean', stripControls],
  ['text for one line', (text) => promptLine(text, 100)],
  ['text to cut', (text) => truncate(text, 1000, 'tail')],
  ['text to store', cleanText],
  ['text in a fence', (text) => fenced(text)],
  ['a file to show', (text) => files.render({ ...nothing, files: { a: text, b: text } }, 5000)],
  ['a trial to tell of', history],
  ['a number', parseNumber],
  ['a JSON line', (text) => parseJsonLine(`{"a":${text}}`)],
  ['a knob', (text) => findAssignments(`LR = 0.1${text}\nLR = ${text}\nLR${text}\nLR = "${text}`, 'LR')],
  ['knobs', (text) => findAssignments(`LR: ${text}\n${text}LR = 1\nexport ${text}`, 'LR')],
];

describe.each(READERS)('%s', (_reader, read) => {
  it.each(TEXTS)('is read to its end within the time limit of a test: %s', (_name, make) => {
    expect(() => read(make(LENGTH))).not.toThrow();
  });
});

describe('a hostile answer', () => {
  it.each(ANSWERS)('is read to its end within the time limit of a test: %s', (_name, make) => {
    expect(() => parseAnswer(make(LENGTH), ['a.py'])).not.toThrow();
  });

  it.each(REPEATED.map((piece) => [piece]))('is read to its end if it has one line very often: %j', (piece) => {
    const files = { 'a.py': 'lr = 1\nsteps = 2\n', 'prompt.md': 'Think.\n</think>\nAnswer.\n' };
    expect(() => parseAnswer(of(`${piece}\n`, LENGTH), Object.keys(files), files)).not.toThrow();
  });
});

describe('an edit', () => {
  it.each(SEARCHES)('is applied within the time limit of a test where its SEARCH text %s', (_name, make) => {
    const [file, search] = make(LENGTH);
    expect(() => apply(file, search)).not.toThrow();
  });
});
