import { describe, expect, it } from 'vitest';
import type { Edit } from '../../../../domain/edit/edit.ts';
import { parseAnswer } from '../../../../domain/edit/parse-answer.ts';

const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`;
const edits = (text: string, known: string[]): Edit[] | string => {
  const answer = parseAnswer(text, known);
  return answer.ok ? answer.edits : answer.reason;
};

describe('a block below a path and a line of prose', () => {
  const below = (line: string, known: string[]): Edit[] | string =>
    edits(`b.py\n${block('a', 'b')}\na.py\n${line}\n${block('a', 'b')}`, known);
  it.each(['It is too slow:', '**Change:**', 'Old → new:', '(line 1)', 'HYPOTHESIS: x', 'Now in a.py, lower:', 'Then'])(
    'belongs to the file of that path: %s',
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
  ])('belongs to no file if the line may name another: %s', (line) => {
    expect(below(line, ['a.py', 'b.py', 'Makefile', 'lib/c.py'])).toContain(
      `the line ${JSON.stringify(line)} above it is none of them`,
    );
  });

  it('belongs to no file if a plan names several', () => {
    const plan = `a.py: a smaller rate\nb.py: more width\n\nEdits:\n${block('a', 'b')}`;
    expect(edits(plan, ['a.py', 'b.py'])).toContain('the line "Edits:" above it is none of them');
    expect(edits(`${plan.split('\n\n')[0]}\n\na.py\n${block('a', 'b')}`, ['a.py', 'b.py'])).toMatchObject([
      { path: 'a.py' },
    ]);
  });

  it('belongs to the file that is named again below a plan', () => {
    const plan = '- a.py\n- b.py';
    const text = `${plan}\n\n### a.py\n\nA smaller rate:\n${block('a', 'b')}\n### b.py\nWider:\n${block('a', 'b')}`;
    expect(edits(text, ['a.py', 'b.py'])).toMatchObject([{ path: 'a.py' }, { path: 'b.py' }]);
  });

  it('belongs to the same file if the line says so', () => {
    const text = `a.py\n${block('a', 'b')}\nIn the same file:\n${block('c', 'd')}`;
    expect(edits(text, ['a.py', 'b.py'])).toMatchObject([{ path: 'a.py' }, { path: 'a.py' }]);
  });
});

it('a block below a word of the only file belongs to that file', () => {
  const files = { 'a.txt': 'c\nself.lr = train(steps)\n' };
  const read = (line: string): boolean =>
    parseAnswer(`a.txt\n${block('a', 'b')}\n${line}\n${block('c', 'd')}`, ['a.txt'], files).ok;
  for (const line of ['`lr`', '**steps**:', '`train()`:', '# Train']) expect([line, read(line)]).toEqual([line, true]);
  for (const line of ['`rate`', '**hyper**:', 'train.py'])
    expect([line, read(line)]).toEqual([line, line === 'train.py']);
});
