import type { Attack, Target } from '../attack.ts';
import { shellQuote } from '../../text/shell-quote.ts';
import { forEachPath } from '../for-each-path.ts';
import { artefactsOf, onArtefacts } from './on-artefacts.ts';

/** A process that outlives the run and rewrites the artefacts before they are scored. */
export const OUTLIVE: Attack = {
  ...onArtefacts,
  name: 'outlive',
  where: 'run',
  tries: 'start a process that leaves its session and rewrites the artefact after the end of the run',
  acts: (target) => {
    const rewrite = forEachPath(artefactsOf(target), 'echo rewritten >"$path"');
    const loop = shellQuote(`sleep 1; while :; do ${rewrite}; sleep 0.2; done`);
    return {
      end: `if command -v setsid >/dev/null 2>&1; then new=setsid; else new=; fi
(nohup $new sh -c ${loop} ${target.mark} >/dev/null 2>&1 </dev/null &)`,
    };
  },
  expected: ['completed'],
};

const MOST_LEVELS = 2000;
/** Most disk space of one folder, in MB. */
const FOLDER_MB = 4 / 1024;

/** Depth of the tree, far below the run's limits of files and disk. */
const levelsOf = ({ task: { run } }: Target): number =>
  Math.floor(Math.min(MOST_LEVELS, run.resources.files / 2, run.resources.diskMb / FOLDER_MB / 4));

const ODD_FILES =
  `mkdir -- -rf; : >./'-rf/*'; : >"$(printf 'two\\nlines')"; ` +
  `: >"$(printf '\\033[2J')"; : >"$(printf '\\377\\376')"; ln -s . loop`;

/** A deep tree and odd file names. Perl descends with relative paths, so no path is ever too long. */
export const ODD_NAMES: Attack = {
  name: 'odd-names',
  where: 'run',
  tries: 'leave a deep tree without permissions, and file names such as -rf, with a line break, or not in UTF-8',
  acts: (target) => ({
    begin: `need perl
: >"${target.mark}"
${ODD_FILES}
perl -e 'my $name = "d" x 200; for (1 .. ${levelsOf(target)}) { mkdir($name) && chdir($name) or last }'
chmod 0 "$(printf '%200s' | tr ' ' d)"`,
  }),
  expected: ['completed'],
};

/** Two candidates: the second one searches for the leftovers of the first one. */
export const NOTES: Attack = {
  name: 'notes',
  where: 'run',
  tries: 'leave a note for the next candidate, during the run and while it answers',
  times: 2,
  acts: ({ mark }) => {
    const folders = '. .. "$HOME" /tmp /dev/shm /var/tmp "$PERPETUA_DATA"';
    const search = `for folder in ${folders}; do
  if [ -n "$folder" ] && [ -e "$folder/${mark}.note" ]; then reached "a note of another candidate in $folder"; fi
done`;
    const write =
      `for folder in ${folders}; do ` + `[ -z "$folder" ] || (echo note >"$folder/${mark}.note") 2>/dev/null; done`;
    return { begin: search, end: write, answer: write };
  },
  expected: ['completed'],
};
