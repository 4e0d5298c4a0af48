import { execFileSync, spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';

/** Root as in an ordinary container. */
const DROP = ['setpriv', '--inh-caps', '-sys_admin', '--bounding-set', '-sys_admin'];

const pathOf = (program: string): string =>
  realpathSync(execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim());

/** First words of a command line, as root, for which that program does not work. */
export const withoutProgram = (program: string): string[] => [
  'unshare',
  '--mount',
  'sh',
  '-c',
  `mount --bind /dev/null '${pathOf(program)}' && exec "$@"`,
  'sh',
];

export const withoutPerl = (): string[] => withoutProgram('perl');

/** First words of a command line, as root, that can make no namespaces; `perl: false`: nor run perl. */
export const withoutNamespaces = ({ perl = true }: { perl?: boolean } = {}): string[] =>
  perl ? DROP : [...withoutPerl(), ...DROP];

/** Reason why root cannot be restricted here; undefined if it can. */
export const noRestrictedRoot = ((): string | undefined => {
  const [program = '', ...words] = withoutNamespaces({ perl: false });
  const tried = spawnSync(program, [...words, 'sh', '-c', '! unshare --mount true && ! perl -e 1'], {
    stdio: 'ignore',
  });
  return tried.status === 0 ? undefined : '(needs root, util-linux and perl)';
})();
