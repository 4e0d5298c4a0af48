import { CONTINUE_EXIT_CODE } from '../script.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import { headOf, insertBehind } from './lines.ts';

/** POSIX shell, run or sourced. If the program sets its own exit trap, the end of the attack does not run. */
export function shell(text: string, script: string): string {
  const lines = `if [ -z "\${PERPETUA_ATTACK-}" ]; then
  export PERPETUA_ATTACK=1
  perpetua_attack=${shellQuote(script)}
  if sh -c "$perpetua_attack" attack begin; then exit 0; else perpetua_code=$?; fi
  [ "$perpetua_code" = ${CONTINUE_EXIT_CODE} ] || exit "$perpetua_code"
  trap 'sh -c "$perpetua_attack" attack end || :' EXIT
fi`;
  return insertBehind(text, headOf(text), lines);
}
