import { mutableOnly } from '../../../../domain/edit/scope/edit-scope.ts';
import { describe, expect, test } from 'vitest';
import type { Knob } from '../../../../domain/knob/knob.ts';
import { applyListed } from '../../../../domain/search/replay/apply-listed.ts';
import { type ListedCandidate, readList } from '../../../../domain/search/replay/read-list.ts';

const KNOBS: Knob[] = [
  { file: 'a.py', name: 'lr', type: 'float', range: [0, 1], scale: 'linear' },
  { file: 'a.py', name: 'layers', type: 'int', range: [1, 4], scale: 'linear' },
  { file: 'a.py', name: 'mode', type: 'choice', values: ['fast', 'slow'] },
];
const mutablePaths = ['a.py', 'b.py'];
const read = (text: string, path = 'list.jsonl') => readList(text, { path, knobs: KNOBS, mutablePaths });
const parent = { 'a.py': "lr = 0.5\nlayers = 2\nmode = 'fast'\n", 'b.py': 'x = 1\n' };

const applied = (candidate: ListedCandidate | undefined) => {
  if (candidate === undefined) throw new Error('Expected a candidate');
  return applyListed(candidate, { parent, scope: mutableOnly(mutablePaths) });
};

describe('a list of candidates', () => {
  test('is JSON lines or a JSON array, each candidate with its position', () => {
    const lines = '\ufeff{"knobs": {"lr": 0.1}}\n\n{"files": {"b.py": "x = 2\\n"}, "hypothesis": "two"}\n';
    expect(read(lines).candidates.map(({ label }) => label)).toEqual(['list.jsonl:1', 'list.jsonl:3']);
    const { candidates } = read('[{"knobs": {"a.py:layers": 3, "mode": "slow"}}]', 'list.json');
    expect(candidates).toMatchObject([{ label: 'list.json[0]', settings: [{ value: 3 }, { value: 'slow' }] }]);
  });

  test.each([
    ['{"knobs": {"lrr": 0.1}}', 'list.jsonl:1: knobs: expected one of the knobs lr, layers and mode, got "lrr"'],
    ['{"knobs": {"lr": 2}}', 'list.jsonl:1: knobs.lr: expected a number from 0 to 1, got 2'],
    ['{"knobs": {"layers": 1.5}}', 'list.jsonl:1: knobs.layers: expected a whole number from 1 to 4, got 1.5'],
    ['{"knobs": {"mode": "slower"}}', 'list.jsonl:1: knobs.mode: expected one of fast and slow, got "slower"'],
    ['{"files": {"../evaluate.py": ""}}', 'list.jsonl:1: files: expected mutable files (a.py and b.py)'],
    ['{"knobs": {"lr": 0.1, "a.py:lr": 0.2}}', 'list.jsonl:1: knobs: expected one value of a.py:lr, got several'],
    ['{"lr": 0.1}', 'list.jsonl:1: lr: the key is not known'],
    ['{}', 'list.jsonl:1: expected knobs or files'],
    ['{"knobs": {"lr": [1]}}', 'list.jsonl:1: knobs.lr: expected'],
    ['{"knobs"', 'list.jsonl:1: expected a JSON object'],
    ['7', 'list.jsonl:1: '],
    ['', 'list.jsonl: expected at least one candidate'],
  ])('names what is wrong with %s', (text, problem) => {
    const { candidates, problems } = read(text);
    expect(candidates).toEqual([]);
    expect(problems[0]).toContain(problem);
  });

  test('names the file of a knob if several knobs have the name', () => {
    const other: Knob = { file: 'b.py', name: 'lr', type: 'float', range: [0, 1], scale: 'linear' };
    const listed = (text: string) => readList(text, { path: 'list.jsonl', knobs: [...KNOBS, other], mutablePaths });
    expect(listed('{"knobs": {"lr": 0.1}}').problems).toEqual([
      'list.jsonl:1: knobs: expected one of a.py:lr and b.py:lr, got "lr"',
    ]);
    expect(listed('{"knobs": {"b.py:lr": 0.1}}').candidates[0]?.settings).toMatchObject([{ knob: { file: 'b.py' } }]);
  });

  test('reports every bad candidate', () => {
    expect(read('{"knobs": {"lr": 2}}\n{"knobs": {"lr": 0.1}}\n{"knobs": {"lr": -1}}').problems).toHaveLength(2);
  });
});

describe('a listed candidate', () => {
  test('replaces whole files, then sets knobs in them', () => {
    const list = read('{"files": {"a.py": "lr = 0.2\\nlayers = 1\\nmode = \'slow\'\\n"}, "knobs": {"lr": 0.3}}');
    expect(applied(list.candidates[0])).toMatchObject({
      ok: true,
      files: { 'a.py': "lr = 0.3\nlayers = 1\nmode = 'slow'\n", 'b.py': 'x = 1\n' },
      hypothesis: 'list.jsonl:1: lr 0.2 → 0.3 (a.py)',
    });
  });

  test('keeps its own hypothesis', () => {
    const list = read('{"files": {"b.py": "x = 2\\n"}, "hypothesis": "two is better"}');
    expect(applied(list.candidates[0])).toMatchObject({ ok: true, hypothesis: 'list.jsonl:1: two is better' });
  });

  test('that equals its parent is no proposal', () => {
    const list = read('{"knobs": {"lr": 0.5}, "files": {"b.py": "x = 1\\n"}}');
    expect(applied(list.candidates[0])).toMatchObject({ ok: false, isParent: true });
  });

  test('sets no knob that its parent lacks', () => {
    const list = read('{"files": {"a.py": "lr = make()\\n"}, "knobs": {"lr": 0.3}}');
    expect(applied(list.candidates[0])).toMatchObject({ ok: false, isParent: false });
  });
});
