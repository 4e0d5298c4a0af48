import { describe, expect, it } from 'vitest';
import { loadTask } from '../../tasks/load.ts';
import type { TaskError } from '../../tasks/task-error.ts';
import { GOOD, makeTask } from './make-task.ts';

describe('the knobs of a task', () => {
  const choiceOf = async (file: string, text: string, values: string) => {
    const knobs = `knobs: [{ file: ${file}, name: ACT, type: choice, values: [${values}] }]\n`;
    const yaml = `${GOOD.replace('[main.js]', `[${file}]`)}${knobs}`;
    const { task, hash } = await loadTask(await makeTask({ 'task.yaml': yaml, [`workspace/${file}`]: text }));
    const [knob] = task.knobs;
    return { hash, values: knob?.type === 'choice' ? knob.values : [] };
  };

  it.each([
    ['a word that means null', 'k.py', "ACT = 'relu'\n", 'None, relu', [null, 'relu']],
    ['the word of another language', 'k.json', '{\n"ACT": "relu"\n}\n', 'None, relu', [null, 'relu']],
    ['null itself', 'k.py', 'ACT = None\n', 'null, relu', [null, 'relu']],
    ['a text in quotes', 'k.py', "ACT = 'relu'\n", '"None", relu', ['None', 'relu']],
    ['a text in quotes where the file has null', 'k.json', '{\n"ACT": null\n}\n', "'null', relu", [null, 'relu']],
    ['a word where the file has it as a text', 'k.py', "ACT = 'None'\n", 'None, relu', ['None', 'relu']],
    ['undefined in JavaScript', 'k.mjs', 'export const ACT = undefined;\n', 'undefined, relu', [null, 'relu']],
    ['undefined elsewhere', 'k.py', "ACT = 'undefined'\n", 'undefined, relu', ['undefined', 'relu']],
  ])('read %s', async (_name, file, text, values, expected) => {
    expect((await choiceOf(file, text, values)).values).toEqual(expected);
  });

  it('are refused if a value is doubled or too large to be exact', async () => {
    const refused = (values: string): Promise<string> =>
      choiceOf('k.py', 'ACT = None\n', values).then(
        () => 'accepted',
        (error: unknown) => (error as TaskError).message,
      );
    expect(await refused('None, ~')).toContain(
      'knobs[0].values[1]: expected each value once, got an empty value (null)',
    );
    expect(await refused('None, 9007199254740993')).toContain('expected a whole number of at most 9007199254740991');
    expect(await refused('None, 9007199254740993.0')).toBe('accepted');
    expect(await refused('relu, ')).toContain('knobs[0].values: expected a list of at least 2');
  });

  it('are refused if an item of the list is empty', async () => {
    const values = '    values:\n      - a\n      -\n';
    const yaml = `${GOOD}knobs:\n  - file: main.js\n    name: KIND\n    type: choice\n${values}`;
    await expect(loadTask(await makeTask({ 'task.yaml': yaml }))).rejects.toThrow(
      'knobs[0].values[1]: expected a value, got nothing; ' +
        'write a value behind the dash, null for an empty one, or remove it',
    );
  });
});
