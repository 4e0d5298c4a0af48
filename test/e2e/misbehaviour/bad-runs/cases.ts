import { SLEEP_SECONDS } from '../../../support/e2e/cases.ts';

const GOOD = 'echo 5 > out.txt; echo "score: -4"';

/** Commands of a run, the end that its trial must have, and the output that must be kept. */
export type Case = {
  name: string;
  does: string;
  status: string;
  failure: string | null;
  tail?: RegExp;
  value?: number;
};

export const RUNS: Case[] = [
  {
    name: 'exits',
    does: 'echo "ValueError: no such layer" >&2; exit 3',
    status: 'crashed',
    failure: 'exit-code',
    tail: /no such layer/,
  },
  { name: 'dies', does: 'echo last words; kill -SEGV $$', status: 'crashed', failure: 'signal', tail: /last words/ },
  {
    name: 'hangs',
    does: `echo waiting; trap '' TERM; while :; do sleep ${SLEEP_SECONDS}; done`,
    status: 'timed_out',
    failure: 'wall-clock',
    tail: /waiting/,
  },
  {
    name: 'spins',
    does: 'echo computing; while :; do :; done',
    status: 'timed_out',
    failure: 'wall-clock',
    tail: /computing/,
  },
  {
    name: 'forks',
    does: `sh -c "trap '' TERM HUP; sleep ${SLEEP_SECONDS}" & sleep ${SLEEP_SECONDS} & ${GOOD}`,
    status: 'completed',
    failure: null,
  },
  {
    name: 'leaves',
    does: `setsid sh -c "(sleep ${SLEEP_SECONDS} &); exit" & env -i setsid sleep ${SLEEP_SECONDS} & sleep .1; ${GOOD}`,
    status: 'completed',
    failure: null,
  },
  {
    name: 'multiplies',
    does: `echo many; i=0; while [ $i -lt 60 ]; do sleep ${SLEEP_SECONDS} & i=$((i+1)); done; wait`,
    status: 'crashed',
    failure: 'too-many-processes',
    tail: /many/,
  },
  { name: 'floods', does: 'echo start; yes flood', status: 'crashed', failure: 'output-limit', tail: /flood/ },
  {
    name: 'fills',
    does: `echo filling; cat /dev/zero > big; sleep ${SLEEP_SECONDS}`,
    status: 'crashed',
    failure: 'disk-limit',
    tail: /filling/,
  },
  {
    name: 'swells',
    does: 'echo swelling; tail /dev/zero',
    status: 'crashed',
    failure: 'out-of-memory',
    tail: /swelling/,
  },
  { name: 'writes-nothing', does: 'echo done', status: 'crashed', failure: 'artefact-missing', tail: /done/ },
  {
    name: 'writes-much',
    does: 'head -c 3000000 /dev/zero > out.txt',
    status: 'crashed',
    failure: 'artefact-too-large',
  },
  {
    name: 'tampers',
    does: `${GOOD}; chmod u+w fixed.txt; echo mine > fixed.txt`,
    status: 'crashed',
    failure: 'immutable-changed',
  },
  { name: 'removes', does: `${GOOD}; rm -f fixed.txt`, status: 'crashed', failure: 'immutable-changed' },
  { name: 'links-out', does: 'ln -s /etc/passwd out.txt', status: 'crashed', failure: 'artefact-missing' },
  {
    name: 'prints-zeros',
    does: `printf 'a\\0b\\377\\n'; exit 4`,
    status: 'crashed',
    failure: 'exit-code',
    tail: /a.b/,
  },
  { name: 'good', does: GOOD, status: 'completed', failure: null },
];

export const PRINTED: Case[] = [
  { name: 'nan', does: 'echo "score: NaN"', status: 'diverged', failure: 'metric-not-finite', tail: /NaN/ },
  { name: 'inf', does: 'echo "score: inf"', status: 'diverged', failure: 'metric-not-finite', tail: /inf/ },
  {
    name: 'minus-inf',
    does: 'echo "score: -Infinity"',
    status: 'diverged',
    failure: 'metric-not-finite',
    tail: /-Infinity/,
  },
  { name: 'units', does: 'echo "score: -0.9 bits"', status: 'crashed', failure: 'metric-unreadable', tail: /bits/ },
  { name: 'comma', does: 'echo "score: -0,9"', status: 'crashed', failure: 'metric-unreadable', tail: /-0,9/ },
  { name: 'nothing', does: 'echo "loss: 3"', status: 'crashed', failure: 'no-metric', tail: /loss/ },
  { name: 'above', does: 'echo "score: 12"', status: 'crashed', failure: 'metric-out-of-bounds', tail: /12/ },
  { name: 'below', does: 'echo "score: -1e9"', status: 'crashed', failure: 'metric-out-of-bounds', tail: /1e9/ },
  {
    name: 'claims-and-fails',
    does: 'echo "score: -1"; exit 1',
    status: 'crashed',
    failure: 'exit-code',
    tail: /score/,
  },
  { name: 'good', does: GOOD, status: 'completed', failure: null },
  {
    name: 'half-a-line',
    does: `printf 'score: -0.12'; printf '\\n' >&2; sleep .3; printf '345\\n'`,
    status: 'completed',
    failure: null,
    value: -0.12345,
  },
  {
    name: 'behind-a-bar',
    does:
      `printf '\\r 50%%|#####     | 5/10' >&2; sleep .3; echo "score: -2"; ` +
      `sleep .3; printf '\\r100%%|##########|' >&2`,
    status: 'completed',
    failure: null,
    value: -2,
  },
  {
    name: 'in-colour',
    does: `printf 'score: -9\\r\\033[1mscore: \\033[31m-3\\033[0m\\r\\n\\033]0;done'`,
    status: 'completed',
    failure: null,
    value: -3,
  },
  { name: 'only-stderr', does: 'echo "score: -4" >&2', status: 'crashed', failure: 'no-metric', tail: /score/ },
];

export const RULES: Case[] = [
  {
    name: 'nan',
    does: `echo "step 1 loss nan"; sleep ${SLEEP_SECONDS}`,
    status: 'diverged',
    failure: 'not-finite',
    tail: /nan/,
  },
  {
    name: 'inf',
    does: `echo "step 1 loss inf"; sleep ${SLEEP_SECONDS}`,
    status: 'diverged',
    failure: 'not-finite',
    tail: /inf/,
  },
  {
    name: 'nan-and-out',
    does: `echo "step 1 loss nan"; ${GOOD}`,
    status: 'diverged',
    failure: 'not-finite',
    tail: /nan/,
  },
  {
    name: 'grows',
    does: `for v in 1 5 6 7 8; do echo "step $v loss $v"; done; sleep ${SLEEP_SECONDS}`,
    status: 'diverged',
    failure: 'diverged',
    tail: /loss 8/,
  },
  {
    name: 'stalls',
    does: `echo "step 1 loss 1"; sleep ${SLEEP_SECONDS}`,
    status: 'diverged',
    failure: 'stalled',
    tail: /loss 1/,
  },
  {
    name: 'one-bad-step',
    does: `for v in 1 5 1 5 1; do echo "step 1 loss $v"; done; ${GOOD}`,
    status: 'completed',
    failure: null,
  },
  {
    name: 'bar-of-nan',
    does: `printf '\\rstep 1 loss 1\\rstep 2 loss nan\\rstep 3 loss 1' >&2; sleep ${SLEEP_SECONDS}`,
    status: 'diverged',
    failure: 'not-finite',
    tail: /nan/,
  },
  {
    name: 'bar-that-lives',
    does: `for n in 1 2 3 4 5 6 7 8 9 10 11; do printf "\\rstep 1 loss 1" >&2; sleep 1; done; ${GOOD}`,
    status: 'completed',
    failure: null,
  },
  {
    name: 'lines-beside-a-bar',
    does: `for n in 1 2 3; do printf '\\r%s%%|##' $n >&2; sleep .1; echo "step $n loss $n"; sleep .1; done; ${GOOD}`,
    status: 'completed',
    failure: null,
  },
];

export const namesOf = (cases: Case[]): string[] => cases.map(({ name }) => name);
/** The workspace of a task whose run does the commands of its CASE. */
export const scriptOf = (cases: Case[]): Record<string, string> => {
  const branches = cases.map(({ name, does }) => `${name}) ${does} ;;`);
  return {
    'workspace/knobs.env': 'CASE=start\n',
    'workspace/fixed.txt': 'as it was\n',
    'workspace/run.sh': `. ./knobs.env
case $CASE in
start) echo 1 > out.txt; echo "score: -36" ;;
${branches.join('\n')}
esac
`,
  };
};
