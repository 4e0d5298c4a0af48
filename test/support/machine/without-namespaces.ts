import { execFileSync, spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';

/** As root is in an ordinary container. */
const DROP = ['setpriv', '--inh-caps', '-sys_admin', '--bounding-set', '-sys_admin'];

const pathOf = (program: string): string =>
  realpathSync(execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim());

/** Words before a program to which, as root, that one is not to be had. */
export const withoutProgram = (program: string): string[] => [
  ...['unshare', '--mount', 'sh', '-c'],
  ...[`mount --bind /dev/null '${pathOf(program)}' && exec "$@"`, 'sh'],
];

export const withoutPerl = (): string[] => withoutProgram('perl');

/** Words before a program that keep it, as root, from making namespaces; without `perl` that program is not to be had either. */
export const withoutNamespaces = ({ perl = true }: { perl?: boolean } = {}): string[] =>
  perl ? DROP : [...withoutPerl(), ...DROP];

/** Why that cannot be tried; undefined where it can. */
export const noRestrictedRoot = ((): string | undefined => {
  const [program = '', ...words] = withoutNamespaces({ perl: false });
  const tried = spawnSync(program, [...words, 'sh', '-c', '! unshare --mount true && ! perl -e 1'], {
    stdio: 'ignore',
  });
  return tried.status === 0 ? undefined : '(needs root, util-linux and perl)';
})();
