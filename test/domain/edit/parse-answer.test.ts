import { describe, expect, it } from 'vitest';
import type { Edit } from '../../../domain/edit/edit.ts';
import { parseAnswer } from '../../../domain/edit/parse-answer.ts';
import { createRandom } from '../../../domain/statistics/random.ts';

const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`;
const one: Edit = { path: 'src/a.py', search: 'x = 1', replace: 'x = 2' };
const body = block('x = 1', 'x = 2');
const edits = (text: string, known?: string[]): Edit[] | string => {
  const answer = parseAnswer(text, known);
  return answer.ok ? answer.edits : answer.reason;
};

describe('SEARCH/REPLACE blocks', () => {
  it.each([
    ['bare', `src/a.py\n${body}`],
    ['fenced', `src/a.py\n\`\`\`python\n${body}\n\`\`\``],
    ['fenced with the path inside', `\`\`\`python\nsrc/a.py\n${body}\n\`\`\``],
    ['fenced with the path behind the language', `\`\`\`python src/a.py\n${body}\n\`\`\``],
    ['in a fence of the whole answer', `\`\`\`\nHYPOTHESIS: h\nsrc/a.py\n${body}\n\`\`\``],
    ['with a bold path', `**src/a.py**\n${body}`],
    ['with a bold path and colon', `**src/a.py:**\n${body}`],
    ['with a quoted path', `\`src/a.py\`:\n${body}`],
    ['with a heading', `### File: \`src/a.py\`\n\n${body}`],
    ['with a list item', `1. src/a.py (changed)\n${body}`],
    ['with ./', `./src/a.py\n${body}`],
    ['with CRLF', `src/a.py\n${body}\n`.replaceAll('\n', '\r\n')],
    ['with prose around', `I think this helps.\n\nsrc/a.py\n${body}\n\nThat is all.`],
    ['with longer marks', `src/a.py\n<<<<<<<<< SEARCH\nx = 1\n=========\nx = 2\n>>>>>>>>> REPLACE`],
    ['after thoughts that hold a draft', `<think>src/b.py\n${body}</think>\nsrc/a.py\n${body}`],
  ])('are read %s', (_name, text) => {
    expect(edits(text)).toEqual([one]);
  });

  it('are read in order, several under one path, in several files', () => {
    const text = `src/a.py\n${body}\n\n${block('y', 'z')}\n\nthen\n\nlib/b.js\n\`\`\`js\n${block('p', '')}\n\`\`\`\n`;
    expect(edits(text)).toEqual([
      one,
      { path: 'src/a.py', search: 'y', replace: 'z' },
      { path: 'lib/b.js', search: 'p', replace: '' },
    ]);
  });

  it('keep fences, blank lines and indentation inside', () => {
    const search = '  a\n\n```js\nb\n```';
    expect(edits(`README.md\n${block(search, `${search}\n\t c`)}`)).toEqual([
      { path: 'README.md', search, replace: `${search}\n\t c` },
    ]);
  });

  it('may hold shorter marks', () => {
    const text = 'a.md\n<<<<<<<< SEARCH\nTitle\n=======\n========\nOther\n=======\n>>>>>>>> REPLACE';
    expect(edits(text)).toEqual([{ path: 'a.md', search: 'Title\n=======', replace: 'Other\n=======' }]);
  });

  it('lose the indentation of a list, unless the file is indented like it', () => {
    const inset = `1. src/a.py:\n\n${block('x = 1\nif x:\n    y', 'x = 2\n\nif x:\n    z')}`.replaceAll(
      /\n(?=.)/g,
      '\n   ',
    );
    const read = (old: string): Edit[] | string => {
      const answer = parseAnswer(inset, ['src/a.py'], { 'src/a.py': old });
      return answer.ok ? answer.edits : answer.reason;
    };
    const bare = 'x = 1\nif x:\n    y\n';
    const deep = bare.trimEnd().replaceAll(/^/gm, '   ');
    expect(read(bare)).toMatchObject([{ search: bare.trimEnd(), replace: 'x = 2\n\nif x:\n    z' }]);
    expect(read(`a:\n${deep}\n`)).toMatchObject([{ search: deep, replace: '   x = 2\n\n   if x:\n       z' }]);
    expect(read(`${bare}\na:\n${deep}\n`)).toContain('the file has its text both with and without this indent');
  });

  it.each([
    [
      'a.md\n<<<<<<< SEARCH\nTitle\n=======\nbody\n=======\nNew\n=======\nbody\n>>>>>>> REPLACE',
      'the SEARCH block for a.md that opens in line 2 has two lines =======, so that the end of its SEARCH text is ' +
        'ambiguous; use longer marks (<<<<<<<<< SEARCH, =========, >>>>>>>>> REPLACE)',
    ],
    [`${body}`, 'the SEARCH block in line 1 names no file'],
    [
      'a.py\n<<<<<<< SEARCH\nx = 1\n',
      'the SEARCH block for a.py that opens in line 2 has no line ======= (was the answer cut off?)',
    ],
    [
      'a.py\n<<<<<<< SEARCH\nx\n=======\ny',
      'the SEARCH block for a.py that opens in line 2 has no line >>>>>>> REPLACE',
    ],
    [`a.py\n<<<<<<< SEARCH\nx\n=======\n${body}`, 'has no line >>>>>>> REPLACE'],
  ])('are refused when broken: %j', (text, reason) => {
    expect(edits(text)).toContain(reason);
  });
});

describe('whole files', () => {
  it.each([
    ['a path above', 'src/a.py\n```python\nx = 2\n```', 'x = 2\n'],
    ['a path in the info string', '```python src/a.py\nx = 2\n```', 'x = 2\n'],
    ['only a path in the info string', '```src/a.py\nx = 2\n```', 'x = 2\n'],
    ['a colon in the info string', '```python:src/a.py\nx = 2\n```', 'x = 2\n'],
    ['tildes', 'src/a.py\n~~~\nx = 2\n~~~', 'x = 2\n'],
    ['a longer fence around fences', 'src/a.py\n````\n```js\na\n```\n```\n````', '```js\na\n```\n```\n'],
    [
      'fences of the same length inside',
      'src/a.py\n```md\n# T\n```js\na\n```\nend\n```\nDone.',
      '# T\n```js\na\n```\nend\n',
    ],
    ['nothing in it', 'src/a.py\n```\n```', ''],
    ['CRLF', 'src/a.py\r\n```\r\nx\r\n\r\ny\r\n```\r\n', 'x\n\ny\n'],
  ])('are read with %s', (_name, text, content) => {
    expect(edits(text)).toEqual([{ path: 'src/a.py', content }]);
  });

  it('are read inside a fence of the whole answer, and if there are several', () => {
    const text = 'HYPOTHESIS: h\n\na.js\n```js\n1\n```\n\nb.js\n```js\n2\n```\n';
    const both = [
      { path: 'a.js', content: '1\n' },
      { path: 'b.js', content: '2\n' },
    ];
    expect(edits(text)).toEqual(both);
    expect(edits(`\`\`\`markdown\n${text}\`\`\``)).toEqual(both);
  });

  it('are distinguished from examples by the path above', () => {
    expect(edits('Run it:\n```sh\nnode a.js\n```\n\na.js\n```js\n1\n```')).toEqual([{ path: 'a.js', content: '1\n' }]);
    expect(edits(`a.js\n${body}\n\n\`\`\`\noutput\n\`\`\``)).toHaveLength(1);
  });

  it('may have names that only the task defines', () => {
    expect(edits('Makefile\n```\nall:\n```', ['Makefile'])).toEqual([{ path: 'Makefile', content: 'all:\n' }]);
    expect(edits('my file.txt\n```\na\n```', ['my file.txt'])).toEqual([{ path: 'my file.txt', content: 'a\n' }]);
    expect(edits('__init__.py\n```\na\n```')).toEqual([{ path: '__init__.py', content: 'a\n' }]);
    expect(edits('path/to.py\n```\na\n```')).toEqual([{ path: 'path/to.py', content: 'a\n' }]);
    expect(edits('Makefile\n```\nall:\n```')).toContain('no edit was found');
  });

  it('are refused when they never end', () => {
    expect(edits('a.py\n```python\nx = 1\n')).toBe(
      'the block for a.py that opens in line 2 is never closed; ' +
        'expected a line with ``` after it (was the answer cut off?)',
    );
  });
});

describe('the hypothesis and the expected delta', () => {
  const prose = (text: string): unknown => {
    const answer = parseAnswer(`${text}\n\na.py\n${body}`);
    return answer.ok ? [answer.hypothesis, answer.expectedDelta] : answer.reason;
  };
  it.each([
    ['HYPOTHESIS: more width helps\nEXPECTED_DELTA: -0.02', ['more width helps', -0.02]],
    ['**Hypothesis:** more\nwidth helps\n**Expected delta:** ~0.5 bits', ['more width helps', 0.5]],
    ['hypothesis:\nmore width', ['more width', null]],
    ['HYPOTHESIS: x\nEXPECTED_DELTA: about a lot', ['x', null]],
    ['HYPOTHESIS: x\nEXPECTED_DELTA: nan', ['x', null]],
    ['I would widen it.\nReally.\n\nMore.', ['I would widen it. Really.', null]],
    ['', ['none was given', null]],
    ['HYPOTHESIS: \u001b[31mred\u001b[0m\0\u202etrick', ['redtrick', null]],
  ])('are read from %j', (text, expected) => {
    expect(prose(text)).toEqual(expected);
  });

  it('are cut to a maximum length', () => {
    expect(String((prose(`HYPOTHESIS: ${'long '.repeat(1000)}`) as unknown[])[0]).length).toBeLessThanOrEqual(500);
  });
});

describe('any text', () => {
  it.each([
    '',
    '   \n\t',
    'I am sorry, I cannot help with that.',
    '{"edits": []}',
    '```',
    '`````',
    '<<<<<<<',
    'a.py',
    '\0',
  ])('is refused with a reason: %j', (text) => {
    const answer = parseAnswer(text);
    expect(answer.ok).toBe(false);
    if (!answer.ok) expect(answer.reason).toContain('expected');
  });

  it('never makes the parser throw: random lines of all marks', () => {
    const random = createRandom(4);
    const pieces = [
      '```',
      '```js',
      '````',
      '~~~',
      'a.py',
      '**a.py**',
      'HYPOTHESIS: x',
      '<<<<<<< SEARCH',
      '=======',
      '>>>>>>> REPLACE',
      '',
      'x = 1',
      '<think>',
      '</think>',
      '\u{1f600}',
      '\ud800',
      '\0',
      '```diff a.py',
      '  ```',
      'File: `b.py`:',
    ];
    for (let i = 0; i < 4000; i += 1) {
      const text = Array.from({ length: random.below(14) }, () => pieces[random.below(pieces.length)]).join('\n');
      const answer = parseAnswer(text, ['a.py']);
      if (answer.ok) expect(answer.edits.length).toBeGreaterThan(0);
      else expect(answer.reason).not.toBe('');
    }
  });
});
