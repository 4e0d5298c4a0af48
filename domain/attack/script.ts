import type { Acts } from './attack.ts';

/** Exit code with which a script lets the program go on. */
export const CONTINUE_EXIT_CODE = 99;
/** Prefix of each line that an attack prints to stderr. */
export const ATTACK_LINE_PREFIX = 'perpetua-attack: ';

/** Shell functions of each script. `is_asked`: only an answering program has a pipe or a socket as its stdin. */
const HELPERS = `say() { printf '${ATTACK_LINE_PREFIX}%s\\n' "$*" >&2; }
reached() { say "reached $*"; }
need() {
  for tool in "$@"; do command -v "$tool" >/dev/null 2>&1 && return 0; done
  say "lacks $*"
  exit ${CONTINUE_EXIT_CODE}
}
is_asked() { [ -p /proc/self/fd/0 ] || [ -S /proc/self/fd/0 ]; }
`;

/** Script of a candidate, for `sh -c SCRIPT attack begin|end`. It detects an answering program by itself. */
export function scriptOf(name: string, { begin, end, answer }: Acts): string {
  // The end repeats the line, since long output of the run may push the first one out of the log's tail.
  const acts = [
    ['begin', `say tried ${name}\n${begin ?? ''}`],
    ['end', `say tried ${name}\n${end ?? ''}`],
    ['answer', answer ?? ''],
  ].map(([act, body]) => `${act})\n${body}\n;;`);
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
