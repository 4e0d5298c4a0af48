import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../../../domain/edit/apply-edits.ts';
import { findOmissionLine } from '../../../../domain/edit/apply/omission-line.ts';

const OLD = '# trainer\nlr = 1\nsteps = 2\ndef f():\n    ...\n# ... as before\n';
const put = (content: string): string => {
  const result = applyEdits({ 'a.py': OLD }, [{ path: 'a.py', content }], ['a.py']);
  return result.ok ? 'applied' : result.reason;
};

const LEFT_OUT = [
  '# ... rest of the file unchanged ...',
  '# ... rest of the code remains the same',
  '# rest of the code unchanged',
  '# TODO: rest of the code',
  '# etc.',
  '// and so on',
  '# Rest of file unchanged.',
  '# (rest unchanged)',
  '# (same as before)',
  '# same as before',
  '# Same as above',
  '# ... existing code ...',
  '# existing code here',
  '// existing code',
  '// ... existing code ...',
  '// ...existing code...',
  '// …',
  '# …',
  '# ...',
  '#...',
  '## ... ##',
  '/* ... */',
  '/* rest of the functions stay the same */',
  ' * ... remaining methods ...',
  '<!-- rest of the content unchanged -->',
  '<!-- ... -->',
  '{/* ... existing imports ... */}',
  '-- remaining code is unchanged',
  '; rest of the program',
  '% ... unchanged ...',
  '... rest unchanged',
  '... rest of the file unchanged ...',
  '...',
  '…',
  '[...]',
  '(...)',
  '<...>',
  '{ ... }',
  '[… rest of the file …]',
  '[rest of file]',
  '(unchanged)',
  '<snip>',
  '[snip]',
  '--- snip ---',
  'rest of the file unchanged',
  'Same as before.',
  '# no other changes',
  '# no changes below',
  '# everything else stays the same',
  '# nothing else changes',
  '# remaining code omitted for brevity',
  '# omitted for brevity',
  '# the remaining functions are unchanged',
  '# keep the rest as is',
  '# keep existing imports',
  '# other functions stay the same',
  '# the training loop stays exactly the same',
  '# previous code',
  '# (unchanged)',
  '# unchanged',
  '# (lines 3-10 unchanged)',
  '# other hyperparameters unchanged',
  '# (remaining parameters stay the same)',
  '# ... (the training loop) ...',
  '# ... training loop as in the original',
  '    # ... model definition ...',
  '    pass  # ... existing code ...',
  'def g(): ...  # same as before',
  'function f() { /* ... */',
  '  { } // unchanged',
  '# 其余代码不变',
  '# 其余部分保持不变',
  '# остальной код без изменений',
  '# der Rest bleibt unverändert',
  '# le reste du fichier est inchangé',
  '# el resto del código sin cambios',
  '"""... rest of the docstring ..."""',
];
const REAL = [
  '# remaining steps',
  '# the learning rate stays the same',
  '# the rest of the batch is padded with zeros',
  '# other losses than this one diverge',
  '# keep the learning rate unchanged during warmup',
  '# same padding as in the paper by He et al.',
  '# existing weights are loaded from disk',
  '# previous loss, for the patience below',
  '# previous parameters',
  '# TODO: unchanged since 2020?',
  '# continue training',
  'x = {...}[0]',
  'x = y[..., 0]',
  '...rest,',
  '{ ...rest }',
  '  ...options,',
  'return rest',
  'from original import code',
  'rest = 1',
  'for line in remaining_lines:',
  '(existing_code)',
  '[rest_of_code]',
  'for rest in all:',
  'rest.of.code',
  'same as = 1',
  'rest: here',
  'def rest(self):',
  'same = True',
  'continue',
  'pass',
  'else:',
  '}',
  'x = 1  # unchanged',
  'foo()  # as before',
  'Answer in one line.',
  'Keep the rest short.',
  'Write ... where a word is missing.',
  'print("...")',
  '"..."',
  '* item',
  '---',
  '===',
  '# ----------',
];

describe('a line that stands for omitted code', () => {
  it.each(LEFT_OUT)('is found: %s', (line) => {
    expect(findOmissionLine('', `lr = 1\n${line}\n`, { whole: true })).toBe(line.trim());
  });

  it.each(REAL)('is not mistaken for a real one: %s', (line) => {
    expect(findOmissionLine(OLD, `lr = 1\n${line}\n`, { whole: true })).toBeNull();
  });

  it('is allowed if the old file has it, or as the body of a stub', () => {
    expect(put('lr = 3\n# ... as before\n')).toBe('applied');
    expect(
      findOmissionLine('', 'class A(Protocol):\n    def f(self) -> int:\n        ...\n', { whole: true }),
    ).toBeNull();
    expect(findOmissionLine('', 'lr = 3\n...\n', { whole: true })).toBe('...');
  });

  it('is a reason to refuse a whole file, and a REPLACE text', () => {
    expect(put('lr = 3\n# ... rest of the file unchanged ...\n')).toBe(
      'the edit of a.py holds the line "# ... rest of the file unchanged ...", which stands for code that was ' +
        'left out; write all of it, or change parts with SEARCH/REPLACE blocks',
    );
    const edit = { path: 'a.py', search: 'lr = 1\nsteps = 2', replace: 'lr = 3\n# existing code' };
    expect(applyEdits({ 'a.py': OLD }, [edit], ['a.py'])).toMatchObject({ ok: false, label: 'edit-does-not-apply' });
  });

  it('is searched for in texts of a megabyte within the time limit', () => {
    const long = `${'# '.repeat(80)}\n`.repeat(5000) + 'rest of the '.repeat(100_000);
    expect(findOmissionLine('', long, { whole: true })).toBeNull();
    const remarks = `# ${'the rest of the same code here '.repeat(5)}\n`.repeat(5000);
    expect(findOmissionLine('', remarks, { whole: true })).toBeNull();
  });
});

describe('a whole file with marks of another form of edit', () => {
  it.each([
    '# a\n# b\n# c\n# d\n<<<<<<< SEARCH\nlr = 1\n=======\nlr = 2\n>>>>>>> REPLACE\n',
    'lr = 1\n>>>>>>> REPLACE\n',
    '2c2\n< lr = 1\n---\n> lr = 2\n',
    '*** a.py\n--- a.py\n***************\n*** 1,3 ****\n! lr = 1\n--- 1,3 ----\n! lr = 2\n',
    'lr = 1\n<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> other\n',
  ])('is refused: %j', (content) => {
    expect(put(content)).toContain('the block for a.py is taken as the whole file, but holds the line "');
  });

  it('is accepted if the old file has them', () => {
    const old = 'Answer so:\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n';
    const content = `Please answer so:\n${old.slice(11)}`;
    expect(applyEdits({ 'p.md': old }, [{ path: 'p.md', content }], ['p.md'])).toMatchObject({
      files: { 'p.md': content },
    });
  });
});

describe('a remark that names code of the old file', () => {
  const old = 'def train():\n    a\n\ndef evaluate():\n    b\n\ndef main():\n    c\n';
  const told = (line: string, rest = ''): string => {
    const result = applyEdits(
      { 'a.py': old },
      [{ path: 'a.py', content: `def train():\n    d\n\n${line}\n${rest}` }],
      ['a.py'],
    );
    return result.ok ? 'taken' : result.reason;
  };
  it.each([
    '# evaluate() and main() remain unchanged',
    '# Remaining functions (evaluate, main) are unchanged',
    '# (evaluate and main as in the original)',
    '# The remaining part of the script is identical to the original version',
    '# def evaluate(): unchanged',
    '# evaluate() and main() stay the same',
    '# その他は変更なし',
    '# 残りは同じ',
  ])('stands for omitted code: %s', (line) => {
    expect(told(line)).toContain('which stands for code that was left out');
  });

  it('does not stand for omitted code if the new file has that code, too', () => {
    expect(told('# evaluate() and main() remain unchanged', old)).toBe('taken');
    expect(told('# the optimum remains unchanged')).toBe('taken');
  });

  it('is an ordinary remark in a REPLACE text', () => {
    const edit = { path: 'a.py', search: '    a', replace: '    # main unchanged\n    d' };
    expect(applyEdits({ 'a.py': old }, [edit], ['a.py'])).toMatchObject({ ok: true });
  });

  it('is a stub below a docstring only as the whole body of a method', () => {
    expect(told('class P:\n    def f(self):\n        """Does it."""\n        ...')).toBe('taken');
    expect(told('def f():\n    """Does it."""\n    ...\n    return 1')).toContain('left out');
    expect(told('"""A module."""\n...')).toContain('left out');
  });
});
