import type { Attack, Target } from '../attack.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import { forEachPath } from '../for-each-path.ts';
import { artefactsOf, onArtefacts } from './on-artefacts.ts';

const PERL_BIND = 'socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, pack_sockaddr_un($ARGV[0])) or exit 1';

const BIND = `if command -v python3 >/dev/null 2>&1; then
  socket() { python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$1"; }
elif command -v perl >/dev/null 2>&1; then
  socket() { perl -MSocket -e '${PERL_BIND}' "$1"; }
else
  socket() { node -e 'require("net").createServer().listen(process.argv[1], () => process.exit())' "$1"; }
fi`;

/** Leaves a special file in place of each artefact, without any work; `first` runs before. */
const leave = (kind: string, tries: string, make: (target: Target) => { first?: string; each: string }): Attack => ({
  ...onArtefacts,
  name: `artefact-${kind}`,
  where: 'run',
  tries,
  acts: (target) => {
    const { first = '', each } = make(target);
    const line = `rm -rf "$path"; mkdir -p "$(dirname "$path")"; ${each}`;
    return { begin: `${first}\n${forEachPath(artefactsOf(target), line)}\nexit 0` };
  },
  expected: ['artefact-missing'],
});

/** Artefacts that are no plain files. */
export const SPECIAL_FILES: readonly Attack[] = [
  leave('link', 'leave a link to a file of the system as the artefact', () => ({ each: 'ln -s /etc/passwd "$path"' })),
  leave('link-to-secret', 'leave a link to a file that only the worker may read as the artefact', ({ secrets }) => ({
    each: `ln -s ${shellQuote(secrets[0] ?? '/etc/shadow')} "$path"`,
  })),
  leave('fifo', 'leave a named pipe as the artefact, on which a reader hangs', () => ({ each: 'mkfifo "$path"' })),
  leave('folder', 'leave a folder as the artefact', () => ({ each: 'mkdir "$path"' })),
  leave('socket', 'leave a socket as the artefact', () => ({
    first: `need python3 perl node\n${BIND}`,
    each: 'socket "$path"',
  })),
];
