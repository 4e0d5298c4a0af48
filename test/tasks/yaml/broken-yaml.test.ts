import { describe, expect, it } from 'vitest';
import { parseTask } from '../../../tasks/parse-task.ts';
import { GOOD } from '../make-task.ts';

/** The message of the refusal of GOOD after these replacements. */
function refusal(...replacements: (readonly [string, string])[]): string {
  let yaml = GOOD;
  for (const [text, replacement] of replacements) {
    expect(yaml).toContain(text);
    yaml = yaml.replace(text, replacement);
  }
  try {
    parseTask(yaml);
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
}

const COMMAND = '  command: node main.js';

describe('an open bracket', () => {
  it.each([
    ['is not closed', '[main.js'],
    ['holds lines that are not indented', '[\nmain.js,\n]'],
  ])('is reported at its position if it %s', (_name, list) => {
    expect(refusal(['[main.js]', list])).toContain(
      'task.yaml:3:10 the [ is not closed; add a ], or indent the lines in it further than its key',
    );
  });

  it('is one problem, without those of all that follows', () => {
    const knobs = 'knobs:\n  - { file: main.js, name: A\n  - { file: main.js, name: B }\n  - [1, 2\n';
    const refused = refusal(['evaluator:', `${knobs}evaluator:`]);
    expect(refused).toContain('task.yaml:13:5 the { is not closed; add a }, or indent the lines in it');
    expect(refused.split('\n')).toHaveLength(1);
  });
});

describe('a misplaced key', () => {
  it.each([
    [
      'is indented too much, below a text',
      ['  direction:', '   direction:'],
      'task.yaml:11:4 expected "direction" in the column of "name" (line 10), got a deeper indentation; ' +
        'line the keys up, or put the text of "name" into quotes',
    ],
    [
      'is indented too much, below a quoted text',
      ['loss\n  direction:', '"loss"\n   direction:'],
      'task.yaml:11:4 expected "direction" in the column of "name" (line 10), got a deeper indentation',
    ],
    [
      'is followed by others of its column',
      ['  direction: minimize', '   direction: minimize\n   max: 9\n   min: 0'],
      'task.yaml:11:4 expected "direction" in the column of "name" (line 10)',
    ],
    [
      'is between two columns',
      ['  budget:', ' budget:'],
      'task.yaml:6:2 expected "budget" in the column of "command" (line 5) or "run" (line 4), ' +
        'got a column between them; line the keys up',
    ],
    [
      'follows the first key, which is indented too little',
      [COMMAND, ' command: node main.js'],
      'task.yaml:6:3 expected "budget" in the column of "command" (line 5), got a deeper indentation',
    ],
    [
      'follows a key without a value, which is indented too much',
      [COMMAND, '    command:'],
      'task.yaml:6:3 expected "budget" in the column of',
    ],
    [
      'follows such a key with a comment',
      [COMMAND, ' command: node main.js # the run\n\n# its budget'],
      'task.yaml:8:3 expected "budget" in the column of "command" (line 5), got a deeper indentation',
    ],
  ] as const)('%s: one problem, with the column of the keys before it', (_name, replacement, message) => {
    const refused = refusal(replacement);
    expect(refused).toContain(message);
    expect(refused.split('\n')).toHaveLength(1);
  });

  it('is not reported for a second colon in a line, even if the next line is indented', () => {
    const refused = refusal(['a tiny task', 'a task: tiny\n  and: small']);
    expect(refused).toContain('task.yaml:2:14 expected valid YAML');
    expect(refused).toContain('put a text with : # { [ * & ! % @ or ` in it into quotes');
  });

  it('is reported for each block by itself', () => {
    const refused = refusal(['  budget:', ' budget:'], ['  direction:', '   direction:']);
    expect(refused).toContain('The task is refused, 2 problems:');
    expect(refused).toContain('expected "budget" in the column of');
    expect(refused).toContain('expected "direction" in the column of');
  });
});
