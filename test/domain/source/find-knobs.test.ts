import { expect, test } from 'vitest';
import { changeKnobs } from '../../../domain/source/change-knobs.ts';
import { findKnobs } from '../../../domain/source/find-knobs.ts';

/** Knobs as short texts: `rate 0.03..3 float log`. */
const shown = (found: ReturnType<typeof findKnobs>['found']): string[] =>
  found.map(({ knob }) =>
    knob.type === 'choice'
      ? `${knob.name} ${knob.values.join('|')}`
      : `${knob.name} ${knob.range.join('..')} ${knob.type} ${knob.scale}`,
  );

const found = (text: string, file = 'train.py'): string[] => shown(findKnobs({ [file]: text }).found);

test.each([
  ['train.py', 'rate = 0.3', 'rate 0.03..3 float log'],
  ['train.py', 'LR = 0.1  # rate', 'LR 0.01..1 float log'],
  ['train.py', 'lr: float = 3e-4', 'lr 0.00003..0.003 float log'],
  ['train.py', 'BATCH = 64', 'BATCH 16..256 int log'],
  ['train.py', 'STEPS = 10_000', 'STEPS 2500..40000 int log'],
  ['train.py', 'SCALE = 1.0', 'SCALE 0.1..10 float log'],
  ['train.py', 'FLAG = True', 'FLAG true|false'],
  ['train.py', 'dropout = 0.1', 'dropout 0..1 float linear'],
  ['train.py', '\ufeffrate = 0.3\r\n', 'rate 0.03..3 float log'],
  ['train.js', 'const rate = 0.3;', 'rate 0.03..3 float log'],
  ['train.ts', 'export const batchSize: number = 64;', 'batchSize 16..256 int log'],
  ['train.mjs', 'let useBias = false;', 'useBias false|true'],
  ['train.sh', 'RATE=1.5', 'RATE 0.15..15 float log'],
  ['conf.json', '{\n  "optimizer": {\n    "lr": 0.1\n  }\n}', 'lr 0.01..1 float log'],
  ['conf.yaml', 'model:\n  depth: 8', 'depth 2..32 int log'],
  ['conf.toml', '[model]\nwidth = 128', 'width 32..512 int log'],
])('%s with %j has a knob', (file, text, knob) => expect(found(text, file)).toEqual([knob]));

test.each([
  'SEED = 1',
  'random_state = 42',
  'VERSION = 2',
  '__version__ = 1.5',
  'START_YEAR = 2020',
  'port = 8080',
  'user_id = 7',
  'dataPath = 3',
  'index = 3',
  'VERBOSE = True',
  'LOG_EVERY = 10',
  'offset = 0',
  'bias = -1.5',
  'ACT = "relu"',
  'total = rate * 2',
  'rate = 0.3\nrate = 0.4',
  'def f():\n    rate = 0.3',
  'CONFIG = dict(\n    rate=0.3,\n)',
  'if rate == 0.3:\n    pass',
  'f(rate=0.3)',
  '"""\nrate = 0.3\n"""',
  '# rate = 0.3',
])('no knob is guessed in %j', (text) => expect(found(text)).toEqual([]));

test('a text, zero and a negative number are named as constants whose values a person may give', () => {
  const { others } = findKnobs({ 'train.py': 'ACT = "relu"\noffset = 0\nbias = -1.5\nmodel = net\n' });
  expect(others.map(({ name, raw }) => `${name} ${raw}`)).toEqual(['ACT "relu"', 'offset 0', 'bias -1.5']);
});

test('a name that is assigned again is named, with its number of assignments', () => {
  const text = 'rate = 0.3\nfor i in range(9):\n    rate = rate * 0.9\nmodel = f()\nmodel = g()\nseed = 1\nseed = 2\n';
  expect(findKnobs({ 'train.py': text })).toEqual({
    found: [],
    others: [],
    repeated: [{ file: 'train.py', name: 'rate', times: 2 }],
  });
});

const FILES = {
  'train.py':
    'rate = 0.3\nbatch = 64\nACT = "relu"\ndrop = None\nCONFIG = dict(\n    depth=3,\n)\n' +
    'shared = 1\ntwice = 1\ntwice = 2\n',
  'model.py': 'shared = 2\nwidth = 8\ntotal = 3 * 2\n',
};
const change = (...specs: string[]) => {
  const changed = changeKnobs(specs, { guessed: findKnobs({ 'train.py': FILES['train.py'] }), files: FILES });
  return changed.ok ? shown(changed.found) : changed.problem;
};
const [RATE, BATCH, SHARED] = ['rate 0.03..3 float log', 'batch 16..256 int log', 'shared 1..4 int log'];

test.each([
  [['rate=0.01..1'], [BATCH, SHARED, 'rate 0.01..1 float log']],
  [['rate=0.1..0.5'], [BATCH, SHARED, 'rate 0.1..0.5 float linear']],
  [['rate=-1..1'], [BATCH, SHARED, 'rate -1..1 float linear']],
  [['rate=1e-3..1:linear'], [BATCH, SHARED, 'rate 0.001..1 float linear']],
  [['batch=32..128'], [RATE, SHARED, 'batch 32..128 int linear']],
  [['batch=32..128:float:log'], [RATE, SHARED, 'batch 32..128 float log']],
  [['-batch'], [RATE, SHARED]],
  [['-*', 'ACT=relu|gelu|tanh'], ['ACT relu|gelu|tanh']],
  [['-* ACT="relu"|gelu, width=4..16'], ['ACT relu|gelu', 'width 4..16 int linear']],
  [['-*', 'drop=None|0.1|0.2'], ['drop None|0.1|0.2']],
  [['-*', 'batch=64|128'], ['batch 64|128']],
  [['-*', 'depth=1..6'], ['depth 1..6 int linear']],
  [['-*', 'model.py:shared=1..8'], ['shared 1..8 int log']],
])('--knobs %j changes the knobs', (specs, knobs) => expect(change(...specs)).toEqual(knobs));

test.each([
  ['rate', 'NAME=LOW..HIGH, NAME=A|B or -NAME'],
  ['rate=', 'NAME=LOW..HIGH, NAME=A|B or -NAME'],
  ['rate=0.1', 'LOW..HIGH with two numbers, the lower one first, or values A|B'],
  ['rate=1..0.1', 'LOW..HIGH with two numbers, the lower one first, or values A|B'],
  ['rate=a..b', 'LOW..HIGH with two numbers, the lower one first, or values A|B'],
  ['rate=0..1:log', 'a lower bound above 0 with :log'],
  ['rate=0..1:cubic', ':int, :float, :log or :linear behind the range'],
  ['rate=1..2', 'a range that includes the value in train.py, rate = 0.3'],
  ['rate=0..1:int', 'whole numbers with :int, also in the file'],
  ['ACT=1..2', 'values A|B, since train.py has ACT = "relu"'],
  ['ACT=gelu|tanh', 'values that include the one in train.py, ACT = "relu"'],
  ['ACT=relu|', 'two values or more: A|B'],
  ['ACT=relu|relu', 'values that differ'],
  ['twice=1..2', 'twice on one line of train.py, found 2: rename all but one'],
  ['total=1..2', 'total = one literal in model.py'],
  ['nobody=1..2', 'a name that a mutable file assigns: train.py, model.py'],
  ['shared=1..2', 'a name in one file; write train.py:shared or model.py:shared'],
  ['-nobody', 'one of the knobs (rate, batch, shared)'],
])('--knobs %s is refused', (spec, expected) =>
  expect(change(spec)).toBe(`--knobs: expected ${expected}; got ${JSON.stringify(spec)}`),
);
