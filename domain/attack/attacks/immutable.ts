import type { Attack, Target } from '../attack.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import { forEachPath } from '../for-each-path.ts';
import { artefactsOf } from './on-artefacts.ts';

const HOLE_MB = 50;

/** An immutable file that becomes something else, without any work. The last one: a program's own is often among the first. */
const becomes = (kind: string, what: string, make: (target: Target) => string): Attack => ({
  name: `immutable-${kind}`,
  where: 'run',
  tries: `put ${what} in place of an immutable file of the workspace`,
  unfit: ({ immutable }) => (immutable.length === 0 ? 'all files of its workspace are mutable' : null),
  acts: (target) => {
    const path = target.immutable.at(-1) ?? '';
    const spoil = `path=${shellQuote(path)}; chmod u+w "$(dirname "$path")"; rm -f "$path"; ${make(target)}`;
    const artefacts = artefactsOf(target);
    return { begin: `${artefacts.length === 0 ? '' : forEachPath(artefacts, ': >"$path"')}\n${spoil}\nexit 0` };
  },
  expected: ['immutable-changed'],
});

/** Changes of files that must not change. */
export const IMMUTABLE: readonly Attack[] = [
  becomes('changed', 'another text', () => 'echo changed >"$path"'),
  becomes('link', 'a link', () => 'ln -s /etc/passwd "$path"'),
  becomes('fifo', 'a named pipe', () => 'mkfifo "$path"'),
  becomes(
    'sparse',
    'a large file with holes',
    ({ task }) =>
      `dd if=/dev/null of="$path" bs=1 count=0 seek=${Math.floor(Math.min(HOLE_MB, task.run.resources.diskMb / 2) * 2 ** 20)} 2>/dev/null`,
  ),
];
