import { describe, expect, it } from 'vitest';
import type { Edit } from '../../../../domain/edit/edit.ts';
import { parseAnswer } from '../../../../domain/edit/parse-answer.ts';

const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`;
const edits = (text: string, known: string[]): Edit[] | string => {
  const answer = parseAnswer(text, known);
  return answer.ok ? answer.edits : answer.reason;
};

describe('a block below a path and a line of words', () => {
  const below = (line: string, known: string[]): Edit[] | string =>
    edits(`b.py\n${block('a', 'b')}\na.py\n${line}\n${block('a', 'b')}`, known);
  it.each(['It is too slow:', '**Change:**', 'Old → new:', '(line 1)', 'HYPOTHESIS: x', 'Now in a.py, lower:', 'Then'])(
    'is of that file: %s',
    (line) => {
      for (const known of [['a.py'], ['a.py', 'b.py', 'Makefile', 'lib/c.py']])
        expect([line, below(line, known)]).toEqual([
          line,
          ['b.py', 'a.py'].map((path) => ({ path, search: 'a', replace: 'b' })),
        ]);
    },
  );

  it.each([
    'Now b.py, too:',
    'The makefile next:',
    'The other file:',
    'In `conf.yaml`:',
    '`hyper`',
    'hyper:',
    'As in c.py:',
  ])('is of none where the line may mean another: %s', (line) => {
    expect(below(line, ['a.py', 'b.py', 'Makefile', 'lib/c.py'])).toContain(
      `the line ${JSON.stringify(line)} above it is none of them`,
    );
  });

  it('is of none where a plan named several', () => {
    const plan = `a.py: a smaller rate\nb.py: more width\n\nEdits:\n${block('a', 'b')}`;
    expect(edits(plan, ['a.py', 'b.py'])).toContain('the line "Edits:" above it is none of them');
    expect(edits(`${plan.split('\n\n')[0]}\n\na.py\n${block('a', 'b')}`, ['a.py', 'b.py'])).toMatchObject([
      { path: 'a.py' },
    ]);
  });

  it('is of the file that is named again below a plan', () => {
    const text = `- a.py\n- b.py\n\n### a.py\n\nA smaller rate:\n${block('a', 'b')}\n### b.py\nWider:\n${block('a', 'b')}`;
    expect(edits(text, ['a.py', 'b.py'])).toMatchObject([{ path: 'a.py' }, { path: 'b.py' }]);
  });

  it('is of the same file where the line says so', () => {
    const text = `a.py\n${block('a', 'b')}\nIn the same file:\n${block('c', 'd')}`;
    expect(edits(text, ['a.py', 'b.py'])).toMatchObject([{ path: 'a.py' }, { path: 'a.py' }]);
  });
});

it('a block goes to the only file over a word of that file', () => {
  const files = { 'a.txt': 'c\nself.lr = train(steps)\n' };
  const read = (line: string): boolean =>
    parseAnswer(`a.txt\n${block('a', 'b')}\n${line}\n${block('c', 'd')}`, ['a.txt'], files).ok;
  for (const line of ['`lr`', '**steps**:', '`train()`:', '# Train']) expect([line, read(line)]).toEqual([line, true]);
  for (const line of ['`rate`', '**hyper**:', 'train.py'])
    expect([line, read(line)]).toEqual([line, line === 'train.py']);
});
