import { Command } from 'commander';
import { expect, test } from 'vitest';
import { acceptDashedKnobs } from '../../../../cli/source/knobs/join-knobs.ts';
import { addSourceOptions } from '../../../../cli/source/options.ts';

/** Options of a command line, as commander reads them. */
function read(...words: string[]) {
  const command = new Command().exitOverride().argument('[task]').option('--json');
  addSourceOptions(command);
  acceptDashedKnobs(command);
  command.parse(words, { from: 'user' });
  return command.opts();
}

test.each([
  [['--knobs', 'rate=0.01..1', '-batch'], ['rate=0.01..1 -batch']],
  [['--knobs', '-batch', 'act=relu|gelu', '--json'], ['-batch act=relu|gelu']],
  [['--knobs', '-*', 'a=1..2', '-o', 'out'], ['-* a=1..2']],
  [['--knobs=-batch', '--json'], ['-batch']],
  [['--json', '--knobs', 'rate=0.01..1 -batch'], ['rate=0.01..1 -batch']],
])('%j has the items %j of --knobs', (words, knobs) => expect(read(...words)).toMatchObject({ knobs }));

test('a missing text of --knobs is refused, and other words stay as they are', () => {
  expect(() => read('--knobs')).toThrow("option '--knobs <spec...>' argument missing");
  expect(read('--metric', 'loss', '--mutable', 'a.py', 'b.py')).toMatchObject({ mutable: ['a.py', 'b.py'] });
});
