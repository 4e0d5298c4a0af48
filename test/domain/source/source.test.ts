import { expect, test } from 'vitest';
import { formatOfMetric } from '../../../domain/source/build-task.ts';
import { exclusionReason } from '../../../domain/source/exclusion-reason.ts';
import { splitSource } from '../../../domain/source/split-source.ts';

test.each([
  '.env',
  '.env.local',
  'conf/.env',
  'server.pem',
  '.ssh/config',
  'id_rsa',
  'credentials.json',
  'secrets.yaml',
  '.netrc',
])('%s may hold a secret, and is left out', (path) => expect(exclusionReason(path)).toBe('secret'));

test.each(['.git/config', 'node_modules/a/index.js', 'a/__pycache__/b.pyc', '.venv/bin/python', 'c.pyo'])(
  '%s was made by a tool, and is left out',
  (path) => expect(exclusionReason(path)).toBe('clutter'),
);

test.each(['train.py', '.env.example', 'secret_sauce.py', 'environment.yaml', 'tokens.txt', 'id_rsa.pub', 'venv.py'])(
  '%s is a part of the task',
  (path) => expect(exclusionReason(path)).toBe(null),
);

const PATHS = ['data/test.csv', 'data/train.csv', 'evaluate.py', 'model.py', 'train.py'];
const none = () => false;

test('files of the run command may change, and files of the evaluation are hidden from runs', () => {
  const asked = { run: 'python3 ./train.py --fast', evaluate: 'python3 evaluate.py', isHeld: none, isMutable: null };
  expect(splitSource(PATHS, asked)).toEqual({
    evaluatorOnly: ['evaluate.py'],
    mutable: ['train.py'],
    workspace: ['data/test.csv', 'data/train.csv', 'model.py', 'train.py'],
  });
  const isHeld = (path: string) => path.startsWith('data/test');
  const isMutable = (path: string) => path === 'model.py';
  expect(splitSource(PATHS, { ...asked, isHeld, isMutable })).toEqual({
    evaluatorOnly: ['data/test.csv', 'evaluate.py'],
    mutable: ['model.py'],
    workspace: ['data/train.csv', 'model.py', 'train.py'],
  });
});

test('a program that trains and evaluates is immutable by default, and without an evaluation no file is hidden', () => {
  const both = { run: 'python3 train.py', evaluate: 'python3 train.py --eval', isHeld: none };
  expect(splitSource(PATHS, { ...both, isMutable: null }).mutable).toEqual([]);
  const chosen = splitSource(PATHS, { ...both, isMutable: (path) => path === 'train.py' });
  expect(chosen).toMatchObject({ evaluatorOnly: [], mutable: ['train.py'], workspace: PATHS });
  expect(splitSource(PATHS, { ...both, evaluate: null, isHeld: () => true, isMutable: null })).toMatchObject({
    evaluatorOnly: [],
    mutable: ['train.py'],
    workspace: PATHS,
  });
});

test.each([
  ['loss: 1', 'regex'],
  ['{"loss": 1}', 'json'],
  ['loss: 1\n{\n  "loss": 2\n}', 'json'],
  ['loss: 1\n{"loss": NaN}', 'json'],
  ['{"loss": 2}\nloss: 1', 'regex'],
  ['', 'regex'],
])('the last line of %j decides the form of the metric', (output, format) => {
  expect(formatOfMetric(output, 'loss')).toBe(format);
});
