import { describe, expect, it } from 'vitest';
import type { Edit } from '../../../../domain/edit/edit.ts';
import { parseAnswer } from '../../../../domain/edit/parse-answer.ts';

const block = (search: string, replace: string): string =>
  `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE`;
const edits = (text: string, known: string[]): Edit[] | string => {
  const answer = parseAnswer(text, known);
  return answer.ok ? answer.edits : answer.reason;
};

const NAMES = [
  'Makefile',
  'Dockerfile',
  'LICENSE',
  '.env',
  '.gitignore',
  'my model.txt',
  'a b c/d e.py',
  'train (1).py',
  'notes (old)',
  'modèle.txt',
  'mode\u0300le2.txt',
  '模型.txt',
  'обучение.py',
  'model.1',
  'data.2024',
  'v1.0/model.3b',
  '1. intro.md',
  '# odd.md',
  '- list.md',
  "it's.py",
  'a[0].py',
  'a{b}.py',
  'a=b.py',
  'a,b.py',
  'a+b@c.py',
  'conf/hyper',
  'lib/Makefile',
  'Train.PY',
  'x',
  '50',
];
const known = NAMES;

describe('a line that names a known file is its path', () => {
  const decorated: [string, (name: string) => string][] = [
    ['bare', (name) => name],
    ['with blanks around', (name) => `  ${name}  `],
    ['in backticks', (name) => `\`${name}\``],
    ['in backticks with a colon', (name) => `\`${name}\`:`],
    ['in bold', (name) => `**${name}**`],
    ['in bold with a colon', (name) => `**${name}**:`],
    ['in bold with a colon inside', (name) => `**${name}:**`],
    ['in bold and backticks', (name) => `**\`${name}\`**`],
    ['with a colon', (name) => `${name}:`],
    ['with a wide colon', (name) => `${name}：`],
    ['in quotes', (name) => `"${name}"`],
    ['in curly quotes', (name) => `“${name}”`],
    ['as a heading', (name) => `### ${name}`],
    ['as a heading in backticks', (name) => `## \`${name}\``],
    ['behind a label', (name) => `File: ${name}`],
    ['behind a bold label', (name) => `**File:** \`${name}\``],
    ['behind a label in bold without its colon', (name) => `**File**: \`${name}\``],
    ['behind another label in bold', (name) => `__Path__: ${name}`],
    ['behind a label in a heading', (name) => `### File: \`${name}\``],
    ['behind another label', (name) => `filename: ${name}`],
    ['in a list', (name) => `- ${name}`],
    ['in a numbered list', (name) => `1. \`${name}\``],
    ['in a numbered list of headings', (name) => `### 2. \`${name}\``],
    ['with a remark in brackets', (name) => `\`${name}\` (changed)`],
    ['with a remark behind a dash', (name) => `**${name}** — a larger rate`],
    ['with a comment', (name) => `${name}  # the rate`],
    ['with ./', (name) => `./${name}`],
    ['with /', (name) => `/${name}`],
    ['in another form of Unicode', (name) => name.normalize('NFD')],
    ['in the other form of Unicode', (name) => name.normalize('NFC')],
    ['as a comment', (name) => `// ${name}`],
    ['between signs', (name) => `=== ${name} ===`],
    ['in a tag', (name) => `<file>${name}</file>`],
    ['in an attribute', (name) => `<file path="${name}">`],
    ['behind a few words', (name) => `In \`${name}\`:`],
    ['behind a label in another language', (name) => `文件：${name}`],
    ['behind a number', (name) => `### Edit 1: \`${name}\``],
    ['behind what is done', (name) => `Changes to \`${name}\`:`],
    ['behind what was done', (name) => `### Modified \`${name}\``],
    ['behind what comes', (name) => `Here is the updated \`${name}\`:`],
    ['behind how much of it comes', (name) => `Full content of \`${name}\`:`],
    ['before what it is then', (name) => `\`${name}\` becomes:`],
    ['behind a picture', (name) => `📄 ${name}`],
    ['with a blank of no width', (name) => `\u200b${name}\u200b`],
    ['behind a label without a colon', (name) => `File ${name}`],
    ['behind a number, in brackets', (name) => `Change 1 (${name}):`],
    ['behind what is to be done', (name) => `Edit \`${name}\` as follows:`],
    ['behind other words', (name) => `### Update the file ${name}`],
  ];
  it.each(decorated)('%s', (_name, write) => {
    for (const path of NAMES) {
      expect([path, edits(`${write(path)}\n${block('a', 'b')}`, known)]).toEqual([
        path,
        [{ path, search: 'a', replace: 'b' }],
      ]);
      expect([path, edits(`${write(path)}\n\n\`\`\`\na\n\`\`\``, known)]).toEqual([path, [{ path, content: 'a\n' }]]);
    }
  });

  it.each([
    ['before its lines', (name: string) => `${name} lines 3-4:`],
    ['before one line', (name: string) => `${name} line 3`],
  ])('%s, for parts of the file alone', (_name, write) => {
    for (const path of NAMES) {
      const read = edits(`${write(path)}\n${block('a', 'b')}`, known);
      expect([path, read]).toEqual([path, [{ path, search: 'a', replace: 'b' }]]);
      expect(edits(`${write(path)}\n\n\`\`\`\na\n\`\`\``, known)).toContain('is said to be a part of it');
    }
  });

  it.each([
    ['alone', (name: string) => name],
    ['behind the language', (name: string) => `text ${name}`],
    ['behind a colon', (name: string) => `python:${name}`],
    ['as title', (name: string) => `python title="${name}"`],
    ['as filename', (name: string) => `js filename='${name}'`],
    ['as path in braces', (name: string) => `{.python path="${name}"}`],
    ['behind the language with a remark', (name: string) => `python ${name} (changed)`],
  ])('also in the info string of a fence: %s', (_name, write) => {
    for (const path of NAMES.filter((name) => !/^[#\d-]|`/.test(name)))
      expect([path, edits(`~~~${write(path)}\na\n~~~`, known)]).toEqual([path, [{ path, content: 'a\n' }]]);
  });

  it('the line above counts if the language of a fence has the name of a file', () => {
    expect(edits('lib/Makefile\n```Makefile\nall:\n```', known)).toEqual([{ path: 'lib/Makefile', content: 'all:\n' }]);
  });

  it('the longest name counts', () => {
    const files = ['train', 'train.py', 'train.py (old)'];
    expect(edits(`train.py (old)\n${block('a', 'b')}`, files)).toMatchObject([{ path: 'train.py (old)' }]);
    expect(edits(`train.py (new)\n${block('a', 'b')}`, files)).toMatchObject([{ path: 'train.py' }]);
    expect(edits(`train.pyc\n${block('a', 'b')}`, files)).toMatchObject([{ path: 'train.pyc' }]);
  });
});

describe('a name behind the mark of a SEARCH block', () => {
  const files = ['a.py', 'b.py'];
  const second = (behind: string, known = files): Edit[] | string =>
    edits(`a.py\n${block('a', 'b')}\n${block('c', 'd').replace('SEARCH', `SEARCH${behind}`)}`, known);
  it.each([' b.py', ': b.py', ' (b.py)', ' b.py:10', ' `b.py`', ' in b.py', ' [b.py]', ' file=b.py', ' b.py (line 3)'])(
    'counts: %j',
    (behind) => {
      expect(second(behind)).toMatchObject([{ path: 'a.py' }, { path: 'b.py' }]);
    },
  );

  it.each([' other.py', ' lib/b.py', ' (other.py)', ' Makefile', ' in Makefile'])(
    'never gives another file: %j',
    (behind) => {
      for (const known of [files, ['a.py']]) {
        const read = second(behind, known);
        if (typeof read === 'string') expect(read).toContain('behind its mark, which is no file');
        else expect(files).not.toContain(read[1]?.path);
      }
    },
  );

  it.each([' (first)', ' block', ' #1', ' (1 of 2)', ': lower the rate', ' (existing code)', ' >>>'])(
    'is distinguished from a remark: %j',
    (behind) => {
      expect(second(behind, ['a.py'])).toMatchObject([{ path: 'a.py' }, { path: 'a.py' }]);
    },
  );

  it.each([' ', ':', ' line 10', ' (line 10)', ' lines 3-5', ' 2', ' block 2', ':12'])('is absent: %j', (behind) => {
    expect(second(behind, ['a.py'])).toMatchObject([{ path: 'a.py' }, { path: 'a.py' }]);
  });
});

it.each(['`b.py` needs the same change:', 'The rate in `b.py`, line 4:'])(
  'a SEARCH block belongs to the only file in backticks of the short line above it: %s',
  (line) => {
    expect(edits(`a.py\n${block('a', 'b')}\n\n${line}\n${block('c', 'd')}`, ['a.py', 'b.py'])).toMatchObject([
      { path: 'a.py' },
      { path: 'b.py' },
    ]);
    expect(typeof edits(`a.py\nAs in b.py, or \`b.py\`:\n${block('c', 'd')}`, ['a.py', 'b.py'])).toBe('string');
  },
);

it('a link names its file', () => {
  expect(edits(`[a.py](a.py)\n${block('a', 'b')}`, ['a.py'])).toMatchObject([{ path: 'a.py' }]);
});

describe('a block below a line that names no known file', () => {
  const files = ['a.txt', 'Makefile'];
  it.each(['Dockerfile', '`Dockerfile`', 'Now the makefile of the project:', '### Second change', 'and', 'Шаг второй'])(
    'does not belong to the file before it: %s',
    (line) => {
      expect(edits(`a.txt\n${block('a', 'b')}\n\n${line}\n${block('c', 'd')}`, files)).toBe(
        'the SEARCH block in line 9 names no file (the files are a.txt, Makefile): ' +
          `the line ${JSON.stringify(line)} above it is none of them; ` +
          'expected SEARCH/REPLACE blocks or a whole file in a fenced block, ' +
          'each under a line with the path of its file',
      );
    },
  );

  it('is refused even if no file comes before it', () => {
    expect(edits(`Dockerfile\n${block('a', 'b')}`, files)).toContain('the line "Dockerfile" above it is none of them');
    expect(edits(block('a', 'b'), ['a.txt'])).toContain('names no file (the files are a.txt); expected');
  });

  it.each(['Dockerfile', '`Dockerfile`', '`Dockerfile`:', 'File: Dockerfile', '### File: `my notes`'])(
    'is refused as a whole file, too, and never dropped: %s',
    (line) => {
      expect(edits(`a.txt\n${block('a', 'b')}\n\n${line}\n\`\`\`\nFROM x\n\`\`\``, files)).toBe(
        `the block in line 9 stands under ${JSON.stringify(line)}, which is none of the files (a.txt, Makefile); ` +
          'expected SEARCH/REPLACE blocks or a whole file in a fenced block, ' +
          'each under a line with the path of its file',
      );
    },
  );

  it.each(['Run it:', '**Output**', 'It prints', 'Then `npm test`:', ''])('is an example under %j', (line) => {
    expect(edits(`a.txt\n${block('a', 'b')}\n\n${line}\n\`\`\`\nx\n\`\`\``, files)).toMatchObject([{ path: 'a.txt' }]);
  });

  it('belongs to the file of its own line, if every block has one', () => {
    expect(edits(`a.txt\n${block('a', 'b')}\n\nMakefile\n${block('a', 'c')}\n`, files)).toEqual([
      { path: 'a.txt', search: 'a', replace: 'b' },
      { path: 'Makefile', search: 'a', replace: 'c' },
    ]);
  });

  it.each(['', '---', '***', 'EXPECTED_DELTA: -0.1', 'HYPOTHESIS: x', '```\n```'])(
    'belongs to the file before it if the line cannot be a name: %j',
    (line) => {
      expect(edits(`a.txt\n${block('a', 'b')}\n${line}\n${block('c', 'd')}`, files)).toMatchObject([
        { path: 'a.txt' },
        { path: 'a.txt' },
      ]);
    },
  );

  it('belongs to the only file below a sentence, but not below a line that may be another name', () => {
    const two = (line: string): Edit[] | string =>
      edits(`a.txt\n${block('a', 'b')}\n${line}\n${block('c', 'd')}`, ['a.txt']);
    expect(two('Then I lower it further:')).toMatchObject([{ path: 'a.txt' }, { path: 'a.txt' }]);
    for (const line of [
      'In `config.yaml`:',
      '2. config.yaml: more steps',
      '<file path="config.yaml">',
      '=== config.yaml ===',
      'Update `Makefile`:',
      'In config.yaml, as said:\n\nmore steps:',
      '```Makefile',
    ])
      expect([line, typeof two(line)]).toEqual([line, 'string']);
    for (const line of [
      'I lower `lr` in optim.step, by 0.5 or so:',
      'The `a.txt` once more:',
      'So that a.txt is short:',
    ])
      expect([line, two(line)]).toMatchObject([line, [{ path: 'a.txt' }, { path: 'a.txt' }]]);
    for (const line of ['Then', 'Next:', '**Second**:', 'Reasoning:', '2.', '(2)', '```makefile'])
      expect([line, two(line)]).toMatchObject([line, [{ path: 'a.txt' }, { path: 'a.txt' }]]);
    for (const line of ['Makefile', '`Makefile`', '**Makefile**', 'File: my model', 'the other train.py'])
      expect([line, typeof two(line)]).toEqual([line, 'string']);
    expect(two('other.py')).toMatchObject([{ path: 'a.txt' }, { path: 'other.py' }]);
  });
});
