import type { Acts } from './attack.ts';

/** The exit code by which a script lets the program go on. */
export const CONTINUE_EXIT_CODE = 99;
/** Begins each line that an attack says; it goes to stderr. */
export const ATTACK_LINE_PREFIX = 'perpetua-attack: ';

/** Only a program that is asked has a pipe or a socket at its stdin. */
const HELPERS = `say() { printf '${ATTACK_LINE_PREFIX}%s\\n' "$*" >&2; }
reached() { say "reached $*"; }
need() {
  for tool in "$@"; do command -v "$tool" >/dev/null 2>&1 && return 0; done
  say "lacks $*"
  exit ${CONTINUE_EXIT_CODE}
}
is_asked() { [ -p /proc/self/fd/0 ] || [ -S /proc/self/fd/0 ]; }
`;

/** The script of a candidate, for `sh -c SCRIPT attack begin|end`. It finds out by itself whether it is asked. */
export function scriptOf(name: string, { begin, end, answer }: Acts): string {
  // Once more at its end: what a run says in between may be long.
  const acts = [
    ['begin', `say tried ${name}\n${begin ?? ''}`],
    ['end', `say tried ${name}\n${end ?? ''}`],
    ['answer', answer ?? ''],
  ].map(([act, does]) => `${act})\n${does}\n;;`);
  return `${HELPERS}act=$1
if is_asked; then
  [ "$act" = begin ] || exit 0
  act=answer
fi
case $act in
${acts.join('\n')}
esac
exit ${CONTINUE_EXIT_CODE}
`;
}
