import type { Attack, Target } from '../attack.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import { forEachPath } from '../for-each-path.ts';
import { artefactsOf } from './on-artefacts.ts';

const HOLE_MB = 50;

/** Replaces the last immutable file, without any work. A program's own file is often among the first. */
const replaceBy = (kind: string, replacement: string, make: (target: Target) => string): Attack => ({
  name: `immutable-${kind}`,
  where: 'run',
  tries: `put ${replacement} in place of an immutable file of the workspace`,
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
  replaceBy('changed', 'another text', () => 'echo changed >"$path"'),
  replaceBy('link', 'a link', () => 'ln -s /etc/passwd "$path"'),
  replaceBy('fifo', 'a named pipe', () => 'mkfifo "$path"'),
  replaceBy('sparse', 'a large file with holes', ({ task }) => {
    const bytes = Math.floor(Math.min(HOLE_MB, task.run.resources.diskMb / 2) * 2 ** 20);
    return `dd if=/dev/null of="$path" bs=1 count=0 seek=${bytes} 2>/dev/null`;
  }),
];
