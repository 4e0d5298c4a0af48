import { describe, expect, it } from 'vitest';
import { loadTask } from '../../tasks/load.ts';
import { GOOD, makeTask } from './make-task.ts';

const withYaml = (text: string): Record<string, string> => ({ 'task.yaml': `${GOOD}${text}` });

describe('the hashes of a task', () => {
  const changed = async (files: Record<string, string>): Promise<string[]> => {
    const [before, after] = await Promise.all([loadTask(await makeTask()), loadTask(await makeTask(files))]);
    const keys = ['hash', 'immutableHash', 'evaluatorHash', 'metricKey', 'stageHash'] as const;
    return keys.filter((key) => before[key] !== after[key]);
  };
  it.each([
    ['nothing', {}, []],
    ['a comment', withYaml('# a comment\n'), ['hash']],
    ['the search', withYaml('search: { history: 3 }\n'), ['hash']],
    ['the prompt', { 'prompt.md': 'x' }, ['hash']],
    ['a mutable file', { 'workspace/main.js': 'x' }, ['hash']],
    ['an immutable file', { 'workspace/data.txt': 'x' }, ['hash', 'immutableHash', 'stageHash']],
    ['the command', { 'task.yaml': GOOD.replace('node main.js', 'node  main.js') }, ['hash', 'immutableHash']],
    ['the sandbox', { 'task.yaml': GOOD.replace('  artefacts', '  sandbox: none\n  artefacts') }, ['hash']],
    ['the setup', withYaml('setup: { commands: ["true"] }\n'), ['hash', 'immutableHash', 'stageHash']],
    ['an evaluator file', { 'evaluator/score.js': 'x' }, ['hash', 'evaluatorHash', 'metricKey']],
    ['the evaluator', { 'task.yaml': `${GOOD}  timeoutSeconds: 9\n` }, ['hash', 'evaluatorHash', 'metricKey']],
    ['who reads its cases', { 'task.yaml': `${GOOD}  feedback: true\n` }, ['hash']],
    ['the held-out score', { 'task.yaml': `${GOOD}  heldOut: node other.js\n` }, ['hash']],
    ['the direction', { 'task.yaml': GOOD.replace('minimize', 'maximize') }, ['hash', 'metricKey']],
    ['the bounds', { 'task.yaml': GOOD.replace('minimize', 'minimize\n  max: 9') }, ['hash']],
    [
      'an environment',
      { ...withYaml("environment: { python: '3.11', lock: l.txt }\n"), 'l.txt': 'six==1.17.0\n' },
      ['hash', 'immutableHash', 'evaluatorHash', 'metricKey'],
    ],
    ['minDelta', { 'task.yaml': GOOD.replace('minimize', 'minimize\n  minDelta: 9') }, ['hash']],
  ] as [string, Record<string, string>, string[]][])('change as expected with %s', async (_name, files, keys) => {
    expect(await changed(files)).toEqual(keys);
  });

  const SET_UP = `${GOOD}environment: { python: '3.11', lock: l.txt }\nsetup: { commands: [make] }\n`;
  const DRAWN = GOOD.replace(
    '  type: artefact',
    "  type: artefact\n  draws: [{ path: data.txt, command: 'sh draw.sh' }]",
  );
  const stageOf = async (yaml: string, files: Record<string, string>): Promise<string> => {
    const all = { 'l.txt': 'six==1.17.0\n', 'evaluator/draw.sh': 'date', ...files };
    return (await loadTask(await makeTask({ 'task.yaml': yaml, ...all }))).stageHash;
  };
  it.each([
    ['a mutable file', SET_UP, { 'workspace/main.js': 'x' }, false],
    ['an evaluator file that draws nothing', SET_UP, { 'evaluator/draw.sh': 'x' }, false],
    ['the time of a setup', SET_UP, { 'task.yaml': SET_UP.replace('[make]', '[make], timeoutSeconds: 9') }, false],
    ['an immutable file', SET_UP, { 'workspace/data.txt': 'x' }, true],
    ['which files are mutable', SET_UP, { 'task.yaml': SET_UP.replace('[main.js]', '[main.js, data.txt]') }, true],
    ['the commands of a setup', SET_UP, { 'task.yaml': SET_UP.replace('[make]', '[make all]') }, true],
    ['the lock of its Python', SET_UP, { 'l.txt': 'six==1.16.0\n' }, true],
    ['its programs', SET_UP, { 'task.yaml': SET_UP.replace('  budget', '  path: [/opt/x/bin]\n  budget') }, true],
    ['the program that draws a file', DRAWN, { 'evaluator/draw.sh': 'x' }, true],
    ['the command that draws a file', DRAWN, { 'task.yaml': DRAWN.replace('sh draw', 'bash draw') }, true],
  ])('of a stage depend on its contents alone: %s', async (_what, yaml, files, isAnother) => {
    const [before, after] = await Promise.all([stageOf(yaml, {}), stageOf(yaml, files)]);
    expect(before !== after).toBe(isAnother);
  });
});
