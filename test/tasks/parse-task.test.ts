import { describe, expect, it } from 'vitest';
import { PROPOSERS } from '../../domain/search/proposer/table.ts';
import { parseTask } from '../../tasks/parse-task.ts';
import { TaskError } from '../../tasks/task-error.ts';
import { GOOD } from './make-task.ts';

/** The printed issues of a refused YAML. */
function refusal(yaml: string): string {
  try {
    parseTask(yaml);
  } catch (error) {
    expect(error).toBeInstanceOf(TaskError);
    return (error as TaskError).message;
  }
  return 'accepted';
}
const put = (old: string | RegExp, replacement: string): string => {
  const yaml = GOOD.replace(old, replacement);
  expect(yaml, 'the replacement must change something').not.toBe(GOOD);
  return yaml;
};
const add = (text: string): string => `${GOOD}${text}\n`;

describe('broken YAML', () => {
  it.each([
    ['an empty file', '', 'task.yaml: expected a task, got an empty file'],
    ['only comments', '# nothing\n', 'got an empty file'],
    ['an empty document', '---\n', 'got an empty file'],
    [
      'more aliases than a task needs',
      add(`env: [${'*a, '.repeat(101)}]`),
      'task.yaml: expected a task written out, got too many aliases (101 aliases); ' +
        'write the values instead of *aliases',
    ],
    [
      'brackets without end',
      add(`env: ${'['.repeat(5000)}`),
      'task.yaml: expected a task, got lists or mappings nested too deep',
    ],
    [
      'a setup that nobody follows so long',
      add('setup: {commands: [make], timeoutSeconds: 86401}'),
      'setup.timeoutSeconds: expected a number above 0 and at most 86400',
    ],
    [
      'a model that is waited for so long',
      add('llm: {deadlineSeconds: 3601}'),
      'llm.deadlineSeconds: expected a number above 0 and at most 3600',
    ],
    ['more audits than can be counted', add('abort: {audit: {first: 3000000000}}'), 'abort.audit.first'],
    ['a duplicate key', add('name: other'), 'task.yaml:15:1 expected each key once, got name again'],
    ['a tab as indentation', put('  command: node main.js', '\tcommand: node main.js'), 'task.yaml:5:1'],
    ['two documents', add('---\nname: other'), 'expected one document, got 2 (separated by ---); keep one to a file'],
    ['an unclosed quote', put('a tiny task', '"a tiny task'), 'expected a closed quote'],
    [
      'a text with a colon',
      put('a tiny task', 'a task: tiny'),
      'put a text with : # { [ * & ! % @ or ` in it into quotes',
    ],
    ['a tag', put('a tiny task', '!include other.yaml'), 'a tag that is not known'],
    [
      'an alias of nothing',
      put('[main.js]', '[*.js]'),
      'task.yaml:3:11 expected a value, got *.js, an alias without an anchor &.js; ' +
        "a text that begins with * needs quotes: '*.js'",
    ],
    [
      'an escape that YAML does not know',
      put('a tiny task', '"a \\d task"'),
      'put it in single quotes, where a backslash is a backslash',
    ],
    ['a list at the top', '- name: tiny\n', 'task.yaml:1:1 expected a mapping with name, description, mutable'],
    ['a text at the top', 'tiny\n', 'got the text "tiny"'],
    ['a number at the top', '7\n', 'got the number 7'],
    ['a missing colon', put('name: tiny', 'name tiny'), 'task.yaml:1:1'],
    ['a missing blank', put('name: tiny', 'name:tiny'), 'write key: value, with a blank behind the colon'],
    ['a script instead', '#!/bin/sh\nset -e; echo {\n', 'task.yaml:'],
  ])('is refused with its position: %s', (_name, yaml, expected) => {
    expect(refusal(yaml)).toContain(expected);
  });

  it('is refused for a tab alone, not for the misread text behind it', () => {
    expect(refusal(put('  budget:', '\tbudget:')).split('\n')).toHaveLength(1);
  });

  it('is refused if its aliases expand too far', () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x,x]',
      'b: &b [*a,*a,*a,*a,*a,*a,*a,*a]',
      'c: &c [*b,*b,*b,*b,*b,*b,*b,*b]',
      'd: [*c,*c,*c,*c,*c]',
    ];
    expect(refusal(bomb.join('\n'))).toContain('too many aliases');
  });

  it('is refused if it is nested too deep', () => {
    expect(refusal('['.repeat(100_000))).toMatch(/nested too deep|expected/);
    expect(refusal('{a: '.repeat(20_000))).toMatch(/nested too deep|expected/);
  });

  it('is refused with a TaskError, whatever its bytes are', () => {
    let state = 7;
    const next = (n: number): number => (state = (state * 48271) % 2147483647) % n;
    const marks = [...': -#{}[]&*!|>\'"%@`\n\t ,?~aZ0\u00e4\u2028'];
    for (let i = 0; i < 400; i += 1) {
      const noise = Array.from({ length: next(60) }, () => marks[next(marks.length)]).join('');
      const at = next(GOOD.length);
      for (const text of [noise, GOOD.slice(0, at) + noise + GOOD.slice(at)])
        expect(typeof refusal(text)).toBe('string');
    }
  });

  it('may have a byte order mark, CRLF or a few anchors, or be JSON', () => {
    expect(refusal(`\ufeff${GOOD}`)).toBe('accepted');
    expect(refusal(GOOD.replaceAll('\n', '\r\n'))).toBe('accepted');
    expect(
      refusal(put('name: loss', 'name: &n loss').replace('a tiny task', 'x') + 'secondary: [{ name: other }]\n'),
    ).toBe('accepted');
    expect(refusal(JSON.stringify(parseTask(GOOD).source.value))).toBe('accepted');
  });
});

describe('YAML that does not fit the schema', () => {
  it.each([
    [
      'a misspelt key',
      put('seconds: 2', 'secnds: 2'),
      'task.yaml:7:5 run.budget.secnds: the key is not known; expected one of seconds, kind, most; ' +
        'did you mean seconds?',
    ],
    [
      'a misspelt key at the top',
      add('serach: {}'),
      'task.yaml:15:1 serach: the key is not known; expected one of name, description,',
    ],
    ['a key in another style', put('seconds: 2', 'seconds: 2\n  timeout_seconds: 9'), 'did you mean timeoutSeconds?'],
    ['a key in the wrong place', add('seed: 1'), 'task.yaml:15:1 seed: the key is not known'],
    ['a key with a word too many', add('mutable_files: [a]'), 'did you mean mutable?'],
    ['a key cut short', put('direction:', 'dir:'), 'did you mean direction?'],
    ['a key cut short, with its plural', put('seconds: 2', 'secs: 2'), 'did you mean seconds?'],
    [
      'a merge key',
      put('run:', 'run:\n  <<: { graceSeconds: 2 }'),
      'task.yaml:5:3 run."<<": expected keys written out',
    ],
    ['a key that belongs elsewhere', add('memoryMb: 10'), 'it belongs under run.resources'],
    [
      'a missing key',
      put(/metric:\n.*\n.*\n/, ''),
      'task.yaml:1:1 metric: it is missing; expected a mapping such as { name: loss, direction: minimize }',
    ],
    [
      'a missing inner key',
      put('    seconds: 2', '    kind: cpu'),
      'task.yaml:6:3 run.budget.seconds: it is missing; expected a number above 0 and at most 2592000',
    ],
    [
      'a quoted number',
      put('seconds: 2', "seconds: '2'"),
      'task.yaml:7:14 run.budget.seconds: expected a number above 0 and at most 2592000, got the text "2"; ' +
        'remove the quotes',
    ],
    [
      'a number with its unit',
      put('seconds: 2', 'seconds: 2s'),
      'expected a number above 0 and at most 2592000, got the text "2s"; write a bare number, without a unit; ' +
        'a fraction has a point',
    ],
    ['a command for a section', put(/run:\n(  .*\n)+/, 'run: node main.js\n'), 'write its keys below it, indented'],
    ['an empty item of a list', put('[main.js]', '\n  -'), 'write a value behind the dash, or remove it'],
    ['a negative number', put('seconds: 2', 'seconds: -2'), 'got the number -2'],
    ['not a number', put('seconds: 2', 'seconds: .nan'), 'got NaN'],
    ['infinity', put('seconds: 2', 'seconds: .inf'), 'got Infinity'],
    [
      'an empty value',
      put('command: node main.js', 'command:'),
      'run.command: expected a text, got an empty value (null); write a value behind the colon',
    ],
    ['an empty text', put('command: node main.js', "command: ''"), 'got an empty text'],
    [
      'a text for a list',
      put('[main.js]', 'main.js'),
      'task.yaml:3:10 mutable: expected a list of at least 1 texts, got the text "main.js"; ' +
        'write it as a list: [main.js]',
    ],
    ['an empty list', put('[main.js]', '[]'), 'mutable: expected a list of at least 1 texts, got an empty list'],
    [
      'a wrong choice',
      put('minimize', 'minimise'),
      'task.yaml:11:14 metric.direction: expected minimize (lower is better) or maximize (higher is better), ' +
        'got the text "minimise"; did you mean minimize?',
    ],
    [
      'a wrong evaluator',
      put('type: artefact', 'type: artifact'),
      'evaluator.type: expected one of none, artefact, interactive, got the text "artifact"; did you mean artefact?',
    ],
    [
      'an evaluator without type',
      put('  type: artefact\n', ''),
      'evaluator.type: it is missing; expected one of none, artefact, interactive',
    ],
    [
      'a misspelt type of the evaluator',
      put('type: artefact', 'typ: artefact'),
      'evaluator.type: it is missing; expected one of none, artefact, interactive; did you misspell it as typ?',
    ],
    [
      'a key of another evaluator',
      add('  answer: node answer.js'),
      'evaluator.answer: with type: artefact, this key is not allowed; remove it, or set type: interactive',
    ],
    [
      'a key of the other evaluators',
      put(/evaluator:\n(  .*\n)+/, 'evaluator: { type: none, command: node score.js }\n'),
      'evaluator.command: with type: none, this key is not allowed; remove it, or set type: artefact or interactive',
    ],
    [
      'a key that only a far section has',
      add('keep: { alpha: 0.1 }'),
      'keep.alpha: the key is not known; expected one of policy, falseKeepsPer200, baselineRuns; remove it',
    ],
    [
      'a model for a proposer',
      add('search: { proposer: gpt5 }'),
      `search.proposer: expected one of auto, ${Object.keys(PROPOSERS).join(', ')} or a mapping with name, ` +
        'got the text "gpt5"; ' +
        "a model's name belongs under llm.model",
    ],
    [
      'a number for a budget',
      put(/  budget:\n(    .*\n)+/, '  budget: 300\n'),
      'run.budget: expected a mapping such as { seconds: 300, kind: wall }, got the number 300',
    ],
    [
      'a window',
      add('search: { window: 0 }'),
      'search.window: expected auto or a whole number at least 1 and at most 1000, got the number 0',
    ],
    [
      'a method that is not known',
      add('search: { abort: { name: ashs } }'),
      'search.abort.name: expected one of none, matched-time, median, asha, power-law-sprt, ' +
        'power-law-sprt-corrected, got the text "ashs"; did you mean asha?',
    ],
    [
      'a name',
      put('name: tiny', 'name: Tiny Task'),
      'task.yaml:1:7 name: expected at most 64 lower-case letters, digits, dots, dashes and underscores, ' +
        'got the text "Tiny Task"; write for example tiny-task',
    ],
    ['a hostile name', put('name: tiny', 'name: ../../etc'), 'name: expected at most 64 lower-case letters'],
    ['a numeric name', put('name: tiny', 'name: 2024'), 'name: expected a text, got the number 2024; put it in quotes'],
    [
      'an environment name',
      put('  artefacts', '  env: { "A B": x }\n  artefacts'),
      'run.env."A B": expected an environment variable name',
    ],
    [
      'a number in env',
      put('  artefacts', '  env: { A: 1 }\n  artefacts'),
      'run.env.A: expected a text, got the number 1; put it in quotes',
    ],
    [
      'a knob of no type',
      add('knobs: [{ file: main.js, name: RATE, type: double, range: [1, 2] }]'),
      'knobs[0].type: expected one of float, int, choice, got the text "double"',
    ],
    [
      'a range of three',
      add('knobs: [{ file: main.js, name: RATE, type: float, range: [1, 2, 3] }]'),
      'knobs[0].range: expected a list of 2: a number, a number, got a list of 3',
    ],
    ['a range of one', add('knobs: [{ file: main.js, name: RATE, type: float, range: [1] }]'), 'knobs[0].range'],
    ['a prototype key', add('__proto__: { x: 1 }'), '__proto__: the key is not known'],
    ['a constructor key', add('constructor: 1'), 'constructor: the key is not known'],
    ['an empty section', add('search:'), 'task.yaml:15:8 search: expected a mapping with any of parent'],
  ])('is refused with its position and the nearest name: %s', (_name, yaml, expected) => {
    expect(refusal(yaml)).toContain(expected);
  });

  it('has all its problems reported at once, each with its position', () => {
    const yaml = put('seconds: 2', 'seconds: two').replace('minimize', 'down').replace('name: tiny', 'nmae: tiny');
    expect(() => parseTask(yaml)).toThrow(TaskError);
    expect(refusal(yaml).split('\n')).toHaveLength(5);
    expect(refusal(yaml)).toContain('The task is refused, 4 problems:');
    const lines = [...refusal(yaml).matchAll(/task\.yaml:(\d+):/g)].map(([, line]) => Number(line));
    expect(lines).toEqual(lines.toSorted((a, b) => a - b));
  });

  it('fills in every default', () => {
    const { task } = parseTask(GOOD);
    expect(task.search).toMatchObject({ parent: 'lead', proposer: 'auto', window: 'auto' });
    expect(task).toMatchObject({ workspace: 'workspace', repeats: 1, keep: { policy: 'noise-gated' }, knobs: [] });
  });
});
