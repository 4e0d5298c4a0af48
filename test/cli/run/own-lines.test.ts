import { expect, test } from 'vitest';
import { onOwnLines } from '../../../cli/run/own-lines.ts';
import { note } from '../../../cli/io.ts';

/** Both streams as a terminal shows them. */
function terminal() {
  const shown: string[] = [];
  const stream = { write: (text: string) => shown.push(text) };
  const { io, endLine } = onOwnLines({ stdout: stream, stderr: stream });
  return { io, endLine, shown: () => shown.join('') };
}

test('a note in the middle of a line begins on its own, and one after a whole line adds none', () => {
  const { io, shown } = terminal();
  note(io, 'the server a');
  io.stdout.write('whole\nhalf');
  io.stdout.write('');
  note(io, 'one');
  note(io, 'two');
  io.stdout.write('rest\n');
  note(io, 'three');
  expect(shown()).toBe('the server a\nwhole\nhalf\none\ntwo\nrest\nthree\n');
});

test('a line that was left is ended once', () => {
  const { io, endLine, shown } = terminal();
  io.stdout.write('half');
  endLine();
  endLine();
  expect(shown()).toBe('half\n');
});
