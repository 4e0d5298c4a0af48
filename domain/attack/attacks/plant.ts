import type { Attack } from '../attack.ts';
import { shellQuote } from '../../text/shell-quote.ts';

/** Files that an interpreter loads if they lie beside a program or in the home directory. */
const SEEDS = ['sitecustomize.py', 'usercustomize.py', 'json.py', 'node_modules/fs/index.js', 'package.json', '.npmrc'];

/** Folders that others read: a file that can be written there outlives the run. */
const SHARED = ['/usr/lib', '/usr/local/lib', '/etc', '/opt', '/var/tmp', '$around', '$PERPETUA_DATA'];
/**
 * Sets `around` to the parent of the work folder, or to nothing if the parent has no other entry: then a sandbox made
 * the parent, in a `/tmp` that goes with the run.
 */
const AROUND = `around=..
[ "$(ls -A .. 2>/dev/null)" != "\${PWD##*/}" ] || around=`;

export const PLANT: Attack = {
  name: 'plant',
  where: 'run',
  tries: 'leave files that an evaluator or a later run would load: sitecustomize.py, json.py, package.json',
  acts: ({ mark }) => ({
    end: `for file in ${SEEDS.map(shellQuote).join(' ')}; do
  mkdir -p "$(dirname "$file")"; [ -e "$file" ] || echo "$0 of ${mark}" >"$file"
done 2>/dev/null
${AROUND}
for folder in /tmp /dev/shm; do (: >"$folder/${mark}") 2>/dev/null; done
for folder in ${SHARED.map((folder) => `"${folder}"`).join(' ')}; do
  [ -n "$folder" ] || continue
  if (: >"$folder/${mark}") 2>/dev/null; then reached "a file in $folder"; rm -f "$folder/${mark}"; fi
done`,
  }),
  expected: ['completed'],
};
