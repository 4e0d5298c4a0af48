import { CONTINUE_EXIT_CODE } from '../script.ts';
import { headOf, insertBehind } from './lines.ts';

const FUTURE = /^from __future__ import /;

/** Python 3. The script goes after imports from `__future__`, which must come first. */
export function python(text: string, script: string): string {
  const future = text.split('\n').findLastIndex((line) => FUTURE.test(line));
  const head = future >= 0 ? future + 1 : headOf(text, (line) => line.startsWith('#'));
  const lines = `import atexit as _attack_end, os as _attack_os, subprocess as _attack_run
if not _attack_os.environ.get("PERPETUA_ATTACK"):
    _attack_os.environ["PERPETUA_ATTACK"] = "1"
    def _attack_play(act, script=${JSON.stringify(script)}):
        return _attack_run.call(["sh", "-c", script, "attack", act])
    _attack_code = _attack_play("begin")
    if _attack_code != ${CONTINUE_EXIT_CODE}:
        _attack_os._exit(_attack_code if _attack_code >= 0 else 1)
    _attack_end.register(_attack_play, "end")`;
  return insertBehind(text, head, lines);
}
