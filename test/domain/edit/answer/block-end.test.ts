import { describe, expect, it } from 'vitest';
import type { Edit } from '../../../../domain/edit/edit.ts';
import { parseAnswer } from '../../../../domain/edit/parse-answer.ts';

const OLD = { 'p.md': 'Answer:\n```\n42\n```\nBriefly.\n', 'a.py': 'x = 1\n', 'b.js': '1\n' };
const edits = (text: string, files: Record<string, string> = OLD): Edit[] | string => {
  const answer = parseAnswer(text, Object.keys(files), files);
  return answer.ok ? answer.edits : answer.reason;
};
const UNCLEAR = /the end of the block for .* is ambiguous.*use a longer fence/;

describe('a whole file in an indented fence', () => {
  it.each([
    [
      'is read if its lines are indented alike',
      '1. a.py:\n   ```python\n   def f():\n       x\n\n   y\n   ```',
      'def f():\n    x\n\ny\n',
    ],
    ['is read with a tab', '- a.py\n\t```\n\tx\n\t```', 'x\n'],
    ['is read if its lines are indented less', '1. a.py\n    ```\n  x\n    y\n    ```', 'x\n  y\n'],
    ['is read if its lines are not indented', '1. a.py:\n   ```\ndef f():\n    x\n   ```', 'def f():\n    x\n'],
  ])('%s', (_name, text, content) => {
    expect(edits(text)).toEqual([{ path: 'a.py', content }]);
  });

  it.each(['1. a.py:\n   ```\n   x = [\n1\n]\n   ```'])('is refused if the indentation is unclear: %j', (text) => {
    expect(edits(text)).toContain('the indent of the block for a.py');
  });
});

describe('a whole file beside another edit of it', () => {
  const whole = 'a.py\n```python\nx = 2\n```\n';
  it.each([
    ['an older one', `a.py\n\`\`\`python\nx = 1\n\`\`\`\nBetter:\n${whole}`],
    ['a part of it', `${whole}\na.py\n\`\`\`python\ny = 3\n\`\`\``],
    ['a SEARCH/REPLACE block', `a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n\n${whole}`],
    ['a diff', `${whole}\na.py\n\`\`\`diff\n-x = 1\n+x = 3\n\`\`\``],
  ])('is refused: %s', (_name, text) => {
    expect(edits(text)).toContain('a.py is given as a whole file and in another edit, too');
  });

  it('is accepted if both are equal', () => {
    expect(edits(`${whole}\nOnce more:\n${whole}`)).toMatchObject([{ content: 'x = 2\n' }, { content: 'x = 2\n' }]);
  });

  it.each(['bash', 'console', 'shell-session', 'text', 'output'])('is refused if it shows a run: %s', (info) => {
    expect(edits(`a.py — run with\n\`\`\`${info}\npython a.py\n\`\`\``)).toContain(
      `the block for a.py that opens in line 2 is marked as ${info}, which that file is not`,
    );
    // A block that repeats lines of the file is a file, not the output of a run.
    expect(edits(`a.py\n\`\`\`${info}\nx = 1\ny = 2\n\`\`\``)).toEqual([{ path: 'a.py', content: 'x = 1\ny = 2\n' }]);
    expect(edits(`p.md\n\`\`\`${info}\nx\n\`\`\``)).toEqual([{ path: 'p.md', content: 'x\n' }]);
  });
});

describe('a whole file with fences of its own', () => {
  it.each([
    ['a longer fence', 'p.md\n````md\na\n```\nb\n```\nc\n````', 'a\n```\nb\n```\nc\n'],
    ['a longer fence, odd ones inside', 'p.md\n````\na\n```\nb\n````', 'a\n```\nb\n'],
    ['tildes around', 'p.md\n~~~\na\n```\nb\n```\n~~~', 'a\n```\nb\n```\n'],
    ['inner fences with a language', 'p.md\n```md\na\n```js\nb\n```\nc\n```\nDone.', 'a\n```js\nb\n```\nc\n'],
    [
      'inner fences that are indented',
      'p.md\n```md\n- a\n\n    ```\n    b\n    ```\nc\n```\n',
      '- a\n\n    ```\n    b\n    ```\nc\n',
    ],
    ['a single inner fence that is indented', 'p.md\n```md\n- a\n    ```\nc\n```\n', '- a\n    ```\nc\n'],
    ['the block that the old file has', 'p.md\n```md\nNew:\n```\n42\n```\nEnd.\n```', 'New:\n```\n42\n```\nEnd.\n'],
    [
      'the old block, and the next file',
      'p.md\n```\nNew:\n```\n42\n```\n```\n\nb.js\n```\n2\n```',
      'New:\n```\n42\n```\n',
    ],
    ['an example with a language behind it', 'a.py\n```\nx = 2\n```\nRun it:\n```sh\npython a.py\n```', 'x = 2\n'],
    ['a fence around the answer', '```\na.py\n```python\nx = 2\n```\n```', 'x = 2\n'],
  ])('is read whole: %s', (_name, text, content) => {
    expect(edits(text)).toMatchObject([{ content }, ...(text.includes('b.js') ? [{ path: 'b.js' }] : [])]);
  });

  it.each([
    ['a pair inside', 'p.md\n```md\nlr = 2\n```\n43\n```\nNever explain.\n```'],
    ['a usage block in a docstring', 'a.py\n```python\n"""Usage:\n\n```\nrun\n```\n"""\nx = 2\n```'],
    ['a single fence inside', 'p.md\n```\na\n```\nb\n```'],
    ['two pairs inside', 'p.md\n```\na\n```\nb\n```\nc\n```\nd\n```\ne\n```'],
    ['a pair inside, and the next file', 'p.md\n```\na\n```\n1\n```\nb\n```\n\nb.js\n```js\n2\n```'],
    ['an example without a language behind it', 'a.py\n```\nx = 2\n```\nIt prints:\n```\n2\n```'],
    ['the next file inside, if nothing else ends it', 'p.md\n```md\na\n```sh\nb\n```\n\nb.js\n```\n2\n```'],
    ['a block inside, and no end behind it', 'p.md\n```markdown\n# T\n```bash\nrun\n```\nEnd of it.'],
    ['inside a fence around the answer', '```\np.md\n```md\na\n```\n1\n```\nb\n```\n```'],
  ])('is refused if its end is unclear: %s', (_name, text) => {
    expect(edits(text)).toMatch(UNCLEAR);
  });

  it('is refused with a reason that a model can act on', () => {
    expect(edits('a.py\n```\nx\n```\ny\n```')).toBe(
      'the end of the block for a.py that opens in line 2 is ambiguous, since more lines with ``` follow it; ' +
        'use a longer fence (````) around the whole file, and put no other fenced block in the answer',
    );
  });
});
