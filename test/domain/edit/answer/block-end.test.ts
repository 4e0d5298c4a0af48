import { describe, expect, it } from 'vitest';
import type { Edit } from '../../../../domain/edit/edit.ts';
import { parseAnswer } from '../../../../domain/edit/parse-answer.ts';

const OLD = { 'p.md': 'Answer:\n```\n42\n```\nBriefly.\n', 'a.py': 'x = 1\n', 'b.js': '1\n' };
const edits = (text: string, files: Record<string, string> = OLD): Edit[] | string => {
  const answer = parseAnswer(text, Object.keys(files), files);
  return answer.ok ? answer.edits : answer.reason;
};
const UNCLEAR = /where the block for .* ends is unclear.*use a longer one/;

describe('a whole file with fences of its own', () => {
  it.each([
    ['a longer fence', 'p.md\n````md\na\n```\nb\n```\nc\n````', 'a\n```\nb\n```\nc\n'],
    ['a longer fence, odd ones inside', 'p.md\n````\na\n```\nb\n````', 'a\n```\nb\n'],
    ['tildes around', 'p.md\n~~~\na\n```\nb\n```\n~~~', 'a\n```\nb\n```\n'],
    ['inner ones with a language', 'p.md\n```md\na\n```js\nb\n```\nc\n```\nDone.', 'a\n```js\nb\n```\nc\n'],
    [
      'inner ones further in',
      'p.md\n```md\n- a\n\n    ```\n    b\n    ```\nc\n```\n',
      '- a\n\n    ```\n    b\n    ```\nc\n',
    ],
    ['an inner one further in alone', 'p.md\n```md\n- a\n    ```\nc\n```\n', '- a\n    ```\nc\n'],
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
    ['one alone inside', 'p.md\n```\na\n```\nb\n```'],
    ['two pairs inside', 'p.md\n```\na\n```\nb\n```\nc\n```\nd\n```\ne\n```'],
    ['a pair inside, and the next file', 'p.md\n```\na\n```\n1\n```\nb\n```\n\nb.js\n```js\n2\n```'],
    ['an example without a language behind it', 'a.py\n```\nx = 2\n```\nIt prints:\n```\n2\n```'],
    ['the next file inside, where nothing else ends it', 'p.md\n```md\na\n```sh\nb\n```\n\nb.js\n```\n2\n```'],
    ['inside a fence around the answer', '```\np.md\n```md\na\n```\n1\n```\nb\n```\n```'],
  ])('is refused where its end is unclear: %s', (_name, text) => {
    expect(edits(text)).toMatch(UNCLEAR);
  });

  it('is refused in words that a model can act on', () => {
    expect(edits('a.py\n```\nx\n```\ny\n```')).toBe(
      'where the block for a.py that opens in line 2 ends is unclear, since more lines with ``` stand behind it: fences of the same length inside; use a longer one (````) around the whole file, and put no other fenced block in the answer',
    );
  });
});
