import type { Attack } from '../attack.ts';
import { shellQuote } from '../../text/shell-quote.ts';

/** Loaded by an interpreter that looks for them beside a program or at home. */
const SEEDS = ['sitecustomize.py', 'usercustomize.py', 'json.py', 'node_modules/fs/index.js', 'package.json', '.npmrc'];

/** Folders that others read: what can be written there stays. */
const SHARED = ['/usr/lib', '/usr/local/lib', '/etc', '/opt', '/var/tmp', '$around', '$PERPETUA_DATA'];
/** Where a work folder lies under `/tmp`, a sandbox has made what is around it, in a `/tmp` that goes with the run: nothing else is there. */
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
