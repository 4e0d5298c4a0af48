import { describe, expect, it, test } from 'vitest';
import { applyEdits } from '../../../domain/edit/apply-edits.ts';
import { endOfKnobAnswer, readKnobAnswer } from '../../../domain/edit/knob-answer.ts';
import { findAssignments } from '../../../domain/knob/knob-value.ts';
import type { Knob } from '../../../domain/knob/knob.ts';
import { setKnobs } from '../../../domain/edit/set-knobs.ts';

const file = 'knobs.mjs';
const lr: Knob = { file, name: 'lr', type: 'float', range: [1e-4, 10], scale: 'log' };
const steps: Knob = { file, name: 'steps', type: 'int', range: [1, 500], scale: 'linear' };
const kind: Knob = { file, name: 'kind', type: 'choice', values: ['sgd', 'sgd-slow', 'adam', 3, true] };
const source = "export const lr = 1e-2;\nexport const steps = 40;\nexport const kind = 'sgd';\n";
const files = { [file]: source };

/** The values that an answer sets, or the label and the reason of its refusal. */
function read(text: string, knobs: readonly Knob[] = [lr]): unknown {
  const answer = readKnobAnswer(text, { knobs, files });
  if (!answer.ok) return `${answer.label}: ${answer.reason}`;
  const applied = applyEdits(files, answer.edits, [file]);
  if (!applied.ok) return expect.unreachable(applied.reason);
  const values = knobs.map(({ name }) => findAssignments(applied.files[file] ?? '', name)[0]?.value);
  return knobs.length === 1 ? values[0] : values;
}

describe('an answer sets a knob', () => {
  test.each([
    ['lr = 0.2', 0.2],
    ['lr=0.2', 0.2],
    ['lr: 0.2', 0.2],
    ['lr := .2', 0.2],
    ['LR = 0.2.', 0.2],
    ['  lr = +0.2  ', 0.2],
    ['lr = 2e-1', 0.2],
    ['lr = 2.E-1', 0.2],
    ['lr = 1e+0', 1],
    ['lr = 10', 10],
    ['lr = 0.0001', 1e-4],
    ['**lr** = **0.2**', 0.2],
    ['*lr = 0.2*', 0.2],
    ['`lr = 0.2`', 0.2],
    ['`lr` = `0.2`', 0.2],
    ['"lr": "0.2"', 0.2],
    ['{"lr": 0.2}', 0.2],
    ['$lr$ = $0.2$', 0.2],
    ['lr = <0.2>', 0.2],
    ['--lr=0.2', 0.2],
    ['- lr: 0.2', 0.2],
    ['1. lr = 0.2', 0.2],
    ['```\nlr = 0.2\n```', 0.2],
    ['```js\nexport const lr = 0.2; // a guess\n```\nThis is a good rate for 40 steps.', 0.2],
    ['The best choice is lr = 0.2, since lr = 1 would diverge.', 0.2],
    ['lr = 0.2 (the largest that is stable)', 0.2],
    ['lr = 0.2 - a safe value', 0.2],
    ['lr = 0.2<|im_end|>', 0.2],
    ['lr = number\nlr = 0.2', 0.2],
    ['color = 3\nmin_lr = 0.5\nmy.lr = 0.6\nxlr = 0.7\nlr = 0.2', 0.2],
    ['lr = 0.2\r\nlr = 0.3', 0.2],
    ['lr = 0.2\nlr = 0.', 0.2],
    ['<think>lr = 5 or so</think>\nlr = 0.2', 0.2],
    ['lr = 5 or so\n</think>\nlr = 0.2', 0.2],
    ['[THINK]lr = 5[/THINK]lr = 0.2', 0.2],
    ['0.2', 0.2],
    ['\n\n  0.2\n', 0.2],
    ['**0.2** is my answer for 40 steps', 0.2],
    ['```\n0.2\n```', 0.2],
  ])('%j', (text, value) => expect(read(text)).toBe(value));

  it.each(['kind = None', 'kind: null', 'kind = nil,'])('to null, whichever word it has for null: %s', (text) => {
    const choice: Knob = { file: 'k.py', name: 'kind', type: 'choice', values: [null, 'sgd'] };
    const answer = readKnobAnswer(text, { knobs: [choice], files: { 'k.py': "kind = 'sgd'\n" } });
    expect(answer).toMatchObject({ ok: true, hypothesis: "kind 'sgd' → None (k.py)" });
  });

  it('not to the value that it has in another form', () => {
    expect(read('lr = 0.01')).toMatch(/^no-change: /);
  });
});

describe('an answer that sets no knob is refused with a reason that names the remedy', () => {
  const FORM = 'expected lr = number';
  const RANGE = 'unreadable-answer: lr: expected a number from 0.0001 to 10, got ';
  test.each([
    ['', `unreadable-answer: the answer is empty; ${FORM}`],
    [' \n\t', `unreadable-answer: the answer is empty; ${FORM}`],
    ['I would try a larger rate.', `unreadable-answer: the answer gives no value for lr; ${FORM}`],
    ['The best rate is 0.2', `unreadable-answer: the answer gives no value for lr; ${FORM}`],
    ['learning rate = 0.2', `unreadable-answer: the answer gives no value for lr; ${FORM}`],
    ['lr == 0.2', `unreadable-answer: the answer gives no value for lr; ${FORM}`],
    ['lr => 0.2', `unreadable-answer: the answer gives no value for lr; ${FORM}`],
    ['lr 0.2', `unreadable-answer: the answer gives no value for lr; ${FORM}`],
    ['lr =', `${RANGE}nothing`],
    ['lr =\n0.2', `${RANGE}nothing`],
    ['lr = number', `${RANGE}"number"`],
    ['lr = two', `${RANGE}"two"`],
    ['lr = -0.2', `${RANGE}-0.2`],
    ['lr = 40', `${RANGE}40`],
    ['lr = 10.0001', `${RANGE}10.0001`],
    ['lr = 0', `${RANGE}0`],
    ['lr = 1e999', `${RANGE}1e999`],
    ['lr = NaN', `${RANGE}"NaN"`],
    ['lr = Infinity', `${RANGE}"Infinity"`],
    ['lr = -inf', `${RANGE}"-inf"`],
    ['lr = 0,2', `${RANGE}"0,2", which goes on after 0`],
    ['lr = 1,000', `${RANGE}"1,000", which goes on after 1`],
    ['lr = 1 000', `${RANGE}"1 000", which goes on after 1`],
    ['lr = 0.1.2', `${RANGE}"0.1.2", which goes on after 0.1`],
    ['lr = 2e', `${RANGE}"2e", which goes on after 2`],
    ['lr = 2e-', `${RANGE}"2e-", which goes on after 2`],
    ['lr = 0x1', `${RANGE}"0x1", which goes on after 0`],
    ['lr = 1_0', `${RANGE}"1_0", which goes on after 1`],
    ['lr = 5%', `${RANGE}"5%", which goes on after 5`],
    ['lr = 1/5', `${RANGE}"1/5", which goes on after 1`],
    ['lr = 1 x 10^-3', `${RANGE}"1 x 10^-3", which goes on after 1`],
    ['lr = 1 × 10^{-3}', `${RANGE}"1 × 10^{-3}", which goes on after 1`],
    ['lr = 2 \\times 10^{-3}', `${RANGE}"2 \\\\times 10^{-3}", which goes on after 2`],
    ['lr = 10**-3', `${RANGE}"10**-3", which goes on after 10`],
    ['lr = 5 * margin of error', `${RANGE}"5 * margin of error", which goes on after 5`],
    ['lr = 0.2 ** batch_size', `${RANGE}"0.2 ** batch_size", which goes on after 0.2`],
    ['lr = 1.0√(1', `${RANGE}"1.0√(1", which goes on after 1.0`],
    ['lr = 0.1-0.2', `${RANGE}"0.1-0.2", which goes on after 0.1`],
    ['lr = 0.1 to 0.2', `${RANGE}"0.1 to 0.2", which goes on after 0.1`],
    ['lr = 0.1 or 0.2', `${RANGE}"0.1 or 0.2", which goes on after 0.1`],
    ['lr = 0.1...0.2', `${RANGE}"0.1...0.2", which goes on after 0.1`],
    ['lr = ٣', `${RANGE}"٣"`],
    ['lr = 0٣', `${RANGE}"0٣", which goes on after 0`],
    ['lr = process.exit()', `${RANGE}"process.exit()"`],
    [`lr = ${'9'.repeat(90)}`, RANGE],
  ])('%j', (text, reason) => expect(read(text)).toContain(reason));

  it('is refused if it repeats the values of the parent', () => {
    const answer = readKnobAnswer('lr = 0.010', { knobs: [lr], files: { [file]: 'lr = 0.01\n' } });
    expect(answer).toEqual({
      ok: false,
      label: 'no-change',
      reason: 'expected another value for at least one knob, got those of the parent: lr = 0.01',
    });
  });

  it('is refused if a knob is missing, doubled or an expression in the parent', () => {
    for (const text of ['', 'lr = 1\nlr = 2\n', 'lr = base * 2\n'])
      expect(readKnobAnswer('lr = 0.5', { knobs: [lr], files: { [file]: text } })).toEqual({
        ok: false,
        label: 'edit-does-not-apply',
        reason:
          'expected a parent whose knobs.mjs sets lr exactly once, to a literal value; ' +
          'the parent sets it never, several times or to an expression',
      });
    expect(readKnobAnswer('lr = 0.5', { knobs: [lr], files: {} })).toMatchObject({ label: 'edit-does-not-apply' });
  });
});

describe('an answer for several knobs', () => {
  const all = [lr, steps, kind];
  test.each([
    ['lr = 0.2\nsteps = 100\nkind = adam', [0.2, 100, 'adam']],
    ['kind: "adam", steps: 1e2, lr: 0.2', [0.2, 100, 'adam']],
    ['{"kind": "sgd-slow", "lr": 0.2, "steps": 100.0}', [0.2, 100, 'sgd-slow']],
    ['```yaml\nsteps: 100\nlr: 0.2\nkind: Adam.\n```', [0.2, 100, 'adam']],
    ['lr = 0.2, steps = 100, kind = 3.0', [0.2, 100, 3]],
    ['lr = 0.2; steps = 100; kind = True;', [0.2, 100, true]],
  ])('may come in any order and form: %j', (text, values) => expect(read(text, all)).toEqual(values));

  test.each([
    [
      'steps = 100, kind = adam',
      'the answer gives no value for lr; expected lr = number, steps = number, kind = value',
    ],
    ['0.2', 'the answer gives no value for lr'],
    ['lr = 0.2, steps = 1.5, kind = adam', 'steps: expected a whole number from 1 to 500, got 1.5'],
    ['lr = 0.2, steps = 501, kind = adam', 'steps: expected a whole number from 1 to 500, got 501'],
    ['lr = 0.2, steps = 5, kind = adamw', 'kind: expected one of sgd, sgd-slow, adam, 3, true, got "adamw"'],
    ['lr = 0.2, steps = 5, kind = sgd-slower', 'kind: expected one of sgd, sgd-slow, adam, 3, true, got "sgd-slower"'],
    ['lr = 0.2, steps = 5, kind = 3.5', 'kind: expected one of'],
    ['lr = 0.2, steps = 5, kind =', 'kind: expected one of sgd, sgd-slow, adam, 3, true, got nothing'],
  ])('is refused as a whole if one value is missing or wrong: %j', (text, reason) =>
    expect(read(text, all)).toContain(`unreadable-answer: ${reason}`),
  );

  it('names every change, and edits only the lines of knobs that change', () => {
    expect(readKnobAnswer('lr = 0.2, steps = 40, kind = adam', { knobs: all, files })).toEqual({
      ok: true,
      hypothesis: "lr 1e-2 → 0.2 (knobs.mjs), kind 'sgd' → 'adam' (knobs.mjs)",
      edits: [
        { path: file, search: 'export const lr = 1e-2;', replace: 'export const lr = 0.2;' },
        { path: file, search: "export const kind = 'sgd';", replace: "export const kind = 'adam';" },
      ],
    });
  });

  it('keeps the earlier changes if a later one needs the whole file', () => {
    const twice = { [file]: 'lr = 0.1\n# {\nsteps = 40\n# }\n' };
    const answer = readKnobAnswer('lr = 0.2, steps = 7', { knobs: [lr, steps], files: twice });
    if (!answer.ok) return expect.unreachable(answer.reason);
    expect(applyEdits(twice, answer.edits, [file])).toMatchObject({
      files: { [file]: 'lr = 0.2\n# {\nsteps = 7\n# }\n' },
    });
  });

  it('distinguishes names that differ only in case', () => {
    const knobs: Knob[] = [lr, { ...lr, name: 'LR' }];
    const both = { [file]: 'lr = 0.1\nLR = 0.1\n' };
    const answer = readKnobAnswer('LR = 0.3\nlr = 0.2', { knobs, files: both });
    expect(answer).toMatchObject({ ok: true, hypothesis: 'lr 0.1 → 0.2 (knobs.mjs), LR 0.1 → 0.3 (knobs.mjs)' });
  });

  it('matches a name with special characters of a regular expression literally', () => {
    const odd: Knob = { ...lr, name: 'a.b(c)*' };
    const answer = readKnobAnswer('axb(c)* = 0.3\na.b(c)* = 0.2', {
      knobs: [odd],
      files: { [file]: 'a.b(c)* = 0.1\n' },
    });
    expect(answer).toMatchObject({ ok: true, hypothesis: 'a.b(c)* 0.1 → 0.2 (knobs.mjs)' });
  });
});

describe('a hostile answer', () => {
  test.each([
    ['names without values', 'lr '.repeat(30_000)],
    ['marks without an end', `lr${' '.repeat(90_000)}`],
    ['assignments to nothing', 'lr = '.repeat(19_000)],
    ['fences', '```'.repeat(30_000)],
    ['blank lines', '\n'.repeat(90_000)],
    ['digits', `lr = ${'1'.repeat(90_000)}`],
    ['zeros', `lr = 0.${'0'.repeat(90_000)}1`],
    ['an exponent', `lr = 1e${'9'.repeat(90_000)}`],
    ['thoughts that never end', `<think>${'lr = x '.repeat(10_000)}`],
    ['lone surrogates and controls', '\ud800\0\u001b[2J lr = \udfff'],
  ])('of %s is refused, with a short reason', (_, text) => {
    expect(read(text)).toMatch(/^unreadable-answer: /);
    expect(String(read(text)).length).toBeLessThan(400);
  });

  it('of a megabyte is refused unread', () => {
    expect(read(`lr = 0.2 ${'x'.repeat(1_000_000)}`)).toBe(
      'unreadable-answer: the answer has 1000009 characters, more than 100000',
    );
  });
});

describe('a knob that is set', () => {
  const knob = { file: 'k', name: 'LR', type: 'float', range: [0, 1] } as Knob;

  test.each([
    ['a byte order mark', '\ufeffLR = 0.1\n', '\ufeffLR = 0.2\n'],
    ['a byte order mark and the same line twice', '\ufeffLR = 0.1\nx\nx\n', '\ufeffLR = 0.2\nx\nx\n'],
    ['line ends of two kinds', 'x\r\nLR = 0.1\r\ny\n', 'x\r\nLR = 0.2\r\ny\n'],
    ['a line that stands for omitted code', '# ... rest unchanged\nLR = 0.1\n', '# ... rest unchanged\nLR = 0.2\n'],
  ])('a knob is set in a file with %s', (_name, file, expected) => {
    const set = setKnobs([{ knob, value: 0.2 }], { k: file });
    if (!set.ok) return expect.unreachable(set.reason);
    expect(applyEdits({ k: file }, set.edits, ['k'])).toMatchObject({ files: { k: expected } });
  });
});

describe('the end of an answer', () => {
  const end = (text: string, knobs: readonly Knob[] = [lr]): string | null => {
    const at = endOfKnobAnswer(text, { knobs, files });
    return at === null ? null : text.slice(0, at);
  };

  test.each([
    ['lr = 0.2', 'lr = 0.2'],
    ['lr = 0.2\nlr = 0.3 and more', 'lr = 0.2'],
    ['lr = 0.2 (the largest that is stable)', 'lr = 0.2'],
    ['**lr** = **0.2**, since', '**lr** = **0.2'],
    ['<think>lr = 5 or so</think>\nlr = 2e-1, surely', '<think>lr = 5 or so</think>\nlr = 2e-1'],
    ['lr = number\nlr = 0.2 or so', 'lr = number\nlr = 0.2'],
    ['0.2 is good', '0.2'],
  ])('of %j is behind the value that counts', (text, expected) => {
    expect(end(text)).toBe(expected);
  });

  test.each([
    ['steps = 9, kind = "adam", lr = 0.2, so', 'steps = 9, kind = "adam", lr = 0.2'],
    ['lr = 0.2\nkind = sgd-slow\nsteps = 9\nlr = 1', 'lr = 0.2\nkind = sgd-slow\nsteps = 9'],
    ['lr = 0.2\nsteps = 9\nkind = `3` (fast)', 'lr = 0.2\nsteps = 9\nkind = `3'],
  ])('of %j is behind the last of several knobs', (text, expected) => {
    expect(end(text, [lr, steps, kind])).toBe(expected);
  });

  test.each(['', 'lr = fast', 'lr = 50', '<think>lr = 0.2'])('of %j, which cannot be read, is unknown', (text) => {
    expect(end(text)).toBeNull();
  });
});
