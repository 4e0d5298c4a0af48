import { expect, it } from 'vitest';
import { Task } from '../../../domain/task/task.ts';
import { shownFiles, shownProblems } from '../../../tasks/folder/shown-files.ts';

const file = (path: string, text: string | Uint8Array) => ({
  path,
  executable: false,
  content: typeof text === 'string' ? Buffer.from(text) : text,
});
const workspace = [
  file('train.js', 'a'),
  file('data.js', 'b'),
  file('lib/deep.js', 'c'),
  file('corpus.txt', 'd'),
  file('picture.bin', new Uint8Array([0, 255])),
];
const version = (files: string[]) => ({
  task: Task.parse({
    name: 'tiny',
    description: 'x',
    mutable: ['train.js'],
    llm: { files },
    run: { command: 'node train.js', budget: { seconds: 1 }, artefacts: [{ path: 'model.json' }] },
    metric: { name: 'loss', direction: 'minimize' },
    evaluator: { type: 'artefact', command: 'x', draws: [{ path: 'corpus.txt', command: 'x' }] },
  }),
  mutablePaths: ['train.js'],
});

it('shows the immutable texts that a glob matches, without drawn and binary files', () => {
  expect(shownFiles(workspace, version([]))).toEqual({});
  expect(shownFiles(workspace, version(['**']))).toEqual({ 'data.js': 'b', 'lib/deep.js': 'c' });
  expect(shownFiles(workspace, version(['*.js']))).toEqual({ 'data.js': 'b' });
});

it('refuses a glob that shows nothing, with its path and the reason', () => {
  expect(shownProblems(workspace, version(['data.js']))).toEqual([]);
  expect(shownProblems(workspace, version(['data.js', 'nothing.js', '*.txt', 'train.js']))).toMatchObject([
    { path: ['llm', 'files', 1], got: 'nothing.js, which matches none' },
    { path: ['llm', 'files', 2], got: '*.txt, whose files are mutable, drawn or no text' },
    { path: ['llm', 'files', 3], got: 'train.js, whose files are mutable, drawn or no text' },
  ]);
});
