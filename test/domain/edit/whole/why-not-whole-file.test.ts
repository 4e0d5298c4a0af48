import { describe, expect, test } from 'vitest';
import { parseAnswer } from '../../../../domain/edit/parse-answer.ts';

const OLD = 'import os\nLR = 0.1\nSTEPS = 10\nprint(LR)\n';
const FILES = { 'main.py': OLD, 'sub/train.sh': 'set -e\nrun --lr 0.1\n', 'a.json': '{"lr": 1}\n', 'x.mine': 'a\n' };

function read(answer: string) {
  const parsed = parseAnswer(answer, Object.keys(FILES), FILES);
  return parsed.ok ? parsed.edits : parsed.reason;
}
const under = (heading: string, info = 'python', body = 'LR = 0.3'): string =>
  `Hypothesis: faster\n\n${heading}\n\`\`\`${info}\n${body}\n\`\`\`\n`;
const SEARCH = '<<<<<<< SEARCH\nLR = 0.1\n=======\nLR = 0.3\n>>>>>>> REPLACE';

const HEADINGS = [
  'main.py (lines 2-2)',
  '`main.py` (line 2)',
  '**main.py:4-6**',
  '### `main.py:4`',
  'main.py, lines 4 to 6',
  'main.py line 4',
  'main.py lines 4–6:',
  '`main.py` (L4-L6)',
  'main.py (replace lines 4-6)',
  'main.py — lines 4, 5',
  'main.py (only the changed line)',
  'main.py (changes only)',
  'main.py (excerpt)',
  '**main.py** (partial)',
  'main.py (snippet)',
  'main.py (code snippet):',
  'main.py (top of file)',
  'main.py (beginning of the file)',
  'main.py — changed section',
  '### main.py – relevant part only',
  'main.py (just the train function)',
  'main.py # excerpt',
  'main.py (around line 12)',
  'main.py (changed lines)',
  'main.py (Ausschnitt)',
  'main.py (部分)',
  'main.py (modified part)',
];
const WHOLE = [
  'main.py',
  '# main.py',
  'main.py (complete)',
  'main.py (new)',
  'main.py (updated)',
  'main.py (full file)',
  '`main.py`:',
  'main.py (full file, lines 1-4)',
  'main.py (complete; line 2 changed)',
  'main.py — raise the rate on line 2',
  'main.py (1 line changed)',
  'main.py (the only file changed)',
  'main.py (only LR changed)',
  'main.py (only change: LR)',
  'main.py — partial rotary embeddings',
  'main.py (1/3)',
  'main.py — new top layer',
  'main.py (new section added)',
];

describe('a block whose heading calls it a part of the file', () => {
  test.each(HEADINGS)('is refused, with a reason that names the remedy: %s', (heading) => {
    expect(read(under(heading))).toMatch(/is said to be a part of it .* give the whole file .* or SEARCH\/REPLACE/);
  });

  test.each(HEADINGS)('is read if it holds SEARCH/REPLACE: %s', (heading) => {
    expect(read(under(heading, 'python', SEARCH))).toEqual([
      { path: 'main.py', search: 'LR = 0.1', replace: 'LR = 0.3' },
    ]);
  });

  test.each(['main.py:4-6', 'title="main.py" lines=4-6', 'main.py {4-6}', 'main.py (excerpt)'])(
    'is refused, too, if the fence calls it a part: python %s',
    (info) => {
      expect(read(under('Here it is.', `python ${info}`))).toMatch(/is said to be a part of it/);
    },
  );

  test.each(['python excerpt', 'python lines=4-6', 'python {4-6}', '4:6:main.py'])(
    'is refused if the fence below the path calls it a part: %s',
    (info) => {
      expect(read(under('main.py', info))).toMatch(/is said to be a part of it/);
    },
  );

  test.each(WHOLE)('is distinguished from a whole file with another remark: %s', (heading) => {
    expect(read(under(heading))).toEqual([{ path: 'main.py', content: 'LR = 0.3\n' }]);
  });

  test.each([
    'python title="main.py"',
    'python main.py',
    'python {.numberLines}',
    'python hl_lines="2 3"',
    'python linenums="1"',
  ])('is distinguished from a whole file whose fence has other options: %s', (info) => {
    expect(read(under('main.py', info))).toEqual([{ path: 'main.py', content: 'LR = 0.3\n' }]);
  });
});

describe('a block that is no file in its present form is refused', () => {
  test.each<[string, string, string, RegExp]>([
    ['a diff of words', 'diff', 'import os\n[-LR = 0.1-]{+LR = 0.3+}', /is marked as diff, and none of its lines/],
    ['prose in a fence of a diff', 'patch', 'Set LR to 0.3 in line 2.', /is marked as patch/],
    ['a diff of words in its own fence', 'python', 'import os\n[-LR = 0.1-]{+LR = 0.3+}', /marks of a diff of words/],
    ['lines that are all marked as added', 'python', '+import os\n+LR = 0.3\n+\n+print(LR)', /has \+ in its lines/],
    ['lines that are all quoted', 'python', '> import os\n> LR = 0.3', /has > in its lines/],
    ['numbered lines with bars', 'python', '1 | import os\n2 | LR = 0.3', /has a number in its lines/],
    ['one numbered line', 'python', '2 | LR = 0.3', /has a number/],
    ['numbered lines of cat', 'python', '     1\timport os\n     2\tLR = 0.3\n     3\t', /has a number/],
    ['numbered lines with colons', '', '7: import os\n8: LR = 0.3', /has a number/],
    ['a session', 'python', '>>> import os\n>>> LR = 0.3', /has >>> in its lines/],
    ['a session with its output', 'pycon', '>>> LR = 0.3\n>>> print(LR)\n0.3', /has >>> in its lines/],
    ['data in a program', 'json', '{"LR": 0.3}', /is marked as json, which that file is not/],
    ['data in a program, by name', 'yaml main.py', 'LR: 0.3', /is marked as yaml main.py, which that file is not/],
  ])('%s', (_name, info, body, reason) => {
    expect(read(under('main.py', info, body))).toMatch(reason);
  });

  test.each<[string, string, string, string]>([
    ['data under its own kind', 'a.json', 'json', '{"lr": 2}'],
    ['data in a file of an unknown ending', 'x.mine', 'json', '{"lr": 2}'],
    ['a list in a file of an unknown ending', 'x.mine', '', '1. a\n2. b'],
    ['a program in a fence of another language', 'main.py', 'json', 'import os\nLR = 0.3'],
    ['numbers that are no line numbers', 'main.py', 'python', '1\n3'],
  ])('but not %s', (_name, path, info, body) => {
    expect(read(under(path, info, body))).toEqual([{ path, content: `${body}\n` }]);
  });

  test('but not one whose old file has such lines already', () => {
    const known = { 'm.yaml': '1: a\n2: b\n' };
    const answer = under('m.yaml', 'yaml', '1: a\n2: c\n3: d');
    expect(parseAnswer(answer, ['m.yaml'], known)).toMatchObject({ ok: true });
  });
});
