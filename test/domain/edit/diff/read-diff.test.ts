import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../../../domain/edit/apply-edits.ts';
import { parseAnswer } from '../../../../domain/edit/parse-answer.ts';

const FILES: Record<string, string> = {
  'a.py': '# head\nlr = 0.1\nsteps = 100\n\ndef f():\n    return lr\n\ndef g():\n    return lr\n',
  'lib/b.py': 'b = 1\nc = 2\n',
  'modèle.txt': 'w = 1\n',
  'x.diff': '--- a/q\n+++ b/q\n@@ -1 +1 @@\n-old\n+new\n',
  'list.md': '- one\n- two\n',
  'empty.txt': '',
  'twice.py': 'x = 1\ny = 2\nx = 1\n',
};
/** The files after the answer, or the reason why it is refused. */
const after = (text: string): Record<string, string> | string => {
  const answer = parseAnswer(`HYPOTHESIS: h\n\n${text}`, Object.keys(FILES), FILES);
  if (!answer.ok) return answer.reason;
  const applied = applyEdits(FILES, answer.edits, Object.keys(FILES));
  return applied.ok ? applied.files : applied.reason;
};
const changed = (text: string): Record<string, string> | string => {
  const files = after(text);
  if (typeof files === 'string') return files;
  return Object.fromEntries(Object.entries(files).filter(([path, content]) => FILES[path] !== content));
};
const LR = { 'a.py': FILES['a.py']!.replace('lr = 0.1', 'lr = 0.2') };
const HUNK = '@@ -1,3 +1,3 @@\n # head\n-lr = 0.1\n+lr = 0.2\n steps = 100';
const HEAD = '--- a/a.py\n+++ b/a.py\n';

describe('a diff is read', () => {
  it.each([
    ['in a plain fence', `a.py\n\`\`\`\n${HEAD}${HUNK}\n\`\`\``],
    ['in a fence of its kind', `\`\`\`diff\n${HEAD}${HUNK}\n\`\`\``],
    ['in a fence of another language', `a.py\n\`\`\`python\n${HEAD}${HUNK}\n\`\`\``],
    ['in a fence without a path above', `\`\`\`\n${HEAD}${HUNK}\n\`\`\``],
    ['as Git writes it', `\`\`\`diff\ndiff --git a/a.py b/a.py\nindex 12ab..34cd 100644\n${HEAD}${HUNK}\n\`\`\``],
    ['without a fence', `${HEAD}${HUNK}\n\nThat is all.`],
    ['without a fence, as Git writes it', `diff --git a/a.py b/a.py\nindex 1..2 100644\n${HEAD}${HUNK}\n`],
    ['with wrong counts', `\`\`\`diff\n${HEAD}${HUNK.replace('-1,3 +1,3', '-1,30 +7,2')}\n\`\`\``],
    ['with a wrong place', `\`\`\`diff\n${HEAD}${HUNK.replace('-1,3 +1,3', '-70,3 +70,3')}\n\`\`\``],
    ['without numbers', `\`\`\`diff\n${HEAD}${HUNK.replace('-1,3 +1,3', '...')}\n\`\`\``],
    ['with a bare @@', `\`\`\`diff\n${HEAD}${HUNK.replace('@@ -1,3 +1,3 @@', '@@')}\n\`\`\``],
    ['without @@', `\`\`\`diff\n${HEAD}-lr = 0.1\n+lr = 0.2\n\`\`\``],
    ['with a function behind @@', `\`\`\`diff\n${HEAD}${HUNK.replace('+1,3 @@', '+1,3 @@ class A:')}\n\`\`\``],
    ['with a blank behind each mark', 'a.py\n```diff\n- lr = 0.1\n+ lr = 0.2\n```'],
    ['with a blank behind some marks', 'a.py\n```diff\n # head\n- lr = 0.1\n+ lr = 0.2\nsteps = 100\n```'],
    ['of lines alone', 'a.py\n```diff\n-lr = 0.1\n+lr = 0.2\n```'],
    ['of lines alone in a plain fence', 'a.py\n```\n-lr = 0.1\n+lr = 0.2\n```'],
    ['of lines without a blank before what stays', 'a.py\n```\n# head\n-lr = 0.1\n+lr = 0.2\nsteps = 100\n```'],
    [
      'in a list',
      `1. a.py:\n   \`\`\`\n${HUNK.split('\n')
        .slice(1)
        .map((line) => `   ${line}`)
        .join('\n')}\n   \`\`\``,
    ],
    ['with the path inside', '```diff\na.py\n-lr = 0.1\n+lr = 0.2\n```'],
    [
      'with times',
      `\`\`\`diff\n--- a/a.py\t2026-01-02 03:04:05\n+++ b/a.py\t2026-01-02 03:04:06.000 +0000\n${HUNK}\n\`\`\``,
    ],
    ['with dates behind blanks', `\`\`\`diff\n--- a.py 2026-01-02 03:04:05\n+++ a.py 2026-01-02\n${HUNK}\n\`\`\``],
    ['without prefixes', `\`\`\`diff\n--- a.py\n+++ a.py\n${HUNK}\n\`\`\``],
    ['with other prefixes', `\`\`\`diff\n--- i/a.py\n+++ w/a.py\n${HUNK}\n\`\`\``],
    ['with words for names', `a.py\n\`\`\`diff\n--- original\n+++ modified\n${HUNK}\n\`\`\``],
    ['with letters for names', `a.py\n\`\`\`diff\n--- a\n+++ b\n${HUNK}\n\`\`\``],
    ['with words of several parts', `a.py\n\`\`\`diff\n--- old file\n+++ updated_version\n${HUNK}\n\`\`\``],
    ['with versions for names', `a.py\n\`\`\`diff\n--- a.py.orig\n+++ a.py\n${HUNK}\n\`\`\``],
    ['with whole paths', `a.py\n\`\`\`diff\n--- /work/a.py\n+++ /work/a.py\n${HUNK}\n\`\`\``],
    ['with a note on the last line', `\`\`\`diff\n${HEAD}${HUNK}\n\\ No newline at end of file\n\`\`\``],
    ['for apply_patch', `*** Begin Patch\n*** Update File: a.py\n@@\n # head\n-lr = 0.1\n+lr = 0.2\n*** End Patch`],
    [
      'for apply_patch in a fence',
      `\`\`\`\n*** Begin Patch\n*** Update File: a.py\n@@ def f\n-lr = 0.1\n+lr = 0.2\n*** End Patch\n\`\`\``,
    ],
    ['with line ends of two characters', `\`\`\`diff\n${HEAD}${HUNK}\n\`\`\``.replaceAll('\n', '\r\n')],
    ['with a comment before it', `a.py\n\`\`\`\n\n${HEAD}${HUNK}\n\`\`\``],
  ])('%s', (_name, text) => {
    expect(changed(text)).toEqual(LR);
  });

  it('in several parts and files', () => {
    const text =
      `\`\`\`diff\n${HEAD}@@ -2 +2 @@\n-lr = 0.1\n+lr = 0.2\n` +
      '@@ -5,2 +5,3 @@\n def f():\n+    # why\n     return lr\n\n' +
      'diff --git a/lib/b.py b/lib/b.py\n--- a/lib/b.py\n+++ b/lib/b.py\n@@ -1,2 +1 @@\n b = 1\n-c = 2\n```';
    expect(changed(text)).toEqual({
      'a.py': LR['a.py']?.replace('def f():\n', 'def f():\n    # why\n'),
      'lib/b.py': 'b = 1\n',
    });
  });

  it('with names in octal, and for an empty file', () => {
    expect(
      changed('```diff\n--- "a/mod\\303\\250le.txt"\n+++ "b/mod\\303\\250le.txt"\n@@ -1 +1 @@\n-w = 1\n+w = 2\n```'),
    ).toEqual({
      'modèle.txt': 'w = 2\n',
    });
    expect(changed('```diff\n--- /dev/null\n+++ b/empty.txt\n@@ -0,0 +1 @@\n+w = 2\n```')).toEqual({
      'empty.txt': 'w = 2\n',
    });
  });

  it('at the line that it states, if its lines occur several times', () => {
    const part = (line: number): string =>
      `\`\`\`diff\n${HEAD}@@ -${line} +${line} @@\n-    return lr\n+    return 2\n\`\`\``;
    expect(changed(part(6))).toEqual({ 'a.py': FILES['a.py']?.replace('return lr', 'return 2') });
    expect(changed(part(9))).toEqual({ 'a.py': FILES['a.py']?.replace(/return lr\n$/, 'return 2\n') });
    expect(changed(part(7))).toContain('matches 2 times');
    const later =
      `\`\`\`diff\n${HEAD}@@ -1,1 +1,3 @@\n # head\n+x = 1\n+y = 2\n` +
      '@@ -9 +11 @@\n-    return lr\n+    return 2\n```';
    expect(changed(later)).toEqual({
      'a.py': FILES['a.py']?.replace('# head\n', '# head\nx = 1\ny = 2\n').replace(/return lr\n$/, 'return 2\n'),
    });
  });
});

it.each([
  ['that only adds', ' lr = 0.1\n+m = 2', 'lr = 0.1\n', 'lr = 0.1\nm = 2\n'],
  ['that only takes out', ' lr = 0.1\n-steps = 100', 'steps = 100\n', ''],
])('a diff in a plain fence is read as a diff: %s', (_name, diff, before, changedTo) => {
  expect(changed(`a.py\n\`\`\`\n${diff}\n\`\`\``)).toEqual({ 'a.py': FILES['a.py']?.replace(before, changedTo) });
});

it('a diff without line numbers is refused if its lines occur several times, even at the top of the file', () => {
  const diff = '```diff\n--- a/twice.py\n+++ b/twice.py\n@@\n-x = 1\n+x = 3\n```';
  expect(changed(diff)).toContain('matches 2 times');
});

describe('a diff of another file', () => {
  it.each(['--- a/other/a.py\n+++ b/other/a.py', '--- other\n+++ other', '--- v2/a.py.orig\n+++ v2/a.py.new'])(
    'is refused, even under the path of a known file: %j',
    (head) => {
      const diff = `\`\`\`diff\n${head}\n${HUNK}\n\`\`\``;
      expect(after(diff)).toContain('it is not one of them');
      expect(after(`a.py\n${diff}`)).toContain('it is not one of them');
    },
  );
});

describe('a diff is refused', () => {
  it.each([
    [
      'if a line that it removes differs',
      `${HEAD}@@ -2 +2 @@\n-lr = 0.5\n+lr = 0.2`,
      'no line of the file is "lr = 0.5"; the nearest is line 2: "lr = 0.1"',
    ],
    [
      'if a line of its context differs',
      `${HEAD}@@ -1,2 +1,2 @@\n # heads\n-lr = 0.1\n+lr = 0.2`,
      'no line of the file is "# heads"',
    ],
    ['if white space differs', `${HEAD}@@ -5,2 +5,2 @@\n def f():\n-  return lr\n+  return 2`, 'only in white space'],
    ['if only a part of a line is the same', `${HEAD}@@ -6 +6 @@\n-return lr\n+return 2`, 'matches 0 times'],
    ['if it shows no line of the file', `${HEAD}@@ -2,0 +3 @@\n+x = 1`, 'shows no line of the file'],
    ['if it changes nothing', `${HEAD}@@ -2 +2 @@\n lr = 0.1`, 'the diff changes nothing'],
    ['if it deletes a file', `--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-lr = 0.1`, 'it deletes a file'],
    ['if it renames a file', 'diff --git a/a.py b/c.py\nrename from a.py\nrename to c.py', 'it renames a file'],
    ['if it adds a file', '*** Begin Patch\n*** Add File: c.py\n+x\n*** End Patch', 'it adds a file'],
    [
      'if it is a diff of another file',
      '--- a/c.py\n+++ b/c.py\n@@ -1 +1 @@\n-lr = 0.1\n+lr = 0.2',
      'got "c.py": it is not one of them',
    ],
  ])('%s', (_name, diff, reason) => {
    expect(after(`\`\`\`diff\n${diff}\n\`\`\``)).toContain(reason);
    expect(after(`a.py\n\`\`\`\n${diff}\n\`\`\``)).toContain(reason);
  });

  it('if a line cuts it in two', () => {
    expect(
      after(`${HEAD}@@ -1,3 +1,3 @@\n # head\n-lr = 0.1\n+lr = 0.2\nsteps = 100\n-steps = 100\n+steps = 2`),
    ).toContain('begins with neither a blank, + nor -');
  });
});

describe('a whole file that only looks like a diff is read as a file', () => {
  it.each([
    ['x.diff', '--- a/q\n+++ b/q\n@@ -1 +1 @@\n-old\n+newer\n'],
    ['list.md', '- one\n- three\n+ four\n'],
    ['a.py', '-1\n+1\n'],
    ['a.py', 'lr = 0.1 \\\n-1\n'],
  ])('%s', (path, content) => {
    expect(after(`${path}\n\`\`\`\n${content}\`\`\``)).toMatchObject({ [path]: content });
  });

  it('unless it holds a diff of that very file', () => {
    const text = 'x.diff\n```diff\n--- a/x.diff\n+++ b/x.diff\n@@ -5 +5 @@\n-+new\n++newer\n```';
    expect(changed(text)).toEqual({ 'x.diff': FILES['x.diff']?.replace('+new', '+newer') });
  });
});

describe('a diff under a path', () => {
  const B = '--- a/lib/b.py\n+++ b/lib/b.py\n@@ -1,2 +1,2 @@\n-b = 1\n+b = 2\n c = 2';

  it('is refused if its head names another file', () => {
    expect(changed(`a.py\n\`\`\`diff\n${B}\n\`\`\``)).toContain('the diff under a.py names lib/b.py in its head');
  });

  it('may go on with other files', () => {
    const both = changed(`a.py\n\`\`\`diff\n${HEAD}${HUNK}\n${B}\n\`\`\``);
    expect(both).toEqual({ ...LR, 'lib/b.py': 'b = 2\nc = 2\n' });
  });
});
